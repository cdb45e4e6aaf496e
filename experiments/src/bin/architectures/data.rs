//! Positions with exact answers.

use std::collections::HashSet;

use doublecross::board::{Board, Edge, Edges, State, Symmetry};
use doublecross::random::{Purpose, stream};
use doublecross::solver::Solver;
use rand::RngExt;
use rayon::prelude::*;

use crate::playout::{Playout, play_out};

/// A capture-free state in its canonical form with its exact answers, and the result of one optimal playout.
#[derive(Clone, Copy)]
pub struct Sample {
    pub state: State,
    pub margin: i32,
    /// Every optimal edge.
    pub best: Edges,
    /// See [`Playout::chains`].
    pub chains: usize,
    /// See [`Playout::reply`].
    pub reply: Edges,
    /// See [`Playout::taken`].
    pub taken: u32,
}

/// A symmetry of the board, with the images of its boxes.
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

    pub fn of(&self, sample: &Sample) -> Sample {
        let edges = |edges| self.symmetry.edges(edges);
        let taken = self.boxes.iter().enumerate().map(|(b, &image)| (sample.taken >> b & 1) << image).sum();
        let state = sample.state.image(self.symmetry);
        Sample { state, best: edges(sample.best), reply: edges(sample.reply), taken, ..*sample }
    }
}

/// Positions of careful random play with 28 to 36 undrawn edges, no two the same by symmetry, none of `others`.
pub fn generate(board: Board, count: usize, seed: u64, others: &[Sample]) -> Vec<Sample> {
    let mut seen: HashSet<State> = others.iter().map(|sample| sample.state).collect();
    let mut rng = stream(seed, 0, 0, Purpose::SelfPlay);
    let mut states = Vec::new();
    while states.len() < count {
        let undrawn = rng.random_range(28..=36);
        let mut state = State::new(board);
        while state.undrawn().len() > undrawn {
            let safe: Vec<Edge> = state.safe_edges().iter().collect();
            // The stream moves on where no edge is safe, too: the published figures are of these positions.
            let Some(&edge) = safe.get(rng.random_range(0..safe.len().max(1))) else { break };
            state = state.after(edge);
        }
        let canonical = state.canonical().0;
        if state.undrawn().len() == undrawn && seen.insert(canonical) {
            states.push(canonical);
        }
    }
    states
        .into_par_iter()
        .enumerate()
        .map_init(
            || Solver::new(board, 1 << 20),
            |solver, (index, state)| {
                solver.clear();
                let mut rng = stream(seed, 1, index as u64, Purpose::SelfPlay);
                let solution = solver.solve(state, u64::MAX);
                let Playout { chains, reply, taken } = play_out(state, solver, &solution, &mut rng);
                let margin = solution.margin().expect("no limit");
                Sample { state, margin, best: solution.best, chains, reply, taken }
            },
        )
        .collect()
}
