//! The number of undrawn edges that the solver can settle on a large board.
//!
//! `cargo run --release -p doublecross-experiments --bin large_boards -- [NODES [POSITIONS [BOARD UNDRAWN...]]]` draws
//! positions by random edges that offer no box, and solves the margin of each on one thread with a table of its own.

use doublecross::arena::random::{Purpose, random_state, stream};
use doublecross::board::Board;
use doublecross::solver::Solver;

/// Boards, and the numbers of undrawn edges.
const KINDS: [(usize, usize, &[usize]); 5] = [
    (5, 5, &[30, 32, 34, 36, 38]),
    (6, 6, &[42, 44, 46, 48, 50, 52, 54]),
    (7, 7, &[57, 60, 63, 66, 69]),
    (8, 8, &[72, 76, 80, 84, 88]),
    (9, 9, &[90, 94, 98, 102, 106]),
];

/// The entries of the solver's table for a million nodes, and for more.
const ENTRIES: [usize; 2] = [1 << 22, 1 << 26];

/// Openings that are tried for each position, since random ones may run out of safe edges too early.
const TRIES: u64 = 200;

fn main() {
    let number = |text: String| text.parse().expect("a number");
    let nodes: u64 = std::env::args().nth(1).map_or(1_000_000, number);
    let positions = std::env::args().nth(2).map_or(20, number);
    let entries = ENTRIES[usize::from(nodes > 1_000_000)];
    let mut kinds: Vec<(Board, Vec<usize>)> =
        KINDS.iter().map(|&(rows, cols, kinds)| (Board::new(rows, cols).expect("a board"), kinds.to_vec())).collect();
    if let Some(board) = std::env::args().nth(3) {
        let undrawn = std::env::args().skip(4).map(|text| text.parse().expect("a number"));
        kinds = vec![(board.parse().expect("a board"), undrawn.collect())];
    }
    println!("board undrawn positions settled  nodes: median  largest");
    for (board, kinds) in kinds {
        for undrawn in kinds {
            let drawn = board.edges() - undrawn;
            let states = (0..positions * TRIES).map(|number| {
                let mut rng = stream(1, undrawn as u64, number, Purpose::SelfPlay);
                random_state(board, drawn, true, &mut rng)
            });
            let states = states.filter(|state| state.undrawn().len() == undrawn && state.is_capture_free());
            let results = states.take(positions as usize).map(|state| {
                let mut solver = Solver::new(board, entries);
                (solver.margin(state, nodes).is_some(), solver.nodes())
            });
            let results: Vec<(bool, u64)> = results.collect();
            let settled = results.iter().filter(|(is_settled, _)| *is_settled).count();
            let mut counts: Vec<u64> = results.iter().map(|(_, nodes)| *nodes).collect();
            counts.sort_unstable();
            let (Some(median), Some(largest)) = (counts.get(counts.len() / 2), counts.last()) else { continue };
            println!("{board:>5} {undrawn:7} {:9} {settled:7} {median:14} {largest:8}", counts.len());
        }
    }
}
