//! Which positions of suites are in the training data of a run?
//!
//! `cargo run --release --example seen -- RUN SUITE...`: on stderr how many positions of each suite are, under any symmetry,
//! among the rows of the run's shards; on stdout the lines of the others, a suite of what the run has not learnt.

#[path = "trained.rs"]
mod trained;

use std::path::Path;

use doublecross::board::Edges;
use doublecross::eval::Suite;
use trained::trained;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [run, suites @ ..] = &arguments[..] else { panic!("RUN SUITE...") };
    let seen = trained(std::slice::from_ref(run));
    for path in suites {
        let suite = Suite::read(Path::new(path)).expect("a suite");
        let text = std::fs::read_to_string(path).expect("a suite");
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let is_new = |drawn: Edges| !seen.contains(&suite.board.canonical(drawn).0);
        let new: Vec<&str> =
            lines.zip(&suite.positions).filter(|(_, position)| is_new(position.drawn)).map(|(line, _)| line).collect();
        eprintln!("{path}: {} of {} seen", suite.positions.len() - new.len(), suite.positions.len());
        new.iter().for_each(|line| println!("{line}"));
    }
}
