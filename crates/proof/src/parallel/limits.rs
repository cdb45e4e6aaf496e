//! The limits of a solve.

use std::time::Instant;

/// The limits at which a solve ends.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest number of nodes of all workers together.
    pub nodes: u64,
    /// The time at which the solve ends.
    pub deadline: Option<Instant>,
}

impl Limits {
    /// No limits.
    pub const NONE: Limits = Limits { nodes: u64::MAX, deadline: None };

    /// Returns the limits that are left after `nodes` nodes.
    pub fn after(self, nodes: u64) -> Limits {
        // An absent limit stays absent.
        let left = if self.nodes < u64::MAX { self.nodes.saturating_sub(nodes) } else { u64::MAX };
        Limits { nodes: left, ..self }
    }

    /// Returns `true` if nothing is left of one of them.
    pub fn are_used_up(&self) -> bool {
        self.nodes == 0 || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Returns `true` if there is a limit.
    pub(super) fn are_set(&self) -> bool {
        self.nodes < u64::MAX || self.deadline.is_some()
    }

    /// Returns `true` if the deadline has passed at this time.
    pub(super) fn is_late(&self, now: Instant) -> bool {
        self.deadline.is_some_and(|deadline| now >= deadline)
    }
}
