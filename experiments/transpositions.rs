//! How many of a search's positions has it met before, as they are or as a mirror image; and how many have its player's
//! earlier searches of the same game met?
//!
//! `cargo run --release --example transpositions -- CHECKPOINT`

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use doublecross::board::{Board, Edges, MAX_EDGES};
use doublecross::net::Network;
use doublecross::random::{Purpose, stream};
use doublecross::search::{Choice, Evaluation, Evaluator, NetworkEvaluator, Search, Settings};
use doublecross::solver::safe_edges;
use doublecross::train::load_weights;
use rand::RngExt;

/// Positions for each number of undrawn edges.
const POSITIONS: usize = 40;

/// Games for each number of simulations.
const GAMES: u64 = 10;

struct Counting {
    board: Board,
    inner: NetworkEvaluator,
    asked: usize,
    last: Option<Edges>,
    same: HashSet<Edges>,
    alike: HashSet<Edges>,
}

impl Evaluator for Counting {
    fn evaluate(&mut self, drawn: Edges, evaluation: &mut Evaluation) {
        // Both answers to an opened chain lead to one position, which is asked for twice in a row and is one evaluation.
        if self.last.replace(drawn) == Some(drawn) {
            return self.inner.evaluate(drawn, evaluation);
        }
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
                let mut evaluator = Counting { board, inner, asked: 0, last: None, same: own, alike: alike_own };
                search.run(drawn, 0, &[0.0; MAX_EDGES], &mut evaluator, None);
                asked += evaluator.asked;
                same += evaluator.same.len();
                alike += evaluator.alike.len();
            }
            let share = |distinct: usize| 100.0 * (1.0 - distinct as f64 / asked as f64);
            println!("{undrawn:7}  {simulations:11}  {:13.1}  {:23.1}", share(same), share(alike));
        }
    }
    println!("simulations  searches  positions met in the player's earlier searches of the game, %");
    for simulations in [200, 800, 3200] {
        let (searches, positions, known) = games(board, &network, simulations);
        println!("{simulations:11}  {searches:8}  {:.1}", 100.0 * known as f64 / positions as f64);
    }
}

/// Games of two players that search without a solver, after six careful edges and down to 34 undrawn: the searches, the
/// positions of each player's searches but its first, and how many of them its earlier ones have met.
fn games(board: Board, network: &Arc<Network>, simulations: usize) -> (usize, usize, usize) {
    let (mut searches, mut positions, mut known) = (0, 0, 0);
    for game in 0..GAMES {
        let mut rng = stream(2, 0, game, Purpose::SelfPlay);
        let mut drawn = Edges::EMPTY;
        while drawn.len() < 6 {
            let safe = safe_edges(board, drawn);
            let Some(edge) = safe.iter().nth(rng.random_range(0..safe.len().max(1))) else { break };
            drawn.insert(edge);
        }
        let settings = || Settings { simulations, solver_undrawn: 0, ..Settings::default() };
        let mut players = [(); 2].map(|()| (Search::new(board, settings()), HashSet::new()));
        let mut turn = 0;
        while board.undrawn(drawn).len() > 34 && !safe_edges(board, drawn).is_empty() {
            let (search, met) = &mut players[turn % 2];
            let inner = NetworkEvaluator::new(network.clone());
            let mut evaluator =
                Counting { board, inner, asked: 0, last: None, same: HashSet::new(), alike: HashSet::new() };
            let outcome = search.run(drawn, 0, &[0.0; MAX_EDGES], &mut evaluator, None);
            if turn >= 2 {
                searches += 1;
                positions += evaluator.alike.len();
                known += evaluator.alike.intersection(met).count();
            }
            met.extend(evaluator.alike);
            let Choice::Draw(edges) = outcome.choice() else { break };
            let Some(edge) = edges.intersection(safe_edges(board, drawn)).lowest() else { break };
            drawn.insert(edge);
            turn += 1;
        }
    }
    (searches, positions, known)
}
