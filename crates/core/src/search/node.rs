//! Nodes and actions of the tree.

use crate::board::{Offer, State};
use crate::solver::Bounds;

use super::Choice;

/// The index of a node in its tree.
pub(super) type NodeId = u32;

/// A capture-free state, or an answer to an opened chain, with its statistics.
pub(super) struct Node {
    /// The boxes that the player to move owns less those of the opponent.
    pub lead: i32,
    /// Proved bounds of the margin still to come for the player to move.
    pub bounds: Bounds,
    /// The node's own evaluation, in utility.
    pub value: f32,
    /// The sum of the values of its simulations, in utility.
    pub sum: f32,
    /// The number of its simulations.
    pub visits: u32,
    /// The index of its first action.
    pub first_action: u32,
    /// The number of its actions, which are adjacent.
    pub action_count: u32,
}

/// The position that an action leads to.
#[derive(Clone, Copy)]
pub(super) enum Target {
    /// A capture-free state.
    State(State),
    /// The opponent's answer to this offer: take all, or keep control.
    Answer(Offer),
}

/// The move of an action, stored apart from the action, whose numbers every selection reads.
pub(super) struct Move {
    pub choice: Choice,
    pub target: Target,
}

/// The numbers of an edge of the tree.
pub(super) struct Action {
    pub logit: f32,
    pub visits: u32,
    pub child: Option<NodeId>,
    /// The margin that the player who chooses the action gains on the way, in boxes.
    pub gain: i32,
    /// `true` if the same player is to move in the child.
    pub keeps_turn: bool,
    /// The number of boxes that are still open in the child.
    pub open: i32,
}

impl Action {
    /// Returns the sign that turns a value of the child into a value for the player who chooses the
    /// action.
    pub fn sign(&self) -> f32 {
        if self.keeps_turn { 1.0 } else { -1.0 }
    }

    /// Returns the child's bounds for the player who chooses the action.
    pub fn bounds_after(&self, bounds: Bounds) -> Bounds {
        let bounds = if self.keeps_turn { bounds } else { bounds.negate() };
        bounds.shift(self.gain)
    }

    /// Returns the lead of the player to move in the child.
    pub fn lead_after(&self, lead: i32) -> i32 {
        if self.keeps_turn { lead + self.gain } else { -(lead + self.gain) }
    }
}
