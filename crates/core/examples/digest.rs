//! Prints digests of what games of self-play depend on: `exp` and `ln`, the exact solver, and on each instruction set of
//! this processor the pretrained 3x3 network and searches with it.
//!
//! ```sh
//! cargo run --release --example digest
//! ```
//!
//! Two machines that print the same digest for an instruction set play the same games on it (docs/reproducibility.md). The
//! program needs the bot core alone.

use std::sync::Arc;

use doublecross_core::board::{Board, MAX_EDGES, State};
use doublecross_core::float::{exp, ln, ln_f64};
use doublecross_core::net::{Engine, Isa, Network, Weights};
use doublecross_core::search::{Cached, NetworkEvaluator, Search, Selection, Settings};
use doublecross_core::solver::Solver;

/// The pretrained network.
const WEIGHTS: &[u8] = include_bytes!("../../../checkpoints/3x3/ema.dxw");

/// The table of the solver, in entries.
const TABLE: usize = 1 << 14;

/// FNV-1a over 64-bit words.
struct Digest(u64);

impl Digest {
    fn new() -> Digest {
        Digest(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ byte as u64).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn add_all(&mut self, numbers: &[f32]) {
        numbers.iter().for_each(|number| self.add(number.to_bits().into()));
    }
}

/// Random numbers: Marsaglia's xorshift64.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a number between 0 and 1.
    fn uniform(&mut self) -> f64 {
        ((self.word() >> 12) as f64 + 0.5) / (1u64 << 52) as f64
    }

    /// Returns a capture-free state with so many undrawn edges or a few less.
    fn state(&mut self, board: Board, undrawn: usize) -> State {
        loop {
            let mut state = State::new(board);
            while state.undrawn().len() > undrawn {
                let edges = state.undrawn();
                let edge = edges.iter().nth(self.word() as usize % edges.len()).expect("the index is within the set");
                state = state.after(edge).offer().rest;
            }
            if !state.is_over() {
                return state;
            }
        }
    }
}

/// Returns a digest of the results of a function for numbers of every binade and of either sign.
fn of_function(function: fn(f32) -> f32) -> u64 {
    let mut digest = Digest::new();
    (0..=u32::MAX).step_by(10_007).for_each(|bits| digest.add(function(f32::from_bits(bits)).to_bits().into()));
    digest.0
}

/// Returns a digest of the logarithms that Gumbel noise is made of.
fn of_noise() -> u64 {
    let (mut digest, mut random) = (Digest::new(), Random(1));
    (0..200_000).for_each(|_| digest.add(ln_f64(-ln_f64(random.uniform())).to_bits()));
    digest.0
}

/// Returns a digest of margins, best edges and nodes that the solver finds on 4x4, some within its budget of nodes.
fn of_solver() -> u64 {
    let (mut digest, mut random) = (Digest::new(), Random(2));
    let board = Board::new(4, 4).expect("the board exists");
    let mut solver = Solver::new(board, TABLE);
    for undrawn in (16..=30).cycle().take(30) {
        let before = solver.nodes();
        let solution = solver.solve(random.state(board, undrawn), 20_000);
        digest.add(solution.bounds.lower as u64);
        digest.add(solution.bounds.upper as u64);
        digest.add(u64::from_le_bytes(*solution.best.to_bytes().first_chunk().unwrap()));
        digest.add(solver.nodes() - before);
    }
    digest.0
}

/// Returns a digest of the network's logits.
fn of_network(network: &Arc<Network>) -> u64 {
    let (mut digest, mut random) = (Digest::new(), Random(3));
    let mut engine = Engine::new(network.clone());
    for undrawn in (6..=network.board().edges()).cycle().take(190) {
        let output = engine.forward(random.state(network.board(), undrawn));
        digest.add_all(output.policy);
        digest.add_all(output.margins);
    }
    digest.0
}

/// Returns a digest of the outcomes of searches, with Gumbel noise and a solver as in self-play and with PUCT as in play.
fn of_search(network: &Arc<Network>) -> u64 {
    let (mut digest, mut random) = (Digest::new(), Random(4));
    let board = network.board();
    let mut solver = Solver::new(board, TABLE);
    let mut evaluator = Cached::new(NetworkEvaluator::new(network.clone()), 1 << 10);
    for (number, undrawn) in (14..=24).cycle().take(22).enumerate() {
        let is_gumbel = number % 2 == 0;
        let selection = if is_gumbel { Selection::Gumbel } else { Settings::default().selection };
        let leaves = if is_gumbel { 10 } else { 0 };
        let settings =
            Settings { simulations: 100, selection, solver_undrawn: leaves, solver_nodes: 50, ..Settings::default() };
        let noise: [f32; MAX_EDGES] = match selection {
            Selection::Gumbel => std::array::from_fn(|edge| match edge {
                0..64 => -ln_f64(-ln_f64(random.uniform())) as f32,
                _ => 0.0,
            }),
            _ => [0.0; MAX_EDGES],
        };
        let state = random.state(board, undrawn);
        let outcome = Search::new(board, settings).run(state, 0, &noise, &mut evaluator, Some(&mut solver));
        digest.add(outcome.chosen as u64);
        digest.add_all(&[outcome.value, outcome.raw_margin, outcome.surprise()]);
        for action in &outcome.actions {
            digest.add(action.visits.into());
            digest.add_all(&[action.prior, action.policy, action.q.unwrap_or(f32::INFINITY)]);
        }
    }
    digest.0
}

/// Returns every digest with its name.
pub fn digests() -> Vec<(String, u64)> {
    let weights = Weights::from_bytes(WEIGHTS).expect("the weights are pretrained");
    let mut digests = vec![
        ("exp".into(), of_function(exp)),
        ("ln".into(), of_function(ln)),
        ("noise".into(), of_noise()),
        ("solver".into(), of_solver()),
    ];
    for isa in Isa::available() {
        let network = Arc::new(Network::new(&weights, isa));
        digests.push((format!("network on {}", isa.name()), of_network(&network)));
        digests.push((format!("search on {}", isa.name()), of_search(&network)));
    }
    digests
}

#[allow(dead_code)] // The tests compare the digests with their constants.
fn main() {
    for (name, digest) in digests() {
        println!("{name:22} {digest:016x}");
    }
}
