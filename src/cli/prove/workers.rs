//! Workers on other machines that prove for `doublecross prove`.

use std::sync::atomic::AtomicBool;

use doublecross_core::board::State;
use doublecross_core::solver::Bounds;
use doublecross_proof::ProofLog;

use crate::cli::Failure;

/// Workers that prove together.
pub(crate) trait Workers {
    /// Proves a question: a position, a margin that it may have at least, and the number of nodes from
    /// which a result is logged. Returns the bounds that are proved and the nodes that they took.
    fn prove(
        &self,
        log: &mut ProofLog,
        question: (State, Option<i32>, u64),
        stop: &AtomicBool,
    ) -> Result<(Bounds, u64), Failure>;
}
