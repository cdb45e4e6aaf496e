//! Lemmas from logs, merged.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;

use thiserror::Error;

use doublecross_core::board::{Board, State};
use doublecross_core::solver::{Book, BookError, Bounds, Lemma};

use super::Claim;

/// The place of a lemma.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The name of the log.
    pub log: std::sync::Arc<str>,
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}", self.log, self.line)
    }
}

/// The error of two lemmas of which at least one is false.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{state} is at least {lower} by {lower_origin}, and at most {upper} by {upper_origin}; one of them is false: \
     prove this position in a log of its own, and remove from the other logs what contradicts that"
)]
pub struct Contradiction {
    /// The position of both.
    pub state: State,
    /// The lower bound.
    pub lower: i32,
    /// The place of the lemma with the lower bound.
    pub lower_origin: Origin,
    /// The upper bound.
    pub upper: i32,
    /// The place of the lemma with the upper bound.
    pub upper_origin: Origin,
}

/// The bounds of one position.
#[derive(Clone, Debug)]
struct Entry {
    bounds: Bounds,
    /// The nodes of the dearest lemma.
    nodes: u64,
    lower: Bound,
    upper: Bound,
}

/// The lemmas that a bound is from.
#[derive(Clone, Debug)]
struct Bound {
    /// The place of the first one.
    origin: Origin,
    /// The nodes of the dearest one.
    nodes: u64,
}

impl Bound {
    /// Takes note of a lemma whose bound is closer than this one, the same, or wider.
    fn hear(&mut self, closeness: Ordering, origin: &Origin, nodes: u64) {
        match closeness {
            Ordering::Greater => *self = Bound { origin: origin.clone(), nodes },
            Ordering::Equal => self.nodes = self.nodes.max(nodes),
            Ordering::Less => {}
        }
    }
}

/// Lemmas of one board by their positions, which symmetries and corner twins make the same.
#[derive(Clone, Debug)]
pub struct LemmaSet {
    board: Board,
    entries: HashMap<State, Entry>,
}

impl LemmaSet {
    /// Creates an empty set.
    pub fn new(board: Board) -> LemmaSet {
        LemmaSet { board, entries: HashMap::new() }
    }

    /// Returns the board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns `true` if there are no positions.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns what is known of a capture-free state.
    pub fn get(&self, state: State) -> Option<Lemma> {
        let state = state.canonical().0;
        self.entries.get(&state).map(|entry| Lemma { state, bounds: entry.bounds, nodes: entry.nodes })
    }

    /// Returns the nodes that the lemmas which make a claim about a capture-free state state, 0 if
    /// they state none, or `None` if no lemma makes the claim.
    pub fn stated_nodes(&self, claim: Claim) -> Option<u64> {
        let entry = self.entries.get(&claim.state.canonical().0)?;
        let bound = if claim.is_reached { &entry.lower } else { &entry.upper };
        (claim.follows_from(entry.bounds)?).then_some(bound.nodes)
    }

    /// Returns what is known of the margin in a capture-free state, by its lemma and by the number of
    /// open boxes.
    pub fn bounds(&self, state: State) -> Bounds {
        let all = Bounds::of_state(state);
        self.get(state).map_or(all, |lemma| lemma.bounds.intersect(all))
    }

    /// Returns what is known of the margin in any state: boxes on offer are resolved first.
    pub fn bounds_of_any(&self, state: State) -> Bounds {
        let offer = state.offer();
        offer.bounds(self.bounds(offer.rest)).intersect(Bounds::of_state(state))
    }

    /// Returns the lemmas, one for each position, in the order of their work, the most first.
    pub fn by_work(&self) -> Vec<Lemma> {
        let lemma = |(&state, entry): (&State, &Entry)| Lemma { state, bounds: entry.bounds, nodes: entry.nodes };
        let mut lemmas: Vec<Lemma> = self.entries.iter().map(lemma).collect();
        lemmas.sort_by_key(|lemma| (std::cmp::Reverse(lemma.nodes), lemma.state.drawn()));
        lemmas
    }

    /// Returns a book of the lemmas.
    ///
    /// # Errors
    /// Returns an error if a lemma's state has boxes on offer, or its bounds are none of a margin.
    /// A log has no such lemmas.
    pub fn to_book(&self) -> Result<Book, BookError> {
        Book::new(self.board, self.by_work())
    }

