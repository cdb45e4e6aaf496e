//! Workers on other machines that prove for `doublecross prove`.

use std::sync::atomic::AtomicBool;

use doublecross_core::board::State;
use doublecross_core::solver::Bounds;
use doublecross_proof::{Assumption, ProofLog};

use crate::cli::Failure;

/// The results of workers.
pub(crate) struct Found {
    /// Bounds that follow from the log.
    pub bounds: Bounds,
    /// The nodes that they took.
    pub nodes: u64,
    /// The claims that the bounds follow from, and that were not proved again.
    pub assumed: Vec<Assumption>,
    /// Those among them that count as false until they are solved.
    pub understated: Vec<Assumption>,
}

/// Workers that prove together.
pub(crate) trait Workers {
    /// Proves a question: a position, a margin that it may have at least, and the number of nodes from
    /// which a result is logged.
    fn prove(
        &self,
        log: &mut ProofLog,
        question: (State, Option<i32>, u64),
        stop: &AtomicBool,
    ) -> Result<Found, Failure>;
}
