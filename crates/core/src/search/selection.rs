//! Selection of the next action to simulate, completed Q-values and the improved policy (Danihelka
//! et al. 2022, section 4 and appendix D).

use super::{Scale, Selection, Settings};
use crate::float::{exp, larger};

/// The facts about an action that selection uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// The logit of the prior.
    pub logit: f32,
    /// The number of simulations that passed through the action.
    pub visits: u32,
    /// The value for the player to move, once it is known.
    pub q: Option<f32>,
    /// `true` if simulating the action can change the result: it is neither proved, nor proved
    /// worse than another action.
    pub open: bool,
}

/// Computes `logit + sigma(completed q)` of each action into `scores`. `value` is the node's own
/// evaluation.
pub(super) fn improved_logits(candidates: &[Candidate], value: f32, scale: Scale, scores: &mut Vec<f32>) {
    let most = candidates.iter().map(|c| c.visits).max().unwrap_or(0);
    let factor = (scale.c_visit + most as f32) * scale.c_scale;
    let missing = mixed_value(candidates, value);
    scores.clear();
    scores.extend(candidates.iter().map(|c| c.logit + factor * c.q.unwrap_or(missing)));
}

/// Returns the value used for actions without a known value (Danihelka et al. 2022, equation 33):
/// the node's evaluation, mixed with the prior-weighted mean of the known actions as visits grow.
fn mixed_value(candidates: &[Candidate], value: f32) -> f32 {
    let largest = candidates.iter().map(|c| c.logit).fold(f32::NEG_INFINITY, larger);
    let (mut weight, mut sum, mut visits) = (0.0, 0.0, 0);
    for candidate in candidates {
        let Some(q) = candidate.q else { continue };
        let prior = exp(candidate.logit - largest);
        weight += prior;
        sum += prior * q;
        visits += candidate.visits;
    }
    if weight == 0.0 { value } else { (value + visits as f32 * sum / weight) / (1 + visits) as f32 }
}

/// Turns scores into probabilities in place.
pub(super) fn softmax(scores: &mut [f32]) {
    let largest = scores.iter().copied().fold(f32::NEG_INFINITY, larger);
    // In a loop of its own, which is vectorized.
    scores.iter_mut().for_each(|score| *score = exp(*score - largest));
    let sum: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
}

/// Returns the action to simulate next among those that are open. `value` is the node's own
/// evaluation, and `scores` is scratch memory.
pub(super) fn select(candidates: &[Candidate], value: f32, settings: &Settings, scores: &mut Vec<f32>) -> usize {
    match settings.selection {
        Selection::Puct { exploration } => puct_scores(candidates, value, exploration, scores),
        Selection::Gumbel => shortfalls(candidates, value, settings.scale, scores),
    }
    for (score, candidate) in scores.iter_mut().zip(candidates) {
        if !candidate.open {
            *score = f32::NEG_INFINITY;
        }
    }
    largest(scores.iter().copied()).unwrap_or(0)
}

/// Computes the scores of PUCT (see [`Selection::Puct`]).
fn puct_scores(candidates: &[Candidate], value: f32, exploration: f32, scores: &mut Vec<f32>) {
    let missing = mixed_value(candidates, value);
    scores.clear();
    scores.extend(candidates.iter().map(|c| c.logit));
    softmax(scores);
    let total: u32 = candidates.iter().map(|c| c.visits).sum();
    let factor = exploration * ((1 + total) as f32).sqrt();
    for (score, candidate) in scores.iter_mut().zip(candidates) {
        *score = candidate.q.unwrap_or(missing) + factor * *score / (1 + candidate.visits) as f32;
    }
}

/// Computes the amount by which each action's share of the visits falls short of the improved
/// policy (Danihelka et al. 2022, equation 14). Visits then follow the policy as closely as whole
/// numbers can.
fn shortfalls(candidates: &[Candidate], value: f32, scale: Scale, scores: &mut Vec<f32>) {
    improved_logits(candidates, value, scale, scores);
    softmax(scores);
    let total: u32 = candidates.iter().map(|c| c.visits).sum();
    for (score, candidate) in scores.iter_mut().zip(candidates) {
        *score -= candidate.visits as f32 / (1 + total) as f32;
    }
}

