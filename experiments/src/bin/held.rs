//! The games in which a bot holds the value of the empty board against exact play, and the moves that let go of it.
//!
//! `cargo run --release -p doublecross-experiments --bin held -- BOARD BOT GAMES [SEED]` plays pairs of games with seats
//! swapped, one nonce for each pair. A game is held if it ends no worse for the bot than the board's value. The exact
//! player has no limit and draws any optimal edge, chosen by the nonce; all games share its table.

use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use doublecross::arena::statistics::wilson_interval;
use doublecross::arena::{Bot, match_nonce, referee};
use doublecross::board::{Board, Edge, Position, State};
use doublecross::solver::Solver;
use rayon::prelude::*;

/// Positions of the table that all games share: a gibibyte.
const TABLE: usize = 1 << 27;

/// A player of optimal edges.
struct Exact(Solver);

impl Bot for Exact {
    fn choose(&mut self, position: &Position, nonce: u64) -> Edge {
        let best = self.0.proved_edges(position.state(), position.lead(), u64::MAX).edges;
        position.pick(best, nonce).expect("a position that is not over")
    }
}

/// A move that let go of boxes.
struct Slip {
    undrawn: usize,
    edge: Edge,
    /// The bot's final lead with exact play before the move.
    before: i32,
    /// ...and after it.
    after: i32,
}

/// A game from the bot's side.
struct Game {
    seat: usize,
    margin: i32,
    slips: Vec<Slip>,
    faults: usize,
    moves: Vec<Edge>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (board, bot, games, seed) = match &arguments[..] {
        [board, bot, games] => (board, bot, games, "1"),
        [board, bot, games, seed] => (board, bot, games, seed.as_str()),
        _ => panic!("BOARD BOT GAMES [SEED]"),
    };
    let board: Board = board.parse().expect("a board");
    let (games, seed) = (games.parse::<usize>().expect("a number of games"), seed.parse::<u64>().expect("a seed"));
    let factory = doublecross_experiments::bot(bot);
    assert!(factory.knows(board), "{bot} does not play {board}");

    let mut solver = Solver::new(board, TABLE);
    let value = solver.margin(State::new(board), u64::MAX).expect("no limit");
    eprintln!("{board} is worth {value:+} to the first player");
    let (solver, finished) = (Mutex::new(solver), AtomicUsize::new(0));
    let tools = || (factory.make(), Exact(solver.lock().expect("no panic").worker()));
    let games = games.next_multiple_of(2);
    let played: Vec<Game> = (0..games)
        .into_par_iter()
        .map_init(tools, |(bot, exact), game| {
            let (seat, nonce) = (game % 2, match_nonce(seed, game as u64 / 2));
            let bots: [&mut dyn Bot; 2] = if seat == 0 { [&mut **bot, exact] } else { [exact, &mut **bot] };
            let (record, _) =
                referee(board, bots, nonce, &[], &AtomicBool::new(false)).expect("a game that nobody stops");
            let margin = record.scores[seat] as i32 - record.scores[1 - seat] as i32;
            let slips = slips(&mut exact.0, seat, &record.moves);
            let due = if seat == 0 { value } else { -value };
            assert_eq!(margin, due + slips.iter().map(|slip| slip.after - slip.before).sum::<i32>());
            let finished = finished.fetch_add(1, Ordering::Relaxed) + 1;
            eprintln!("{finished} of {games} played: game {game}, seat {seat}, {margin:+}");
            Game { seat, margin, slips, faults: record.faults[seat], moves: record.moves }
        })
        .collect();

    // The bot can only lose against exact play, so that a game without a slip is one that is held.
    let held = played.iter().filter(|game| game.slips.is_empty()).count();
    let distinct: HashSet<_> = played.iter().map(|game| (game.seat, &game.moves)).collect();
    let (low, high) = wilson_interval(held, games);
    println!(
        "{bot} held {held} of {games} games, {} of them different ({:.1} %, {:.1} to {:.1})",
        distinct.len(),
        100.0 * held as f64 / games as f64,
        100.0 * low,
        100.0 * high
    );
    for seat in 0..2 {
        let games: Vec<_> = played.iter().filter(|game| game.seat == seat).collect();
        let mut margins: BTreeMap<i32, usize> = BTreeMap::new();
        games.iter().for_each(|game| *margins.entry(game.margin).or_default() += 1);
        let margins: Vec<String> = margins.iter().map(|(margin, count)| format!("{count} of {margin:+}")).collect();
        println!("seat {seat}: {} games, {}", games.len(), margins.join(", "));
    }
    for (index, game) in played.iter().enumerate() {
        for Slip { undrawn, edge, before, after } in &game.slips {
            let edge = board.edge_name(*edge);
            println!("game {index}, seat {}: {edge} at {undrawn} undrawn edges, {before:+} to {after:+}", game.seat);
        }
    }
    println!("illegal, late or missing actions: {}", played.iter().map(|game| game.faults).sum::<usize>());
}

/// The moves of a seat that are worse than the best.
fn slips(solver: &mut Solver, seat: usize, moves: &[Edge]) -> Vec<Slip> {
    let mut position = Position::new(solver.board());
    let mut final_lead = |position: &Position| {
        let lead = solver.margin(position.state(), u64::MAX).expect("no limit") + position.lead();
        if position.mover() == seat { lead } else { -lead }
    };
    let mut slips = Vec::new();
    let mut before = final_lead(&position);
    for &edge in moves {
        let (mover, undrawn) = (position.mover(), position.undrawn().len());
        position.play(edge).expect("a move that was played");
        let after = final_lead(&position);
        assert!(mover == seat || before == after, "exact play loses nothing");
        if after < before {
            slips.push(Slip { undrawn, edge, before, after });
        }
        before = after;
    }
    slips
}
