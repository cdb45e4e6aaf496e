//! The limits of a solve.

use std::time::Instant;

/// The limits at which a solve gives up.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Nodes of all workers together.
    pub nodes: u64,
    /// The time to end at.
    pub deadline: Option<Instant>,
}

impl Limits {
    /// No limit at all.
    pub const NONE: Limits = Limits { nodes: u64::MAX, deadline: None };

    /// The limits that are left when so many nodes are spent.
    pub fn after(self, nodes: u64) -> Limits {
        // No limit stays none.
        let left = if self.nodes < u64::MAX { self.nodes.saturating_sub(nodes) } else { u64::MAX };
        Limits { nodes: left, ..self }
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