/// Returns the index of the largest score, and the first of equal ones.
pub(super) fn largest(scores: impl Iterator<Item = f32>) -> Option<usize> {
    let mut best: Option<(usize, f32)> = None;
    for (index, score) in scores.enumerate() {
        if best.is_none_or(|(_, top)| score > top) {
            best = Some((index, score));
        }
    }
    best.map(|(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCALE: Scale = Scale { c_visit: 50.0, c_scale: 0.1 };

    fn candidate(logit: f32, visits: u32, q: Option<f32>) -> Candidate {
        Candidate { logit, visits, q, open: true }
    }

    /// Computed by hand: priors of 1/2 each, one action with the value 0.4 after 3 visits, and a
    /// node value of 0.
    #[test]
    fn unknown_actions_get_the_mixed_value() {
        let candidates = [candidate(0.0, 3, Some(0.4)), candidate(0.0, 0, None)];
        assert!((mixed_value(&candidates, 0.0) - 0.3).abs() < 1e-6);
        let mut scores = Vec::new();
        improved_logits(&candidates, 0.0, SCALE, &mut scores);
        assert!((scores[0] - 53.0 * 0.1 * 0.4).abs() < 1e-5);
        assert!((scores[1] - 53.0 * 0.1 * 0.3).abs() < 1e-5);
    }

    #[test]
    fn visits_follow_the_improved_policy() {
        // With equal Q-values the improved policy is the prior, 3/4 to 1/4.
        let settings = Settings { selection: Selection::Gumbel, scale: SCALE, ..Settings::default() };
        assert!(visits_of_400(&settings)[0].abs_diff(300) <= 1);
    }

    /// With equal Q-values a PUCT score is largest where `(1 + visits) / prior` is smallest.
    #[test]
    fn puct_visits_follow_the_prior_where_values_are_equal() {
        let settings = Settings { selection: Selection::Puct { exploration: 0.3 }, ..Settings::default() };
        assert!(visits_of_400(&settings)[0].abs_diff(300) <= 1);
    }

    /// Returns the visits of two actions with equal Q-values and priors of 3/4 and 1/4 after 400
    /// simulations.
    fn visits_of_400(settings: &Settings) -> [u32; 2] {
        let mut candidates = [candidate(3f32.ln(), 0, Some(0.2)), candidate(0.0, 0, Some(0.2))];
        let mut scores = Vec::new();
        for _ in 0..400 {
            let index = select(&candidates, 0.2, settings, &mut scores);
            candidates[index].visits += 1;
        }
        candidates.map(|c| c.visits)
    }

    /// Computed by hand, with priors of 1/2 each and an exploration of 1. In the second case the
    /// mixed value (9 * 0.1 + 0) / 10 is used for the unknown value.
    #[test]
    fn puct_scores_worked_by_hand() {
        let mut scores = Vec::new();
        puct_scores(&[candidate(0.0, 8, Some(0.1)), candidate(0.0, 2, Some(0.2))], 0.0, 1.0, &mut scores);
        let root = 11f32.sqrt();
        assert!((scores[0] - (0.1 + 0.5 * root / 9.0)).abs() < 1e-6);
        assert!((scores[1] - (0.2 + 0.5 * root / 3.0)).abs() < 1e-6);
        puct_scores(&[candidate(0.0, 9, Some(0.1)), candidate(0.0, 0, None)], 0.0, 1.0, &mut scores);
        assert!((scores[1] - (0.09 + 0.5 * 10f32.sqrt())).abs() < 1e-6);
    }

    #[test]
    fn closed_actions_are_not_selected() {
        for selection in [Selection::Gumbel, Selection::Puct { exploration: 0.3 }] {
            let closed = Candidate { open: false, ..candidate(9.0, 0, Some(0.9)) };
            let settings = Settings { selection, scale: SCALE, ..Settings::default() };
            assert_eq!(select(&[closed, candidate(0.0, 50, Some(-0.9))], 0.0, &settings, &mut Vec::new()), 1);
        }
    }
}
