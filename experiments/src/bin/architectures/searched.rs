//! Searched moves in equal time of the engine: the gain of a smaller network that searches more.

use burn::tensor::{Device, Tensor};
use doublecross::board::{Board, MAX_EDGES, State};
use doublecross::search::{Choice, Evaluation, Evaluator, Search, Settings, write_evaluation};
use doublecross::solver::Solver;

use crate::data::Sample;
use crate::learn::leaves;
use crate::nets::Net;

/// Seconds of network time for a move.
pub const SECONDS: f64 = 0.02;

/// Operations a second of the engine in f32, with AVX-512 on one thread. The engine reaches it with the presets, and would
/// with the other shapes, which are matrices as well.
pub const ENGINE: f64 = 103e9;

/// The solver answers for leaves of at most this many undrawn edges, with this budget of nodes; it is not asked at the root.
const LEAF: (usize, u64) = (26, 300);

/// Positions searched.
const POSITIONS: usize = 400;

/// The result of the searches.
pub struct Searched {
    pub simulations: usize,
    /// The share of optimal moves without and with the solver at leaves.
    pub optimal: [f64; 2],
}

/// A network that `flex` evaluates.
struct Flex<'a> {
    net: &'a Net,
    parameters: Vec<Tensor<1>>,
}

impl Evaluator for Flex<'_> {
    fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
        let mut input = vec![0.0; self.net.inputs()];
        self.net.write(state, &mut input);
        let input = Tensor::<1>::from_floats(&input[..], &Device::flex()).reshape([1, self.net.inputs() as i32]);
        let (policy, margins, _) = self.net.forward(&self.parameters, input);
        let numbers = |tensor: Tensor<2>| tensor.into_data().try_to_vec::<f32>().expect("numbers");
        let (policy, margins) = (numbers(policy), numbers(margins));
        let cells = policy.len() / 2;
        let by_cell: Vec<f32> = (0..cells).flat_map(|cell| [policy[cell], policy[cells + cell]]).collect();
        write_evaluation(state, &by_cell, &margins, evaluation);
    }
}

/// Searches positions, each with as many simulations as an engine of this speed (operations a second) has time for.
pub fn search(net: &Net, board: Board, tensors: &[Vec<f32>], samples: &[Sample], speed: f64) -> Searched {
    let mut evaluator = Flex { net, parameters: leaves(tensors, &Device::flex(), false) };
    let samples = &samples[..samples.len().min(POSITIONS)];
    let simulations = (SECONDS * speed / net.operations() as f64).round().max(2.0) as usize;
    let mut solver = Solver::new(board, 1 << 16);
    let mut optimal = [0.0; 2];
    for (share, (undrawn, nodes)) in optimal.iter_mut().zip([(0, 0), LEAF]) {
        let settings = Settings { simulations, solver_undrawn: undrawn, solver_nodes: nodes, ..Settings::default() };
        let mut search = Search::new(board, settings);
        for sample in samples {
            let outcome = search.run(sample.state, 0, &[0.0; MAX_EDGES], &mut evaluator, Some(&mut solver));
            let Choice::Draw(edges) = outcome.choice() else { panic!("the positions are capture-free") };
            // The edges of one action are equivalent by the rules, and so all optimal or none.
            *share += sample.best.contains(edges.lowest().expect("an edge")) as u8 as f64;
        }
        *share /= samples.len() as f64;
    }
    Searched { simulations, optimal }
}
