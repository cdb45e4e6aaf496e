//! Random streams. Every random choice comes from a ChaCha stream with a key made of its purpose,
//! so the same seed gives the same games with any number of threads.
//!
//! The module uses [`board`](doublecross_core::board) and the crates `rand` and `rand_chacha`.

use std::ops::RangeInclusive;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use doublecross_core::board::{Board, Edge, Edges, State};

/// The purpose of a stream. Streams of different purposes are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// The initial weights of a network.
    Weights = 1,
    /// A game of self-play: its opening and its Gumbel noise.
    SelfPlay = 2,
    /// The choice of training samples to learn from, and of their symmetries.
    Learning = 3,
    /// The random opening of a pair of match games.
    Opening = 4,
    /// A position for the solver to label.
    Labeling = 5,
    /// A position of a suite that runs are scored on.
    Suite = 6,
    /// A game that puzzles are looked for in.
    Puzzles = 7,
    /// The choice of games that are played again to check them.
    Verifying = 8,
    /// The choice of claims of a proof that are solved anew.
    Claims = 9,
    /// A position of a suite that is drawn for an evaluation.
    DrawnSuite = 10,
}

/// Returns the stream of (seed, generation, game, purpose).
///
/// ```
/// use doublecross_arena::random::{Purpose, stream};
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

/// Returns a state with `count` edges drawn at random.
///
/// With `is_careful`, only safe edges are drawn, as careful players do, and drawing ends when none
/// is left.
///
/// ```
/// use doublecross_core::board::Board;
/// use doublecross_arena::random::{Purpose, random_state, stream};
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

/// Returns one of these edges, each with the same probability.
///
/// # Panics
/// Panics if the set is empty.
pub fn random_edge(edges: Edges, rng: &mut ChaCha8Rng) -> Edge {
    let index = rng.random_range(0..edges.len());
    edges.iter().nth(index).expect("the index should be within the set")
}
/// Returns a capture-free state of careful random play, with a number of undrawn edges in this
/// range.
///
/// It has more undrawn edges where safe edges run out.
pub fn careful_state(board: Board, undrawn: RangeInclusive<usize>, rng: &mut ChaCha8Rng) -> State {
    let most = (*undrawn.end()).clamp(1, board.edges());
    let undrawn = rng.random_range((*undrawn.start()).clamp(1, most)..=most);
    random_state(board, board.edges() - undrawn, true, rng)
}
