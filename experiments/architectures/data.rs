//! Positions with exact answers.

use std::collections::HashSet;

use doublecross::board::{Board, Edge, Edges};
use doublecross::random::{Purpose, stream};
use doublecross::solver::{Solver, safe_edges};
use rand::RngExt;
use rayon::prelude::*;

/// A capture-free position in its canonical form, its margin and every optimal edge.
pub struct Row {
    pub drawn: Edges,
    pub margin: i32,
    pub best: Edges,
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
        .map_init(
            || Solver::new(board, 1 << 20),
            |solver, drawn| {
                solver.forget();
                let solution = solver.solve(drawn, u64::MAX);
                Row { drawn, margin: solution.margin().expect("no limit"), best: solution.best }
            },
        )
        .collect()
}
