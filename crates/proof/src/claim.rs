//! Claims: what a proof says of positions.

use std::fmt;

use doublecross_core::board::State;
use doublecross_core::solver::Bounds;

/// A claim about the margin of the player to move in a state: that it is at least, or less than, a
/// target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Claim {
    /// The state.
    pub state: State,
    /// The target.
    pub target: i32,
    /// `true` if the claim is that the margin is at least the target, `false` if that it is less.
    pub is_reached: bool,
}

impl Claim {
    /// Creates the claim that a margin is at least this.
    pub fn at_least(state: State, margin: i32) -> Claim {
        Claim { state, target: margin, is_reached: true }
    }

    /// Creates the claim that a margin is at most this.
    pub fn at_most(state: State, margin: i32) -> Claim {
        Claim { state, target: margin + 1, is_reached: false }
    }

    /// Returns `true` if the claim follows from bounds, `false` if its opposite does, and `None` if
    /// neither does.
    pub fn follows_from(&self, bounds: Bounds) -> Option<bool> {
        let reached = match self.target {
            target if bounds.lower >= target => true,
            target if bounds.upper < target => false,
            _ => return None,
        };
        Some(reached == self.is_reached)
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_reached {
            true => write!(f, "{} is at least {}", self.state, self.target),
            false => write!(f, "{} is at most {}", self.state, self.target - 1),
        }
    }
}
