//! Facts about a position that are known without a search.

use super::Bounds;

/// The facts known about a position without a search, for the question "is the margin at least
/// `target`?".
pub(super) enum Known {
    /// A bound that settles the question.
    Bound(i32),
    /// Only independent chains and loops are left, so the closed form gives the margin.
    ClosedForm,
    /// Bounds that leave the question open.
    Open(Bounds),
}

impl Known {
    /// Returns the facts that follow from bounds.
    #[inline]
    pub fn from_bounds(bounds: Bounds, target: i32) -> Known {
        match bounds {
            Bounds { lower, .. } if lower >= target => Known::Bound(lower),
            Bounds { upper, .. } if upper < target => Known::Bound(upper),
            open => Known::Open(open),
        }
    }
}
