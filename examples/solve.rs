//! Solves a position exactly: the margin for the player to move, and every edge that reaches it.
//!
//! ```sh
//! cargo run --release --example solve
//! cargo run --release --example solve -- 3x4
//! cargo run --release --example solve -- 5x5:0x37651497f4c5f2c
//! ```
//!
//! A position is a board, with a mask of its drawn edges if it is not empty. The margin is the number of boxes by which the
//! player to move will be ahead in the boxes still to be taken.

use std::error::Error;

use doublecross::board::{Position, State};
use doublecross::solver::Solver;

/// The most capture-free positions that the solver expands.
const NODES: u64 = 100_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let text = std::env::args().nth(1).unwrap_or_else(|| "5x5:0x37651497f4c5f2c".into());
    let state: State = text.parse()?;
    let board = state.board();
    print!("{}", Position::from_state(state));

    // A table of a million positions takes 8 MB.
    let mut solver = Solver::new(board, 1 << 20);
    let solution = solver.solve(state, NODES);
    match solution.margin() {
        Some(margin) => println!("margin {margin:+} for the player to move"),
        None => println!("margin {:+} to {:+}: not settled", solution.bounds.lower, solution.bounds.upper),
    }
    let best: Vec<String> = solution.best.iter().map(|edge| board.edge_name(edge)).collect();
    println!("best edges: {}", best.join(" "));
    println!("{} capture-free positions expanded", solution.nodes);
    Ok(())
}
