//! The calls a second that rules, network and solver answer, to compare with those from Python.
//!
//! `cargo run --release -p doublecross-experiments --bin calls -- FILE` writes the positions that it uses to FILE, which
//! `python3 experiments/calls.py FILE` reads. Everything is on 5x5 and on one thread.

use std::fs;
use std::hint::black_box;
use std::time::Instant;

use doublecross::arena::random::{Purpose, random_edge, random_state, stream};
use doublecross::board::{Board, Position, State};
use doublecross::built_in;
use doublecross::net::{Engine, Isa};
use doublecross::solver::Solver;

const GAMES: usize = 5_000;
const EVALUATIONS: usize = 8_192;
const SOLVES: usize = 2_000;

fn main() {
    let file = std::env::args().nth(1).expect("the file to write");
    let board = Board::new(5, 5).expect("the board exists");
    let mut rng = stream(1, 0, 0, Purpose::Opening);
    let mut states = |count: usize, drawn: usize| -> Vec<State> {
        (0..count).map(|_| random_state(board, drawn, true, &mut rng)).collect()
    };
    let (judged, solved) = (states(EVALUATIONS, 20), states(SOLVES, 30));
    let text: Vec<String> = judged.iter().chain(&solved).map(State::to_string).collect();
    fs::write(file, text.join("\n") + "\n").expect("the file can be written");

    let mut rng = stream(2, 0, 0, Purpose::Opening);
    rate("steps", GAMES * board.edges(), || {
        for _ in 0..GAMES {
            let mut position = Position::new(board);
            while !position.is_over() {
                position.play(random_edge(position.state().undrawn(), &mut rng)).expect("the edge is undrawn");
            }
        }
    });
    let mut engine =
        Engine::new(built_in().pretrained_networks(Isa::fastest()).expect("they are intact").network(board));
    rate("evaluations", EVALUATIONS, || {
        for &state in &judged {
            black_box(engine.forward(state).margins);
        }
    });
    // A small table, since the first use of a large one waits for memory.
    let mut solver = Solver::new(board, Solver::entries_in(8 << 20));
    rate("solves", SOLVES, || {
        for &state in &solved {
            black_box(solver.solve(state, u64::MAX));
        }
    });
}

/// Prints how often a second something was done.
fn rate(name: &str, count: usize, work: impl FnOnce()) {
    let start = Instant::now();
    work();
    println!("{name} {:.0}", count as f64 / start.elapsed().as_secs_f64());
}
