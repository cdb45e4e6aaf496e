//! How many of a search's positions has it met before, as they are or as a mirror image, and how many were met in the
//! player's earlier searches of the same game?
//!
//! `cargo run --release -p doublecross-experiments --bin transpositions -- CHECKPOINT`

use std::collections::HashSet;
use std::sync::Arc;

use doublecross::board::{Board, MAX_EDGES, State};
use doublecross::net::Network;
use doublecross::arena::random::{Purpose, random_state, stream};
use doublecross::search::{Choice, Evaluation, Evaluator, NetworkEvaluator, Search, Settings};
use doublecross_experiments::network;

/// Positions for each number of undrawn edges.
const POSITIONS: usize = 40;

/// Games for each number of simulations.
const GAMES: u64 = 10;

/// Careful edges at the beginning of a game.
const OPENING: usize = 6;

/// Games end where this many edges are undrawn.
const LAST_UNDRAWN: usize = 34;

/// A network that counts the positions that it evaluates.
struct Counter {
    inner: NetworkEvaluator,
    asked: usize,
    last: Option<State>,
    distinct: HashSet<State>,
    canonical: HashSet<State>,
}

impl Counter {
    fn new(network: &Arc<Network>) -> Counter {
        let inner = NetworkEvaluator::new(network.clone());
        Counter { inner, asked: 0, last: None, distinct: HashSet::new(), canonical: HashSet::new() }
    }
}

impl Evaluator for Counter {
    fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
        // Both answers to an opened chain lead to one position, which is asked for twice in a row and counts once.
        if self.last.replace(state) != Some(state) {
            self.asked += 1;
            self.distinct.insert(state);
            self.canonical.insert(state.canonical().0);
        }
        self.inner.evaluate(state, evaluation);
    }
}

fn main() {
    let checkpoint = std::env::args().nth(1).expect("a checkpoint");
    let network = network(&checkpoint);
    let board = network.board();
    println!("undrawn  simulations  met before, %  as it is or mirrored, %");
    for drawn in (0..=board.edges() / 2).step_by(6) {
        let undrawn = board.edges() - drawn;
        for simulations in [64, 200, 800, 3200] {
            let mut search = Search::new(board, Settings { simulations, ..Settings::default() });
            let (mut asked, mut distinct, mut canonical) = (0, 0, 0);
            for position in 0..POSITIONS as u64 {
                let mut rng = stream(1, undrawn as u64, position, Purpose::SelfPlay);
                let state = random_state(board, drawn, true, &mut rng);
                let mut counter = Counter::new(&network);
                search.run(state, 0, &[0.0; MAX_EDGES], &mut counter, None);
                asked += counter.asked;
                distinct += counter.distinct.len();
                canonical += counter.canonical.len();
            }
            let repeated = |distinct: usize| 100.0 * (1.0 - distinct as f64 / asked as f64);
            println!("{undrawn:7}  {simulations:11}  {:13.1}  {:23.1}", repeated(distinct), repeated(canonical));
        }
    }
    println!("simulations  searches  positions met in the player's earlier searches of the game, %");
    for simulations in [200, 800, 3200] {
        let GameCounts { searches, positions, known } = count_games(board, &network, simulations);
        println!("{simulations:11}  {searches:8}  {:.1}", 100.0 * known as f64 / positions as f64);
    }
}

/// Counts over the games of a number of simulations, without each player's first search.
#[derive(Default)]
struct GameCounts {
    searches: usize,
    positions: usize,
    /// Positions that an earlier search of the same player has met.
    known: usize,
}

/// Plays games between two players that search without the solver.
fn count_games(board: Board, network: &Arc<Network>, simulations: usize) -> GameCounts {
    let mut counts = GameCounts::default();
    for game in 0..GAMES {
        let mut state = random_state(board, OPENING, true, &mut stream(2, 0, game, Purpose::SelfPlay));
        let settings = || Settings { simulations, ..Settings::default() };
        let mut players = [(); 2].map(|()| (Search::new(board, settings()), HashSet::new()));
        let mut turn = 0;
        while state.undrawn().len() > LAST_UNDRAWN && !state.safe_edges().is_empty() {
            let (search, met) = &mut players[turn % 2];
            let mut counter = Counter::new(network);
            let outcome = search.run(state, 0, &[0.0; MAX_EDGES], &mut counter, None);
            if turn >= 2 {
                counts.searches += 1;
                counts.positions += counter.canonical.len();
                counts.known += counter.canonical.intersection(met).count();
            }
            met.extend(counter.canonical);
            let Choice::Draw(edges) = outcome.choice() else { break };
            let Some(edge) = edges.intersection(state.safe_edges()).lowest() else { break };
            state = state.after(edge);
            turn += 1;
        }
    }
    counts
}
