//! Writes positions far from the end with their exact answers, for a checkpoint's board.
//!
//! `cargo run --release -p doublecross-experiments --bin deep_suites -- CHECKPOINT POSITIONS UNDRAWN,UNDRAWN... [RUN...]`
//! takes POSITIONS positions for each number of undrawn edges from each source: careful random play, the checkpoint's games
//! against itself, and games between other bots. None is in the training data of the runs, or there twice. The lines of
//! the suite go to stdout, sorted. Positions that the solver does not settle with [`NODES`] are left out and listed on
//! stderr.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use doublecross::arena::BotFactory;
use doublecross::board::{Board, Position, State};
use doublecross::arena::suite::SuitePosition;
use doublecross::arena::random::{Purpose, random_edge, stream};
use doublecross::solver::Solver;
use doublecross::run::load_weights;
use doublecross_experiments::{bot, trained_states};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Entries of each thread's table.
const TABLE: usize = 1 << 25;

/// The solver's budget for a position.
const NODES: u64 = 100_000_000;

/// The most random edges at the beginning of a game.
const OPENING: usize = 8;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [checkpoint, positions, undrawn, runs @ ..] = &arguments[..] else {
        panic!("CHECKPOINT POSITIONS UNDRAWN,UNDRAWN... [RUN...]")
    };
    let positions: usize = positions.parse().expect("a number of positions");
    let depths: Vec<usize> = undrawn.split(',').map(|number| number.parse().expect("numbers of edges")).collect();
    let board = load_weights(Path::new(checkpoint)).expect("weights").board;
    let mut seen = trained_states(runs);
    let own = [format!("net:{checkpoint},sims=50,nodes=0"), format!("net:{checkpoint},sims=20,nodes=2000")];
    let others = ["chains", "greedy", "mcts:100", "solver:1000", "uniform:100,nodes=2000"];
    let mut wanted: Vec<(&str, usize, State)> = Vec::new();
    for (source, number) in [("careful", 0), ("net", 1), ("bots", 2)] {
        let bots: Vec<BotFactory> = match source {
            "net" => own.iter().map(|name| bot(name)).collect(),
            "bots" => others.iter().map(|name| bot(name)).collect(),
            _ => Vec::new(),
        };
        for &undrawn in &depths {
            let mut found = 0;
            for game in 0.. {
                if found == positions {
                    break;
                }
                let mut rng = stream(20 + number, undrawn as u64, game, Purpose::SelfPlay);
                let Some(state) = play_to(board, undrawn, &bots, &mut rng) else { continue };
                if seen.insert(state.canonical().0) {
                    wanted.push((source, undrawn, state));
                    found += 1;
                }
            }
        }
        eprintln!("{source}: positions found");
    }
    // The hardest first, so that no thread is left alone with one.
    wanted.sort_by_key(|(_, undrawn, _)| std::cmp::Reverse(*undrawn));
    let (finished, lines) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    wanted.par_iter().with_max_len(1).for_each_init(
        || Solver::new(board, TABLE),
        |solver, &(source, undrawn, state)| {
            let solution = solver.solve(state, NODES);
            let number = finished.fetch_add(1, Ordering::Relaxed) + 1;
            match solution.margin().filter(|_| !solution.best.is_empty()) {
                Some(margin) => {
                    let line = SuitePosition { state, margin, best: solution.best }.line(source);
                    lines.lock().expect("no panic").push((undrawn, source, line));
                    eprintln!("{number} of {}", wanted.len());
                }
                None => {
                    eprintln!("{number} of {}: left out, {state} of {source}, {undrawn} undrawn", wanted.len())
                }
            }
        },
    );
    let mut lines = lines.into_inner().expect("no panic");
    lines.sort();
    lines.iter().for_each(|(_, _, line)| println!("{line}"));
}

/// A capture-free state with this many undrawn edges, if a game passes through one: a game of two of these bots after a
/// random opening, or careful random play where there are no bots.
fn play_to(board: Board, undrawn: usize, bots: &[BotFactory], rng: &mut ChaCha8Rng) -> Option<State> {
    let mut pair: Vec<_> =
        (0..2).filter(|_| !bots.is_empty()).map(|_| bots[rng.random_range(0..bots.len())].make()).collect();
    let mut position = Position::new(board);
    let opening = if pair.is_empty() { board.edges() } else { rng.random_range(0..=OPENING) };
    let nonce = rng.random();
    while position.undrawn().len() > undrawn {
        let edge = if position.drawn().len() < opening {
            let safe = position.state().safe_edges();
            (!safe.is_empty()).then(|| random_edge(safe, rng))?
        } else {
            pair[position.mover()].choose(&position, nonce)
        };
        position.play(edge).ok()?;
    }
    position.state().is_capture_free().then(|| position.state())
}
