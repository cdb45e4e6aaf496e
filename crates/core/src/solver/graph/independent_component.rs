//! Chains and loops that hang on no joint.

use crate::board::Edge;

/// A chain or loop that hangs on no joint.
pub(crate) struct IndependentComponent {
    /// One of its edges.
    pub edge: Edge,
    /// The number of its boxes.
    pub length: usize,
    pub is_loop: bool,
}
