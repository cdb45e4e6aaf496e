//! Writes positions of a checkpoint's board far from the end with exact answers: of careful random play, of the checkpoint's
//! games against itself, and of games between other bots. None is in the training data of the runs named, or there twice.
//!
//! `cargo run --release --example deep_suites -- CHECKPOINT POSITIONS UNDRAWN,UNDRAWN... [RUN...]`: so many POSITIONS of each
//! source and each number of undrawn edges. A suite's lines come on stdout, sorted. What the solver does not settle with
//! [`NODES`] is left out and told of.

#[path = "trained.rs"]
mod trained;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use doublecross::arena::{BotFactory, BotSpec};
use doublecross::board::{Board, Edges, Position, format_edges};
use doublecross::eval::SuitePosition;
use doublecross::random::{Purpose, stream};
use doublecross::solver::{Solver, safe_edges};
use doublecross::train::load_weights;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use trained::trained;

/// Entries of each thread's table.
const TABLE: usize = 1 << 25;

/// The solver's budget for a position.
const NODES: u64 = 100_000_000;

/// Random edges that a game begins with, at most.
const OPENING: usize = 8;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [checkpoint, positions, undrawn, runs @ ..] = &arguments[..] else {
        panic!("CHECKPOINT POSITIONS UNDRAWN,UNDRAWN... [RUN...]")
    };
    let positions: usize = positions.parse().expect("a number of positions");
    let depths: Vec<usize> = undrawn.split(',').map(|number| number.parse().expect("numbers of edges")).collect();
    let board = load_weights(Path::new(checkpoint)).expect("weights").board;
    let mut seen = trained(runs);
    let own = [format!("net:{checkpoint},sims=50,nodes=0"), format!("net:{checkpoint},sims=20,nodes=2000")];
    let others = ["chains", "greedy", "mcts:100", "solver:1000", "uniform:100,nodes=2000"].map(String::from);
    let mut wanted: Vec<(&str, usize, Edges)> = Vec::new();
    for (source, number) in [("careful", 0), ("net", 1), ("bots", 2)] {
        let mut bots: Vec<BotFactory> = match source {
            "net" => own.iter().map(|bot| factory(bot)).collect(),
            "bots" => others.iter().map(|bot| factory(bot)).collect(),
            _ => Vec::new(),
        };
        for &undrawn in &depths {
            let mut found = 0;
            for game in 0.. {
                if found == positions {
                    break;
                }
                let mut rng = stream(20 + number, undrawn as u64, game, Purpose::SelfPlay);
                let Some(drawn) = reach(board, undrawn, &mut bots, &mut rng) else { continue };
                if seen.insert(board.canonical(drawn).0) {
                    wanted.push((source, undrawn, drawn));
                    found += 1;
                }
            }
        }
        eprintln!("{source}: positions found");
    }
    // The hardest first, so that no thread is left alone with one.
    wanted.sort_by_key(|(_, undrawn, _)| std::cmp::Reverse(*undrawn));
    let (done, lines) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    wanted.par_iter().with_max_len(1).for_each_init(
        || Solver::new(board, TABLE),
        |solver, &(source, undrawn, drawn)| {
            let solution = solver.solve(drawn, NODES);
            let number = done.fetch_add(1, Ordering::Relaxed) + 1;
            match solution.margin().filter(|_| !solution.best.is_empty()) {
                Some(margin) => {
                    let line = SuitePosition { drawn, margin, best: solution.best }.line(board, source);
                    lines.lock().expect("no panic").push((undrawn, source, line));
                    eprintln!("{number} of {}", wanted.len());
                }
                None => {
                    eprintln!(
                        "{number} of {}: left out, {} of {source}, {undrawn} undrawn",
                        wanted.len(),
                        format_edges(board, drawn)
                    )
                }
            }
        },
    );
    let mut lines = lines.into_inner().expect("no panic");
    lines.sort();
    lines.iter().for_each(|(_, _, line)| println!("{line}"));
}

fn factory(bot: &str) -> BotFactory {
    let spec: BotSpec = bot.parse().expect("a bot");
    spec.factory_with(|path| load_weights(path).map_err(|error| error.to_string())).expect("its weights")
}

/// A position without a box on offer and with so many undrawn edges, if a game comes by one: of two of these bots after a
/// random opening, or of careful random play where there are none.
fn reach(board: Board, undrawn: usize, bots: &mut [BotFactory], rng: &mut ChaCha8Rng) -> Option<Edges> {
    let mut pair: Vec<_> =
        (0..2).filter(|_| !bots.is_empty()).map(|_| bots[rng.random_range(0..bots.len())].make()).collect();
    let mut position = Position::new(board);
    let opening = if pair.is_empty() { board.edges() } else { rng.random_range(0..=OPENING) };
    let nonce = rng.random();
    while position.undrawn().len() > undrawn {
        let edge = if position.drawn().len() < opening {
            let safe = safe_edges(board, position.drawn());
            safe.iter().nth(rng.random_range(0..safe.len().max(1)))?
        } else {
            pair[position.mover()].choose(&position, nonce)
        };
        position.play(edge).ok()?;
    }
    board.is_capture_free(position.drawn()).then(|| position.drawn())
}
