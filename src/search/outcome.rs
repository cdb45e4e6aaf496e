//! The result of a search.

use crate::board::{Edge, Edges, State};
use crate::solver::Bounds;

/// The meaning of an action at the root.
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
    /// The edge that begins the choice in a state.
    pub fn first_edge(self, state: State) -> Option<Edge> {
        match self {
            Choice::Draw(edges) => edges.lowest(),
            Choice::TakeAll => state.capturing_edge(),
            Choice::KeepControl => state.control_edge(),
        }
    }
}

/// One action at the root after a search.
#[derive(Clone, Copy, Debug)]
pub struct RootAction {
    /// What it is.
    pub choice: Choice,
    /// The evaluation's probability.
    pub prior: f32,
    /// Simulations that went through it.
    pub visits: u32,
    /// The improved policy's probability.
    pub policy: f32,
    /// Its value for the player to move, in utility.
    pub q: Option<f32>,
    /// Proved bounds of the margin still to come when it is chosen.
    pub bounds: Bounds,
    /// Whether the root is settled and this action proved to be worth as much.
    pub is_proved: bool,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Every action of the root.
    pub actions: Vec<RootAction>,
    /// Index of the action to play.
    pub chosen: usize,
    /// The root's value after the search, in utility.
    pub value: f32,
    /// Proved bounds of the margin still to come.
    pub bounds: Bounds,
    /// Expected margin still to come by the root's own evaluation (exact when settled without one).
    pub raw_margin: f32,
    /// Simulations run.
    pub simulations: usize,
}

impl Outcome {
    /// The exact margin still to come, when the search proved it.
    pub fn margin(&self) -> Option<i32> {
        self.bounds.margin()
    }

    /// How far the improved policy is from the prior: their Kullback-Leibler divergence in nats.
    pub fn surprise(&self) -> f32 {
        let of = |action: &RootAction| action.policy * (action.policy / action.prior.max(1e-6)).ln();
        self.actions.iter().filter(|action| action.policy > 0.0).map(of).sum::<f32>().max(0.0)
    }

    /// The choice to play.
    pub fn choice(&self) -> Choice {
        self.actions[self.chosen].choice
    }
}
