//! How many of a search's positions has it met before, as they are or as a mirror image?
//!
//! `cargo run --release --example transpositions -- CHECKPOINT`

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use doublecross::board::{Board, Edges, MAX_EDGES};
use doublecross::net::Network;
use doublecross::random::{Purpose, stream};
use doublecross::search::{Evaluation, Evaluator, NetworkEvaluator, Search, Settings};
use doublecross::solver::safe_edges;
use doublecross::train::load_weights;
use rand::RngExt;

/// Positions for each number of undrawn edges.
const POSITIONS: usize = 40;

struct Counting {
    board: Board,
    inner: NetworkEvaluator,
    asked: usize,
    same: HashSet<Edges>,
    alike: HashSet<Edges>,
}

impl Evaluator for Counting {
    fn evaluate(&mut self, drawn: Edges, evaluation: &mut Evaluation) {
        self.asked += 1;
        self.same.insert(drawn);
        self.alike.insert(self.board.canonical(drawn).0);
        self.inner.evaluate(drawn, evaluation);
    }
}

fn main() {
    let path = std::env::args().nth(1).expect("a checkpoint");
    let weights = load_weights(Path::new(&path)).expect("weights");
    let board = weights.board;
    let network = Arc::new(Network::new(&weights));
    println!("undrawn  simulations  met before, %  as it is or mirrored, %");
    for drawn in (0..=board.edges() / 2).step_by(6) {
        let undrawn = board.edges() - drawn;
        for simulations in [64, 200, 800, 3200] {
            let mut search = Search::new(board, Settings { simulations, solver_undrawn: 0, ..Settings::default() });
            let (mut asked, mut same, mut alike) = (0, 0, 0);
            for position in 0..POSITIONS as u64 {
                let mut rng = stream(1, undrawn as u64, position, Purpose::SelfPlay);
                let mut drawn = Edges::EMPTY;
                while board.undrawn(drawn).len() > undrawn {
                    let safe = safe_edges(board, drawn);
                    let Some(edge) = safe.iter().nth(rng.random_range(0..safe.len().max(1))) else { break };
                    drawn.insert(edge);
                }
                let inner = NetworkEvaluator::new(network.clone());
                let (own, alike_own) = (HashSet::new(), HashSet::new());
                let mut evaluator = Counting { board, inner, asked: 0, same: own, alike: alike_own };
                search.run(drawn, 0, &[0.0; MAX_EDGES], &mut evaluator, None);
                asked += evaluator.asked;
                same += evaluator.same.len();
                alike += evaluator.alike.len();
            }
            let share = |distinct: usize| 100.0 * (1.0 - distinct as f64 / asked as f64);
            println!("{undrawn:7}  {simulations:11}  {:13.1}  {:23.1}", share(same), share(alike));
        }
    }
}
