//! Queries about any state, with boxes on offer resolved, within one budget of nodes.

use crate::board::{Edges, State};

use super::alpha_beta::Interrupted;
use super::graph::{PlainKey, SymmetricKey};
use super::graph_query::GraphQuery;
use super::{Bounds, MoveQuestion};

/// A query in progress. All questions that it consists of share one budget.
pub(super) struct StateQuery<'a> {
    form: Form,
    query: GraphQuery<'a>,
}

/// The form in which positions are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Graphs that are looked up as they are.
    Plain,
    /// Graphs that are looked up under this many symmetries: 4 or 8.
    Symmetric(usize),
    /// Not at all: the position has more joints or strings than a graph has places.
    TooLarge,
}

impl<'a> StateQuery<'a> {
    pub fn new(form: Form, query: GraphQuery<'a>) -> StateQuery<'a> {
        StateQuery { form, query }
    }

    /// Sets the number of nodes that the query may take in all.
    pub fn set_limit(&mut self, limit: u64) {
        self.query.set_limit(limit);
    }

    /// Searches for the value of any state from `guess`. Returns the bounds proved if the budget
    /// ends first.
    pub fn value(&mut self, state: State, guess: i32) -> Result<i32, Bounds> {
        let offer = state.offer();
        match self.rest_value(offer.rest, guess - offer.taken) {
            Ok(rest) => Ok(offer.margin(rest)),
            Err(bounds) => Err(offer.bounds(bounds)),
        }
    }

    /// Returns `true` if the value of any state is at least `target`.
    pub fn reaches(&mut self, state: State, target: i32) -> Result<bool, Interrupted> {
        let offer = state.offer();
        let take_all = target - offer.taken;
        if self.rest_bound(offer.rest, take_all)? >= take_all {
            return Ok(true);
        }
        let Some(price) = offer.price else { return Ok(false) };
        // Keeping control reaches the target if taken - price - V(rest) >= target.
        let limit = offer.taken - price - target + 1;
        Ok(self.rest_bound(offer.rest, limit)? < limit)
    }

    /// Returns the undrawn edges after which the player to move still gets `margin`, the state's
    /// value.
    pub fn edges_worth(&mut self, state: State, margin: i32) -> Result<Edges, Interrupted> {
        let mut best = Edges::EMPTY;
        for equivalent in state.equivalent_edges() {
            if self.reaches_after(state, equivalent, margin)? {
                best = best.union(equivalent);
            }
        }
        Ok(best)
    }

    /// Returns the undrawn edges after which the player to move is proved to get at least `target`,
    /// as far as the budget allows.
    pub fn edges_reaching(&mut self, state: State, target: i32) -> Edges {
        let groups = state.equivalent_edges().into_iter();
        groups
            .filter(|&group| self.reaches_after(state, group, target).unwrap_or(false))
            .fold(Edges::EMPTY, Edges::union)
    }

    /// Returns `true` if the player to move gets at least `margin` after any of these equivalent
    /// edges.
    fn reaches_after(&mut self, state: State, equivalent: Edges, margin: i32) -> Result<bool, Interrupted> {
        let Some(edge) = equivalent.lowest() else { return Ok(false) };
        let MoveQuestion { target, wanted } = MoveQuestion::new(state.captures(edge), margin);
        Ok(self.reaches(state.after(edge), target)? == wanted)
    }

    /// Searches for the value of a capture-free state from `guess`. Returns the bounds proved if
    /// the budget ends first.
    fn rest_value(&mut self, state: State, guess: i32) -> Result<i32, Bounds> {
        match self.form {
            Form::Plain => self.query.value::<PlainKey>(state, guess),
            Form::Symmetric(4) => self.query.value::<SymmetricKey<4>>(state, guess),
            Form::Symmetric(_) => self.query.value::<SymmetricKey<8>>(state, guess),
            Form::TooLarge => Err(Bounds::of_state(state)),
        }
    }

    /// Returns a bound of the value of a capture-free state: a lower bound if it is at least
    /// `target`, otherwise an upper bound.
    fn rest_bound(&mut self, state: State, target: i32) -> Result<i32, Interrupted> {
        match self.form {
            Form::Plain => self.query.bound::<PlainKey>(state, target),
            Form::Symmetric(4) => self.query.bound::<SymmetricKey<4>>(state, target),
            Form::Symmetric(_) => self.query.bound::<SymmetricKey<8>>(state, target),
            // What the number of open boxes settles needs no search.
            Form::TooLarge => match state.open_boxes() as i32 {
                boxes if target > boxes => Ok(boxes),
                boxes if target <= -boxes => Ok(-boxes),
                _ => Err(Interrupted),
            },
        }
    }
}
