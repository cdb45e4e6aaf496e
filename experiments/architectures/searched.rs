//! Searched moves at equal seconds of the engine: what a smaller network gains by searching more.

use burn::tensor::{Device, Tensor};
use doublecross::board::{Board, Edges, MAX_EDGES};
use doublecross::search::{Choice, Evaluation, Evaluator, Search, Settings, write_evaluation};
use doublecross::solver::Solver;

use crate::data::Sample;
use crate::learn::leaves;
use crate::nets::Net;

/// Seconds of network time that a move may take.
pub const SECONDS: f64 = 0.02;

/// Operations a second of the engine's f32 path, with AVX-512 on one thread: what it reaches with the presets, and what it
/// would with the other shapes, which are matrices as well.
pub const ENGINE: f64 = 103e9;

/// The solver answers for leaves of at most this many undrawn edges, with this budget; it is never asked at the root.
const LEAF: (usize, u64) = (26, 300);

/// Positions searched.
const POSITIONS: usize = 400;

/// What searched moves came to.
pub struct Searched {
    pub simulations: usize,
    /// Share of optimal moves without and with the solver at leaves.
    pub optimal: [f64; 2],
}

struct Flex<'a> {
    net: &'a Net,
    board: Board,
    parameters: Vec<Tensor<1>>,
}

impl Evaluator for Flex<'_> {
    fn evaluate(&mut self, drawn: Edges, evaluation: &mut Evaluation) {
        let board = self.board;
        let mut input = vec![0.0; self.net.inputs()];
        self.net.write(drawn, &mut input);
        let input = Tensor::<1>::from_floats(&input[..], &Device::flex()).reshape([1, self.net.inputs() as i32]);
        let (policy, margins, _) = self.net.forward(&self.parameters, input);
        let numbers = |tensor: Tensor<2>| tensor.into_data().try_to_vec::<f32>().expect("numbers");
        let (policy, margins) = (numbers(policy), numbers(margins));
        let cells = policy.len() / 2;
        let by_cell: Vec<f32> = (0..cells).flat_map(|cell| [policy[cell], policy[cells + cell]]).collect();
        write_evaluation(board, drawn, &by_cell, &margins, evaluation);
    }
}

/// Searches these positions, each with as many simulations as there would be time for at so many operations a second.
pub fn search(net: &Net, board: Board, tensors: &[Vec<f32>], rows: &[Sample], speed: f64) -> Searched {
    let mut evaluator = Flex { net, board, parameters: leaves(tensors, &Device::flex(), false) };
    let rows = &rows[..rows.len().min(POSITIONS)];
    let simulations = (SECONDS * speed / net.operations() as f64).round().max(2.0) as usize;
    let mut solver = Solver::new(board, 1 << 16);
    let mut optimal = [0.0; 2];
    for (share, (undrawn, nodes)) in optimal.iter_mut().zip([(0, 0), LEAF]) {
        let settings = Settings { simulations, solver_undrawn: undrawn, solver_nodes: nodes, ..Settings::default() };
        let mut search = Search::new(board, settings);
        for row in rows {
            let outcome = search.run(row.drawn, 0, &[0.0; MAX_EDGES], &mut evaluator, Some(&mut solver));
            let Choice::Draw(edges) = outcome.choice() else { panic!("the positions are capture-free") };
            // Edges of one action are the same by the board's own sameness, and so optimal together.
            *share += row.best.contains(edges.iter().next().expect("an edge")) as u8 as f64;
        }
        *share /= rows.len() as f64;
    }
    Searched { simulations, optimal }
}
