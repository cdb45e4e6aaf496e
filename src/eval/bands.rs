//! How often moves are optimal and margins right, by undrawn edges.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::Serialize;

use super::suite::{Suite, SuitePosition};
use crate::board::{Edge, Position};
use crate::net::Network;
use crate::search::{Budget, Cached, NetworkEvaluator, Player};
use crate::statistics::wilson_interval;

/// A share with its 95 % interval.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Interval {
    /// The share.
    pub share: f64,
    /// The interval's lower end.
    pub low: f64,
    /// The interval's upper end.
    pub high: f64,
}

/// The figures of a suite's positions with one number of undrawn edges.
#[derive(Clone, Debug, Serialize)]
pub struct Band {
    /// The suite's name.
    pub suite: String,
    /// Undrawn edges; 0 stands for all of the suite.
    pub undrawn: usize,
    /// Positions.
    pub positions: usize,
    /// How often the raw policy's first edge is optimal.
    pub policy_optimal: Interval,
    /// How often the searched edge is optimal.
    pub search_optimal: Interval,
    /// Mean distance of the expected margin from the exact one, in boxes, without search.
    pub margin_error: f64,
    /// How often the expected margin has the exact one's sign, among positions whose margin is not 0.
    pub sign_agreement: Interval,
}

#[derive(Clone, Copy)]
struct Score {
    undrawn: usize,
    policy: bool,
    search: bool,
    error: f64,
    sign: Option<bool>,
}

/// Scores a network on a suite: its raw policy, and its search with this budget, the solver in play as it is in a bot.
///
/// The bands come by undrawn edges, then one of all positions. `progress` is called with the number of finished positions.
pub fn evaluate_suite(
    network: &Arc<Network>,
    suite: &Suite,
    budget: &Budget,
    progress: &(dyn Fn(usize) + Sync),
) -> Vec<Band> {
    let player = || budget.player(suite.board, NetworkEvaluator::new(network.clone()));
    let count = AtomicUsize::new(0);
    let scores: Vec<Score> = suite
        .positions
        .par_iter()
        .map_init(player, |player, position| {
            player.clear();
            let score = score(position, player);
            progress(count.fetch_add(1, Ordering::Relaxed) + 1);
            score
        })
        .collect();
    let mut by_undrawn: BTreeMap<usize, Vec<Score>> = BTreeMap::new();
    for score in &scores {
        by_undrawn.entry(score.undrawn).or_default().push(*score);
    }
    let mut bands: Vec<Band> = by_undrawn.iter().map(|(&undrawn, scores)| band(suite, undrawn, scores)).collect();
    bands.push(band(suite, 0, &scores));
    bands
}

fn score(position: &SuitePosition, player: &mut Player<Cached<NetworkEvaluator>>) -> Score {
    let at = Position::from_state(position.state);
    let (policy, margin) = player.judge(&at);
    let searched: Edge = player.decide(&at).edge;
    Score {
        undrawn: at.undrawn().len(),
        policy: position.best.contains(policy),
        search: position.best.contains(searched),
        error: (margin as f64 - position.margin as f64).abs(),
        sign: (position.margin != 0).then_some(margin * position.margin as f32 > 0.0),
    }
}

fn band(suite: &Suite, undrawn: usize, scores: &[Score]) -> Band {
    let share = |hits: usize, trials: usize| {
        let (low, high) = wilson_interval(hits, trials);
        Interval { share: hits as f64 / trials.max(1) as f64, low, high }
    };
    let count = |is_hit: fn(&Score) -> bool| share(scores.iter().filter(|s| is_hit(s)).count(), scores.len());
    let signs: Vec<bool> = scores.iter().filter_map(|score| score.sign).collect();
    Band {
        suite: suite.name.clone(),
        undrawn,
        positions: scores.len(),
        policy_optimal: count(|score| score.policy),
        search_optimal: count(|score| score.search),
        margin_error: scores.iter().map(|score| score.error).sum::<f64>() / scores.len().max(1) as f64,
        sign_agreement: share(signs.iter().filter(|&&sign| sign).count(), signs.len()),
    }
}
