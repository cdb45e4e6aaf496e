//! The outcome of a search.

use crate::board::{Edge, Edges, State};
use crate::float::{larger, ln};
use crate::solver::Bounds;

/// The choice that an action at the root stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Draw any one of these interchangeable edges.
    Draw(Edges),
    /// Take every box on offer.
    TakeAll,
    /// Leave the last boxes of a run to the opponent, who then has to move.
    KeepControl,
}

impl Choice {
    /// Returns the first edge of the choice in a state.
    pub fn first_edge(self, state: State) -> Option<Edge> {
        match self {
            Choice::Draw(edges) => edges.lowest(),
            Choice::TakeAll => state.capturing_edge(),
            Choice::KeepControl => state.control_edge(),
        }
    }
}

/// An action at the root after a search.
#[derive(Clone, Copy, Debug)]
pub struct RootAction {
    /// The choice that the action stands for.
    pub choice: Choice,
    /// The probability by the evaluation.
    pub prior: f32,
    /// The number of simulations that passed through the action.
    pub visits: u32,
    /// The probability by the improved policy.
    pub policy: f32,
    /// The value for the player to move, in utility. `None` if the action was never tried.
    pub q: Option<f32>,
    /// Proved bounds of the margin still to come after the action.
    pub bounds: Bounds,
    /// `true` if the root is settled and the action is proved to be worth as much as the root.
    pub is_proved: bool,
}

/// The outcome of a search.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// All actions of the root.
    pub actions: Vec<RootAction>,
    /// The index of the action to play.
    pub chosen: usize,
    /// The value of the root after the search, in utility.
    pub value: f32,
    /// Proved bounds of the margin still to come.
    pub bounds: Bounds,
    /// The expected margin still to come by the evaluation of the root, without the search. Exact
    /// if the root was settled without an evaluation.
    pub raw_margin: f32,
    /// The number of simulations.
    pub simulations: usize,
}

impl Outcome {
    /// Returns the exact margin still to come if the search has proved it.
    pub fn margin(&self) -> Option<i32> {
        self.bounds.margin()
    }

    /// Returns the Kullback-Leibler divergence of the improved policy from the prior, in nats.
    pub fn surprise(&self) -> f32 {
        let of = |action: &RootAction| action.policy * ln(action.policy / larger(action.prior, 1e-6));
        larger(self.actions.iter().filter(|action| action.policy > 0.0).map(of).sum(), 0.0)
    }

    /// Returns the improved policy by edge. The edges of an action share its probability evenly, and those of
    /// other choices than drawing have none. Once the margin is proved, only actions that are proved to reach
    /// it count.
    pub fn edge_policy(&self) -> Vec<(Edge, f32)> {
        let margin = self.margin();
        let reaches = |action: &&RootAction| margin.is_some_and(|margin| action.bounds.lower >= margin);
        let is_settled = self.actions.iter().any(|action| reaches(&action));
        let counted = || self.actions.iter().filter(|action| !is_settled || reaches(action));
        let all: f32 = if is_settled { counted().map(|action| action.policy).sum() } else { 1.0 };
        let even = 1.0 / larger(counted().count() as f32, 1.0);
        let mut policy = Vec::new();
        for action in counted() {
            if let Choice::Draw(edges) = action.choice {
                let share = if all > 0.0 { action.policy / all } else { even };
                policy.extend(edges.iter().map(|edge| (edge, share / edges.len() as f32)));
            }
        }
        policy
    }

    /// Returns the choice to play.
    pub fn choice(&self) -> Choice {
        self.actions[self.chosen].choice
    }
}
