//! The built-in bots.

mod chains;
mod clock;
mod external;
mod first;
mod greedy;
mod random;
mod searching;
mod solving;

pub use chains::Chains;
pub use external::{External, ExternalLimits};
pub use first::First;
pub use greedy::Greedy;
pub use random::Random;
pub use searching::SearchBot;
pub(super) use searching::{SearchKnowledge, SearchOptions};
pub use solving::SolverBot;

use rand::RngExt;

use crate::board::{Edge, Edges, Position};
use crate::random::{Purpose, stream};

/// One of these edges, the same for the same nonce and position; `None` when there is none.
fn pick(position: &Position, edges: Edges, nonce: u64) -> Option<Edge> {
    if edges.is_empty() {
        return None;
    }
    let mut rng = stream(nonce, position.drawn().hash(), 0, Purpose::Bot);
    edges.iter().nth(rng.random_range(0..edges.len()))
}

/// The first undrawn edge.
///
/// # Panics
/// When the position is over, in which no bot is asked.
fn any(position: &Position) -> Edge {
    position.undrawn().lowest().expect("the position is not over")
}

/// The edges that close a box.
fn captures(position: &Position) -> Edges {
    let (board, drawn) = (position.board(), position.drawn());
    position.undrawn().iter().filter(|&edge| board.captures(drawn, edge) > 0).collect()
}

/// The edges after which no box has exactly one undrawn side that had two before.
fn careful(position: &Position) -> Edges {
    let (board, drawn) = (position.board(), position.drawn());
    let gives_nothing =
        |edge: &Edge| board.boxes_of(*edge).iter().all(|&b| board.sides(b as usize).difference(drawn).len() != 2);
    position.undrawn().iter().filter(gives_nothing).collect()
}
