//! `doublecross signature`: what this version computes, in one line.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use clap::Args;
use serde_json::json;

use crate::cli::r#match::match_settings;
use crate::cli::{Failure, chosen_isa, load_bot, print, print_json};
use doublecross_arena::random::{Purpose, random_state, stream};
use doublecross_arena::{BotSpec, Game, Observer, play_pairs};
use doublecross_core::board::Board;
use doublecross_core::mix::checksum;
use doublecross_core::net::Isa;
use doublecross_core::solver::Solver;

/// The positions that are solved: boards, and the numbers of drawn edges.
const SOLVED: [(usize, usize, Range<usize>); 3] = [(3, 3, 0..12), (4, 4, 10..24), (5, 5, 26..38)];

/// The boards of the games.
const PLAYED: [(usize, usize); 3] = [(3, 3), (4, 4), (5, 5)];

/// The bots that play.
const BOTS: [&str; 2] = ["net,sims=32,nodes=0", "mcts:100,nodes=0"];

/// Print what this version computes on this machine, in one line.
///
/// Solves fixed positions, plays fixed games and trains a short run, and prints the instruction set
/// of the networks, the solver's nodes, and hashes of the games and the weights. A change of the
/// program that should compute the same prints the same line. The weights also depend on the
/// instruction set that learning takes, which the line names.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross signature
  DOUBLECROSS_ISA=portable doublecross signature --json")]
pub(crate) struct Signature {
    /// Print one JSON object: `isa`, `nodes` and `games`, and where training is built in `weights` and `learned_on`.
    #[arg(long)]
    json: bool,
}

impl Signature {
    pub fn run(self) -> Result<(), Failure> {
        let isa = chosen_isa()?.name();
        let (nodes, games, weights) = (solver_nodes(), hex(games()?), weights()?);
        if self.json {
            let mut object = json!({ "isa": isa, "nodes": nodes, "games": games });
            if let Some(weights) = weights {
                object["weights"] = weights.into();
                object["learned_on"] = learned_on().into();
            }
            print_json(&object);
        } else {
            let weights = weights.map(|weights| format!(", weights {weights} learned on {}", learned_on()));
            print(format_args!("{isa}: {nodes} nodes, games {games}{}\n", weights.unwrap_or_default()));
        }
        Ok(())
    }
}

fn hex(hash: u64) -> String {
    format!("{hash:016x}")
}

/// Returns the instruction set that the kernels of learning take: the fastest one without formats of their own.
fn learned_on() -> &'static str {
    let names: Vec<&str> = Isa::available().iter().map(|isa| isa.name()).collect();
    ["avx512", "avx2", "neon"].into_iter().find(|name| names.contains(name)).unwrap_or("portable")
}

fn board(rows: usize, cols: usize) -> Board {
    Board::new(rows, cols).expect("there should be such a board")
}

/// Returns a hash of the weights of a short run; none if the program was built without training.
fn weights() -> Result<Option<String>, Failure> {
    #[cfg(feature = "train")]
    return super::training::hash_of_short_run().map(|hash| Some(hex(hash)));
    #[cfg(not(feature = "train"))]
    return Ok(None);
}

/// Returns the nodes that the solver takes for random positions.
fn solver_nodes() -> u64 {
    let nodes_on = |(rows, cols, drawn): (usize, usize, Range<usize>)| {
        let board = board(rows, cols);
        let mut solver = Solver::new(board, 1 << 14);
        let nodes = drawn.map(|drawn| {
            let is_careful = drawn % 2 == 0;
            let state = random_state(board, drawn, is_careful, &mut stream(1, 0, drawn as u64, Purpose::Suite));
            solver.solve(state.offer().rest, 20_000);
            solver.nodes()
        });
        nodes.sum::<u64>()
    };
    SOLVED.into_iter().map(nodes_on).sum()
}

/// Returns a hash of the moves of games between two bots.
fn games() -> Result<u64, Failure> {
    let mut moves: Vec<u8> = Vec::new();
    for (rows, cols) in PLAYED {
        let settings = match_settings(board(rows, cols), 2, 1, None)?;
        let load = |name: &str| load_bot(&name.parse::<BotSpec>().map_err(Failure::input)?);
        let factories = [load(BOTS[0])?, load(BOTS[1])?];
        let mut pair = |games: &[Game]| {
            moves.extend(games.iter().flat_map(|game| &game.record.moves).map(|edge| edge.index() as u8));
            true
        };
        let observer = Observer { progress: &mut |_| (), pair: &mut pair };
        let bots = [(BOTS[0], &factories[0]), (BOTS[1], &factories[1])];
        let outcome = play_pairs(&settings, bots[0], bots[1], observer, &AtomicBool::new(false));
        outcome.error.map_or(Ok(()), |error| Err(Failure::running(error)))?;
    }
    Ok(checksum(&moves))
}
