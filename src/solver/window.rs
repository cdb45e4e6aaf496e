//! What is known of a margin, and what to ask next.

/// Bounds of a position's margin while they close in. Margins have the parity of the open boxes, and so have the bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The margin is at least this.
    pub lower: i32,
    /// The margin is at most this.
    pub upper: i32,
}

impl Window {
    /// All that a position with this many open boxes leaves possible.
    pub fn new(boxes: i32) -> Window {
        Window { lower: -boxes, upper: boxes }
    }

    /// Whether the margin is known.
    pub fn is_closed(self) -> bool {
        self.lower >= self.upper
    }

    /// The question «at least this?» nearest to the guess that is still open.
    pub fn next(self, guess: i32) -> i32 {
        let guess = (guess + ((guess ^ self.lower) & 1)).clamp(self.lower, self.upper);
        if guess == self.lower { guess + 2 } else { guess }
    }

    /// Takes in an answer to «at least `target`?»: a lower bound when that is so, else an upper one.
    pub fn narrow(&mut self, target: i32, bound: i32) {
        let odd = (bound ^ self.lower) & 1;
        if bound >= target {
            self.lower = bound + odd;
        } else {
            self.upper = bound - odd;
        }
    }
}
