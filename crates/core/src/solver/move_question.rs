//! Questions about moves, in terms of their successors.

/// A question about a successor that decides if a move reaches a margin.
#[derive(Clone, Copy, Debug)]
pub struct MoveQuestion {
    /// The target of the question about the successor: "is the margin at least this?".
    pub target: i32,
    /// The answer that means that the move reaches the margin.
    pub wanted: bool,
}

impl MoveQuestion {
    /// Creates the question that decides if a move which captures `captures` boxes gives the player
    /// who makes it a margin of at least `margin`.
    pub const fn new(captures: usize, margin: i32) -> MoveQuestion {
        match captures {
            0 => MoveQuestion { target: 1 - margin, wanted: false },
            _ => MoveQuestion { target: margin - captures as i32, wanted: true },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Bounds;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_question_decides_if_a_move_reaches_a_margin(captures in 0..3usize, rest in -9..9, margin in -12..12) {
            let MoveQuestion { target, wanted } = MoveQuestion::new(captures, margin);
            let reached = Bounds::exact(rest).after(captures).lower >= margin;
            prop_assert_eq!((rest >= target) == wanted, reached);
        }
    }
}
