//! Shares of optimal moves and errors of margins on a suite, by the number of undrawn edges.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::suite::{Suite, SuitePosition};
use crate::statistics::wilson_interval;
use doublecross_core::board::{Edge, Position};
use doublecross_core::net::Network;
use doublecross_core::search::{Budget, Cached, NetworkEvaluator, Player};

/// A share of positions with its 95 % interval, Wilson's.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Interval {
    /// The share, from 0 to 1.
    pub share: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// The figures of a suite's positions with one number of undrawn edges, of its capture-free ones, or of all.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Band {
    /// The name of the suite.
    pub suite: String,
    /// The number of undrawn edges, or 0 for those of any number.
    pub undrawn: usize,
    /// `true` if these are the capture-free positions alone. Where a box is on offer, a rule takes it,
    /// which needs no judgment.
    pub is_capture_free: bool,
    /// The number of positions.
    pub positions: usize,
    /// The share of positions in which the policy's first edge, without search, is optimal.
    pub policy_optimal: Interval,
    /// The share of positions in which the searched edge is optimal.
    pub search_optimal: Interval,
    /// The mean distance of the network's expected margin from the exact one, in boxes.
    pub margin_error: f64,
    /// The share of positions in which the network's expected margin has the sign of the exact one,
    /// among those whose margin is not 0.
    pub sign_agreement: Interval,
}

/// The score of a network on one position.
#[derive(Clone, Copy, Debug)]
pub struct PositionScore {
    /// The number of undrawn edges.
    pub undrawn: usize,
    /// `true` if no box is on offer.
    pub is_capture_free: bool,
    /// `true` if the policy's first edge, without search, is optimal.
    pub is_policy_optimal: bool,
    /// `true` if the searched edge is optimal.
    pub is_search_optimal: bool,
    /// The distance of the expected margin from the exact one, in boxes.
    pub error: f64,
    /// `true` if the signs agree, `None` if the exact margin is 0.
    pub is_sign_right: Option<bool>,
}

/// Returns the budget of searches on suites, of `simulations` simulations and `nodes` nodes of the
/// solver at the root. They maximize the margin alone.
pub fn suite_budget(simulations: usize, nodes: u64) -> Budget {
    let mut budget = Budget::new(simulations, nodes);
    budget.settings.margin_weight = 1.0;
    budget
}

/// Scores a network on a suite as [`score_positions`] does, and returns its [`bands`].
pub fn evaluate_suite(
    network: &Arc<Network>,
    suite: &Suite,
    budget: &Budget,
    progress: &(dyn Fn(usize) + Sync),
    stop: &Arc<AtomicBool>,
) -> Option<Vec<Band>> {
    Some(bands(suite, &score_positions(network, suite, budget, progress, stop)?))
}

/// Scores a network on the positions of a suite, in their order: its policy without search, and its
/// search with this budget, in which the solver takes part as it does in a bot.
///
/// `progress` is called with the number of positions that are scored. Returns `None` if `stop` is set
/// before all are.
pub fn score_positions(
    network: &Arc<Network>,
    suite: &Suite,
    budget: &Budget,
    progress: &(dyn Fn(usize) + Sync),
    stop: &Arc<AtomicBool>,
) -> Option<Vec<PositionScore>> {
    let player = || budget.player(suite.board, NetworkEvaluator::new(network.clone())).with_stop(stop.clone());
    let count = AtomicUsize::new(0);
    suite
        .positions
        .par_iter()
        .map_init(player, |player, position| {
            player.clear();
            let score = score(position, player);
            progress(count.fetch_add(1, Ordering::Relaxed) + 1);
            (!stop.load(Ordering::Relaxed)).then_some(score)
        })
        .collect()
}

/// Returns one band for each number of undrawn edges, in ascending order, then one for the capture-free
/// positions if some but not all are, and then one for all positions.
pub fn bands(suite: &Suite, scores: &[PositionScore]) -> Vec<Band> {
    let mut by_undrawn: BTreeMap<usize, Vec<PositionScore>> = BTreeMap::new();
    for score in scores {
        by_undrawn.entry(score.undrawn).or_default().push(*score);
    }
    let mut bands: Vec<Band> = by_undrawn.iter().map(|(&undrawn, scores)| band(suite, undrawn, scores)).collect();
    let free: Vec<PositionScore> = scores.iter().copied().filter(|score| score.is_capture_free).collect();
    if !free.is_empty() && free.len() < scores.len() {
        bands.push(Band { is_capture_free: true, ..band(suite, 0, &free) });
    }
    bands.push(band(suite, 0, scores));
    bands
}

/// Scores a network on a position.
fn score(position: &SuitePosition, player: &mut Player<Cached<NetworkEvaluator>>) -> PositionScore {
    let at = Position::from_state(position.state);
    let (policy, margin) = player.judge(&at);
    let searched: Edge = player.decide(&at).edge;
    PositionScore {
        undrawn: at.undrawn().len(),
        is_capture_free: position.state.is_capture_free(),
        is_policy_optimal: position.best.contains(policy),
        is_search_optimal: position.best.contains(searched),
        error: (margin as f64 - position.margin as f64).abs(),
        is_sign_right: (position.margin != 0).then_some(margin * position.margin as f32 > 0.0),
    }
}

/// Summarizes the scores of a band.
fn band(suite: &Suite, undrawn: usize, scores: &[PositionScore]) -> Band {
    let share = |hits: usize, trials: usize| {
        let (low, high) = wilson_interval(hits, trials);
        Interval { share: hits as f64 / trials.max(1) as f64, low, high }
    };
    let count = |is_hit: fn(&PositionScore) -> bool| share(scores.iter().filter(|s| is_hit(s)).count(), scores.len());
    let signs: Vec<bool> = scores.iter().filter_map(|score| score.is_sign_right).collect();
    Band {
        suite: suite.name.clone(),
        undrawn,
        is_capture_free: false,
        positions: scores.len(),
        policy_optimal: count(|score| score.is_policy_optimal),
        search_optimal: count(|score| score.is_search_optimal),
        margin_error: scores.iter().map(|score| score.error).sum::<f64>() / scores.len().max(1) as f64,
        sign_agreement: share(signs.iter().filter(|&&sign| sign).count(), signs.len()),
    }
}
