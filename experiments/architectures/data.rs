//! Positions with exact answers.

use std::collections::HashSet;

use doublecross::board::{Board, Edge, Edges};
use doublecross::random::{Purpose, stream};
use doublecross::solver::{Offer, Openings, Solver, safe_edges};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// What more chains than this count as.
pub const MOST_CHAINS: usize = 11;

/// A capture-free position in its canonical form, its margin and every optimal edge.
#[derive(Clone, Copy)]
pub struct Row {
    pub drawn: Edges,
    pub margin: i32,
    pub best: Edges,
    /// Long chains and loops there are when one line of optimal play comes to where no edge is safe.
    pub chains: usize,
}

/// Positions of careful random play with 28 to 36 undrawn edges, no two the same by symmetry, none of `others`.
pub fn generate(board: Board, count: usize, seed: u64, others: &[Row]) -> Vec<Row> {
    let mut seen: HashSet<Edges> = others.iter().map(|row| row.drawn).collect();
    let mut rng = stream(seed, 0, 0, Purpose::SelfPlay);
    let mut positions = Vec::new();
    while positions.len() < count {
        let undrawn = rng.random_range(28..=36);
        let mut drawn = Edges::EMPTY;
        while board.undrawn(drawn).len() > undrawn {
            let safe: Vec<Edge> = safe_edges(board, drawn).iter().collect();
            let Some(&edge) = safe.get(rng.random_range(0..safe.len().max(1))) else { break };
            drawn.insert(edge);
        }
        let canonical = board.canonical(drawn).0;
        if board.undrawn(drawn).len() == undrawn && seen.insert(canonical) {
            positions.push(canonical);
        }
    }
    positions
        .into_par_iter()
        .enumerate()
        .map_init(
            || Solver::new(board, 1 << 20),
            |solver, (index, drawn)| {
                solver.forget();
                let mut rng = stream(seed, 1, index as u64, Purpose::SelfPlay);
                let solution = solver.solve(drawn, u64::MAX);
                let chains = chains_of_a_line(board, solver, drawn, solution.best, &mut rng);
                Row { drawn, margin: solution.margin().expect("no limit"), best: solution.best, chains }
            },
        )
        .collect()
}

/// Plays optimal edges, safe ones where there are any, until no edge is safe; counts chains of three or more and loops.
fn chains_of_a_line(
    board: Board,
    solver: &mut Solver,
    mut drawn: Edges,
    mut best: Edges,
    rng: &mut ChaCha8Rng,
) -> usize {
    loop {
        let safe = safe_edges(board, drawn);
        if safe.is_empty() {
            let openings = Openings::new(board.layout(), board.strings(drawn));
            return openings.filter(|opening| opening.length >= 3).count().min(MOST_CHAINS);
        }
        let choices = if safe.intersection(best).is_empty() { best } else { safe.intersection(best) };
        let index = rng.random_range(0..choices.len());
        drawn.insert(choices.iter().nth(index).expect("an index within the set"));
        drawn = board.drawn(Offer::resolve(board.layout(), board.strings(drawn)).rest);
        best = solver.solve(drawn, u64::MAX).best;
    }
}
