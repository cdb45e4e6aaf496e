//! Random streams: every random choice comes from a ChaCha stream keyed by what it is for, so that the same seed gives
//! the same games whatever the number of threads.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::board::{Board, Edge, Edges, State};

/// The purpose of a stream. Streams of different purposes are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// The first weights of a network.
    Weights = 1,
    /// A game of self-play: its opening and its Gumbel noise.
    SelfPlay = 2,
    /// Which rows are learnt from, and under which symmetry.
    Learning = 3,
    /// The random opening of a pair of match games.
    Opening = 4,
    /// A position for the solver to label.
    Labelling = 5,
    /// A position that runs are scored on.
    Suite = 6,
}

/// The stream of (seed, generation, game, purpose).
///
/// ```
/// use doublecross::random::{Purpose, stream};
/// use rand::Rng;
/// let draw = |game| stream(7, 1, game, Purpose::SelfPlay).next_u64();
/// assert_eq!(draw(3), draw(3));
/// assert_ne!(draw(3), draw(4));
/// ```
pub fn stream(seed: u64, generation: u64, game: u64, purpose: Purpose) -> ChaCha8Rng {
    let mut key = [0; 32];
    for (bytes, word) in key.chunks_exact_mut(8).zip([seed, generation, game, purpose as u64]) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}

/// A state with so many edges drawn at random.
///
/// With `is_careful` each edge is a safe one, as careful play draws them, and drawing ends when there is none left.
///
/// ```
/// use doublecross::board::Board;
/// use doublecross::random::{Purpose, random_state, stream};
/// let board = Board::new(2, 2).unwrap();
/// let state = random_state(board, 12, true, &mut stream(1, 0, 0, Purpose::Opening));
/// assert!(state.is_capture_free());
/// ```
pub fn random_state(board: Board, count: usize, is_careful: bool, rng: &mut ChaCha8Rng) -> State {
    let mut state = State::new(board);
    for _ in 0..count {
        let choices = if is_careful { state.safe_edges() } else { state.undrawn() };
        if choices.is_empty() {
            break;
        }
        state = state.after(random_edge(choices, rng));
    }
    state
}

/// One of these edges.
///
/// # Panics
/// When there is none.
pub fn random_edge(edges: Edges, rng: &mut ChaCha8Rng) -> Edge {
    let index = rng.random_range(0..edges.len());
    edges.iter().nth(index).expect("the index should be within the set")
}
