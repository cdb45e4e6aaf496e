//! The goal of a proof: a position, and the bound of its margin that is to be proved.

use serde_json::{Map, Value, json};

use crate::cli::Failure;
use crate::cli::solve::answer::OUT_OF_REACH;
use doublecross_core::board::State;
use doublecross_core::solver::{Bounds, Solver};
use doublecross_proof::Claim;

/// Parses a margin, which may be negative.
pub(crate) fn parse_margin(text: &str) -> Result<i32, String> {
    text.parse().map_err(|_| "expected a margin in boxes, as in -3".into())
}

/// Returns a position and bounds of its margin in words.
pub(crate) fn words_of_margin(state: State, bounds: Bounds) -> String {
    let Bounds { lower, upper } = bounds;
    match bounds.margin() {
        Some(margin) => format!("{state}: margin {margin:+}"),
        None => format!("{state}: margin {lower:+} to {upper:+}"),
    }
}

/// A position, and the bound of its margin that is to be proved.
#[derive(Clone, Copy)]
pub(crate) struct Goal {
    pub state: State,
    /// The bound, or `None` if the margin itself is to be proved.
    bound: Option<AskedBound>,
}

/// A bound of a margin.
#[derive(Clone, Copy)]
struct AskedBound {
    margin: i32,
    /// `true` if the question is whether the margin is at most this, `false` for at least.
    is_at_most: bool,
}

impl Goal {
    /// Returns the goal of the command line.
    ///
    /// # Errors
    /// Returns an error if the position is out of the solver's reach, or if its margin cannot be as
    /// asked.
    pub fn new(state: State, at_least: Option<i32>, at_most: Option<i32>) -> Result<Goal, Failure> {
        if !Solver::is_in_reach(state) {
            return Err(Failure::input(anyhow::anyhow!("{state} is {OUT_OF_REACH}")));
        }
        let is_at_most = at_least.is_none();
        let Some(margin) = at_least.or(at_most) else { return Ok(Goal { state, bound: None }) };
        let Bounds { lower, upper } = Bounds::of_state(state);
        if !(lower..=upper).contains(&margin) {
            let error = anyhow::anyhow!("{margin}: {state} has a margin from {lower} to {upper} in any case");
            return Err(Failure::input(error));
        }
        // Margins have the parity of the bounds.
        let odd = (margin ^ lower) & 1;
        let margin = if is_at_most { margin - odd } else { margin + odd };
        Ok(Goal { state, bound: Some(AskedBound { margin, is_at_most }) })
    }

    /// Returns the margin for which the solver is asked if it is reached, if only one bound is to be
    /// proved.
    pub fn target(self) -> Option<i32> {
        self.bound.map(|bound| if bound.is_at_most { bound.margin + 2 } else { bound.margin })
    }

    /// Returns `true` if the bound is known of every position with as many boxes.
    pub fn is_trivial(self) -> bool {
        self.answer(Bounds::of_state(self.state)).is_some()
    }

    /// Returns the answer to the question for the bound, if there is one and these bounds give it.
    fn answer(self, bounds: Bounds) -> Option<bool> {
        let AskedBound { margin, is_at_most } = self.bound?;
        let claim = if is_at_most { Claim::at_most(self.state, margin) } else { Claim::at_least(self.state, margin) };
        claim.follows_from(bounds)
    }

    /// Returns what bounds say about the goal, as fields of a JSON object.
    pub fn fields(self, bounds: Bounds) -> Map<String, Value> {
        let Bounds { lower, upper } = bounds;
        let mut fields = Map::new();
        let mut put = |name: &str, value: Value| drop(fields.insert(name.into(), value));
        put("position", json!(self.state.to_string()));
        put("settled", json!(lower == upper));
        put("margin", json!(bounds.margin()));
        put("lower", json!(lower));
        put("upper", json!(upper));
        if let Some(AskedBound { margin, is_at_most }) = self.bound {
            let name = if is_at_most { "at_most" } else { "at_least" };
            put("question", json!({ name: margin, "answer": self.answer(bounds) }));
        }
        fields
    }

    /// Returns what bounds say about the goal, in words: a line for the question, if there is one,
    /// and the margin.
    pub fn words(self, bounds: Bounds) -> String {
        let state = self.state;
        let value = words_of_margin(state, bounds);
        let Some(AskedBound { margin, is_at_most }) = self.bound else { return value };
        let name = if is_at_most { "at most" } else { "at least" };
        let answer = match self.answer(bounds) {
            Some(true) => "yes",
            Some(false) => "no",
            None => "not known yet",
        };
        format!("{state}: {name} {margin:+}? {answer}\n{value}")
    }
}
