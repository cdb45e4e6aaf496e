//! The expected result of a search, which decides if successors are computed early.

/// The expected result of searching a position (Knuth and Moore, *An analysis of alpha-beta
/// pruning*, 1975).
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Expected {
    /// Some move reaches the target, perhaps the first.
    CutOff,
    /// No move reaches the target, so all are tried.
    NoCutOff,
}

impl Expected {
    /// Returns the expected result after a move, for the other player.
    #[inline]
    pub fn after(self) -> Expected {
        match self {
            Expected::CutOff => Expected::NoCutOff,
            Expected::NoCutOff => Expected::CutOff,
        }
    }
}