    /// Adds a lemma, and returns `true` if it says more than what was known.
    ///
    /// # Errors
    /// Returns an error if it contradicts what is known. The set is left as it was.
    ///
    /// # Panics
    /// Panics if the lemma is of another board.
    pub fn add(&mut self, lemma: &Lemma, origin: &Origin) -> Result<bool, Contradiction> {
        assert!(lemma.state.board() == self.board, "{} is not a state of the {} board", lemma.state, self.board);
        let state = lemma.state.canonical().0;
        let none = || Bound { origin: origin.clone(), nodes: 0 };
        let entry = self.entries.entry(state).or_insert_with(|| Entry {
            bounds: Bounds::of_state(state),
            nodes: 0,
            lower: none(),
            upper: none(),
        });
        let Bounds { lower, upper } = entry.bounds;
        let bounds = lemma.bounds.intersect(entry.bounds);
        if bounds.lower > bounds.upper {
            let is_lower = lemma.bounds.lower > upper;
            let (old, new) = (if is_lower { &entry.upper } else { &entry.lower }.origin.clone(), origin.clone());
            let (lower_origin, upper_origin) = if is_lower { (new, old) } else { (old, new) };
            let Bounds { lower, upper } = bounds;
            return Err(Contradiction { state, lower, lower_origin, upper, upper_origin });
        }
        entry.lower.hear(lemma.bounds.lower.cmp(&lower), origin, lemma.nodes);
        entry.upper.hear(upper.cmp(&lemma.bounds.upper), origin, lemma.nodes);
        let is_news = bounds != entry.bounds;
        entry.bounds = bounds;
        entry.nodes = entry.nodes.max(lemma.nodes);
        Ok(is_news)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lemmas_are_merged_and_contradictions_name_both() {
        let board = Board::new(2, 2).unwrap();
        let origin = |line| Origin { log: "a.log".into(), line };
        let mut set = LemmaSet::new(board);
        let lemma = |text: &str, lower, upper| Lemma {
            state: text.parse().unwrap(),
            bounds: Bounds::new(lower, upper),
            nodes: 7,
        };
        assert_eq!(set.add(&lemma("2x2:0x1", -4, 0), &origin(1)), Ok(true));
        // The other edge of the corner, and a mirror image.
        assert_eq!(set.add(&lemma("2x2:0x40", -2, 4), &origin(2)), Ok(true));
        assert_eq!(set.add(&lemma("2x2:0x2", -2, 2), &origin(3)), Ok(false));
        assert_eq!(set.len(), 1);
        assert_eq!(set.get("2x2:0x10".parse().unwrap()).unwrap().bounds, Bounds::new(-2, 0));
        let error = set.add(&lemma("2x2:0x1", 2, 4), &origin(4)).unwrap_err();
        assert_eq!((error.state, error.lower, error.upper), ("2x2:0x1".parse().unwrap(), 2, 0));
        assert_eq!((&error.lower_origin, &error.upper_origin), (&origin(4), &origin(1)));
        let error = set.add(&lemma("2x2:0x1", -4, -4), &origin(5)).unwrap_err();
        assert_eq!((error.lower_origin, error.upper_origin), (origin(2), origin(5)));
        assert_eq!(set.by_work()[0].bounds, Bounds::new(-2, 0));
    }

    /// The nodes of a lemma say nothing about a bound that it does not have.
    #[test]
    fn work_is_stated_for_each_bound() {
        let origin = Origin { log: "a.log".into(), line: 1 };
        let state: State = "2x2:0x1".parse().unwrap();
        let mut set = LemmaSet::new(state.board());
        for (lower, upper, nodes) in [(-4, 0, 7), (-2, -2, 0), (-4, 0, 9), (-4, -2, 3), (-4, -2, 2)] {
            set.add(&Lemma { state, bounds: Bounds::new(lower, upper), nodes }, &origin).unwrap();
        }
        let stated = |claim| set.stated_nodes(claim);
        assert_eq!(stated(Claim::at_least(state, -2)), Some(0));
        assert_eq!((stated(Claim::at_most(state, -2)), stated(Claim::at_most(state, 0))), (Some(3), Some(3)));
        assert_eq!(
            (stated(Claim::at_least(state, 0)), stated(Claim::at_least("2x2".parse().unwrap(), 0))),
            (None, None)
        );
        assert_eq!(set.get(state).unwrap().nodes, 9);
    }
}
