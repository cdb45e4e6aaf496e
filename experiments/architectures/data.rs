//! Positions with exact answers.

use std::collections::HashSet;

use doublecross::board::{Board, Edge, Edges, Symmetry};
use doublecross::random::{Purpose, stream};
use doublecross::solver::{Solver, safe_edges};
use rand::RngExt;
use rayon::prelude::*;

use crate::line::{Line, play_out};

/// A capture-free position in its canonical form, its margin and every optimal edge; and what one line of optimal play
/// from it comes to.
#[derive(Clone, Copy)]
pub struct Sample {
    pub drawn: Edges,
    pub margin: i32,
    pub best: Edges,
    /// Long chains and loops there are when the line comes to where no edge is safe.
    pub chains: usize,
    /// The opponent's optimal edges after the mover's; none where the opponent is not the next to draw a free edge.
    pub reply: Edges,
    /// The boxes that the mover takes, bit b for box b.
    pub taken: u32,
}

/// A symmetry of the board, and where it takes the boxes.
pub struct Image {
    symmetry: Symmetry,
    boxes: Vec<usize>,
}

impl Image {
    pub fn all(board: Board) -> Vec<Image> {
        let image = |symmetry: Symmetry, sides| (0..board.boxes()).find(|&b| board.sides(b) == symmetry.edges(sides));
        let boxes = |symmetry| (0..board.boxes()).map(move |b| image(symmetry, board.sides(b)).expect("a box"));
        board.symmetries().map(|symmetry| Image { symmetry, boxes: boxes(symmetry).collect() }).collect()
    }

    pub fn of(&self, row: &Sample) -> Sample {
        let edges = |edges| self.symmetry.edges(edges);
        let taken = self.boxes.iter().enumerate().map(|(b, &image)| (row.taken >> b & 1) << image).sum();
        Sample { drawn: edges(row.drawn), best: edges(row.best), reply: edges(row.reply), taken, ..*row }
    }
}

/// Positions of careful random play with 28 to 36 undrawn edges, no two the same by symmetry, none of `others`.
pub fn generate(board: Board, count: usize, seed: u64, others: &[Sample]) -> Vec<Sample> {
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
                solver.clear();
                let mut rng = stream(seed, 1, index as u64, Purpose::SelfPlay);
                let solution = solver.solve(drawn, u64::MAX);
                let Line { chains, reply, taken } = play_out(board, solver, drawn, &solution, &mut rng);
                let margin = solution.margin().expect("no limit");
                Sample { drawn, margin, best: solution.best, chains, reply, taken }
            },
        )
        .collect()
}
