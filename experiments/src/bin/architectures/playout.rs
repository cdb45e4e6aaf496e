//! Optimal playouts to the end of the game, the source of auxiliary targets.

use doublecross::board::{Edges, Position, State};
use doublecross::random::random_edge;
use doublecross::solver::{Solution, Solver};
use rand_chacha::ChaCha8Rng;

/// The largest number of long chains that is told apart; larger ones count as this.
pub const MOST_CHAINS: usize = 11;

/// The result of one optimal playout from a capture-free state, for the player to move in it.
pub struct Playout {
    /// The number of long chains and loops where no edge is safe any more.
    pub chains: usize,
    /// The optimal edges of the second capture-free state if that is the opponent's to move, else none.
    pub reply: Edges,
    /// The boxes that the player to move takes, bit b for box b.
    pub taken: u32,
}

/// Plays optimal edges, safe ones where there are any, to the end of the game. Boxes on offer are all taken, unless keeping
/// control is worth more.
pub fn play_out(state: State, solver: &mut Solver, solution: &Solution, rng: &mut ChaCha8Rng) -> Playout {
    let mut position = Position::from_state(state);
    let (mut best, mut chains, mut reply) = (solution.best, None, None);
    while !position.is_over() {
        let safe = position.state().safe_edges();
        if safe.is_empty() {
            chains.get_or_insert_with(|| long_chains(position.state()));
        }
        let choices = if safe.intersection(best).is_empty() { best } else { safe.intersection(best) };
        position.play(random_edge(choices, rng)).expect("an undrawn edge");
        best = answer_offer(&mut position, solver);
        reply.get_or_insert(if position.mover() == 1 { best } else { Edges::EMPTY });
    }
    let [taken, lost] = boxes_taken(&position);
    // A playout that is not optimal, or boxes given to the wrong player, would show here.
    let margin = taken.count_ones() as i32 - lost.count_ones() as i32;
    assert_eq!(Some(margin), solution.margin(), "the margin of a playout is that of its state");
    Playout { chains: chains.unwrap_or(0), reply: reply.unwrap_or(Edges::EMPTY), taken }
}

/// Takes the boxes on offer, or keeps control and lets the other player take the rest of them. Returns the optimal edges of
/// the capture-free state that both lead to.
fn answer_offer(position: &mut Position, solver: &mut Solver) -> Edges {
    let offer = position.state().offer();
    let solution = solver.solve(offer.rest, u64::MAX);
    let margin = solution.margin().expect("no limit");
    if offer.margin(margin) > offer.taken + margin {
        while let Some(edge) = position.state().control_edge() {
            if position.play(edge) == Ok(0) {
                break;
            }
        }
    }
    while let Some(edge) = position.state().capturing_edge() {
        position.play(edge).expect("an undrawn edge");
    }
    assert_eq!(position.state(), offer.rest, "both choices lead to the same state");
    solution.best
}

/// The number of chains of three or more boxes and of loops, in a state without a safe edge.
fn long_chains(state: State) -> usize {
    state.openings().filter(|opening| opening.length >= 3).count().min(MOST_CHAINS)
}

/// The boxes of each player.
fn boxes_taken(position: &Position) -> [u32; 2] {
    let of = |seat| (0..position.board().boxes()).filter(move |&b| position.owner(b) == Some(seat));
    [0, 1].map(|seat| of(seat).map(|b| 1 << b).sum())
}
