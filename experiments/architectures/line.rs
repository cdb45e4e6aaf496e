//! One line of optimal play to the end of the game, and what a network may be told of it.

use doublecross::board::{Board, Edges, Position};
use doublecross::solver::{Offer, Openings, Solution, Solver, capturing_edge, keeping_edge, safe_edges};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// What more chains than this count as.
pub const MOST_CHAINS: usize = 11;

/// What a line from a capture-free position comes to, for the player to move in it.
pub struct Line {
    /// Long chains and loops there are when it comes to where no edge is safe.
    pub chains: usize,
    /// The optimal edges of its second capture-free position when that is the opponent's to move, else none.
    pub reply: Edges,
    /// The boxes that the player to move takes, bit b for box b.
    pub taken: u32,
}

/// Plays optimal edges, safe ones where there are any, to the end of the game. What is on offer is taken whole, unless
/// keeping control is worth more.
pub fn play_out(board: Board, solver: &mut Solver, drawn: Edges, solution: &Solution, rng: &mut ChaCha8Rng) -> Line {
    let mut position = Position::from_edges(board, drawn);
    let (mut best, mut chains, mut reply) = (solution.best, None, None);
    while !position.is_over() {
        let safe = safe_edges(board, position.drawn());
        if safe.is_empty() {
            chains.get_or_insert_with(|| long_chains(board, position.drawn()));
        }
        let choices = if safe.intersection(best).is_empty() { best } else { safe.intersection(best) };
        let index = rng.random_range(0..choices.len());
        position.play(choices.iter().nth(index).expect("an index within the set")).expect("an undrawn edge");
        best = answer_offer(&mut position, solver);
        reply.get_or_insert(if position.mover() == 1 { best } else { Edges::EMPTY });
    }
    let [taken, lost] = taken(&position);
    // A line that is not optimal, or boxes given to the wrong player, would show here.
    let margin = taken.count_ones() as i32 - lost.count_ones() as i32;
    assert_eq!(Some(margin), solution.margin(), "a line's margin is the position's");
    Line { chains: chains.unwrap_or(0), reply: reply.unwrap_or(Edges::EMPTY), taken }
}

/// Takes what is on offer, or keeps control and lets the other player take the rest of it. Gives the optimal edges of
/// the capture-free position that both lead to.
fn answer_offer(position: &mut Position, solver: &mut Solver) -> Edges {
    let board = position.board();
    let offer = Offer::resolve(board.layout(), board.strings(position.drawn()));
    let rest = board.drawn(offer.rest);
    let solution = solver.solve(rest, u64::MAX);
    let margin = solution.margin().expect("no limit");
    if offer.margin(margin) > offer.taken + margin {
        while let Some(edge) = keeping_edge(board, position.drawn()) {
            if position.play(edge) == Ok(0) {
                break;
            }
        }
    }
    while let Some(edge) = capturing_edge(board, position.drawn()) {
        position.play(edge).expect("an undrawn edge");
    }
    assert_eq!(position.drawn(), rest, "both ways lead to the same position");
    solution.best
}

/// Chains of three or more and loops, in a position without a safe edge.
fn long_chains(board: Board, drawn: Edges) -> usize {
    let openings = Openings::new(board.layout(), board.strings(drawn));
    openings.filter(|opening| opening.length >= 3).count().min(MOST_CHAINS)
}

/// The boxes of each player.
fn taken(position: &Position) -> [u32; 2] {
    let of = |seat| (0..position.board().boxes()).filter(move |&b| position.owner(b) == Some(seat));
    [0, 1].map(|seat| of(seat).map(|b| 1 << b).sum())
}
