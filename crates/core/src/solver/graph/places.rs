//! The places of a graph: the numbers that joints and strings have.

/// The number of places for joints in a graph: the boxes of 5x5, the largest number that a board of
/// at most [`STRING_PLACES`] edges has.
pub(crate) const JOINT_PLACES: usize = 25;

/// The number of places for strings in a graph: the bits of a word.
pub(crate) const STRING_PLACES: usize = 64;

/// A bit for each place of a joint.
pub(crate) const JOINTS: u32 = (1 << JOINT_PLACES) - 1;
