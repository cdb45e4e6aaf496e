//! Which positions of suites are in the training data of a run?
//!
//! `cargo run --release -p doublecross-experiments --bin seen -- RUN SUITE...` prints to stderr how many positions of each
//! suite are among the training samples of the run's shards, under any symmetry. The lines of the other positions go to
//! stdout: a suite of what the run has not learned from.

use std::collections::HashSet;
use std::path::Path;

use doublecross::board::State;
use doublecross::selfplay::Shard;
use doublecross_experiments::suite;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [run, suites @ ..] = &arguments[..] else { panic!("RUN SUITE...") };
    let trained = trained_states(run);
    for path in suites {
        let suite = suite(path);
        let text = std::fs::read_to_string(path).expect("a suite");
        let is_position = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
        let lines = text.lines().filter(is_position).zip(&suite.positions);
        let is_new = |state: State| !trained.contains(&state.canonical().0);
        let new: Vec<&str> = lines.filter(|(_, position)| is_new(position.state)).map(|(line, _)| line).collect();
        eprintln!("{path}: {} of {} seen", suite.positions.len() - new.len(), suite.positions.len());
        new.iter().for_each(|line| println!("{line}"));
    }
}

/// The canonical states of all training samples of a run. Their number is printed to stderr.
fn trained_states(run: &str) -> HashSet<State> {
    let (mut samples, mut states) = (0, HashSet::new());
    for entry in std::fs::read_dir(Path::new(run).join("shards")).expect("a run's shards").flatten() {
        let shard = Shard::read(&entry.path()).expect("a whole shard");
        samples += shard.samples.len();
        states.extend(shard.samples.iter().map(|sample| sample.state.canonical().0));
    }
    eprintln!("{samples} training samples of {} different positions", states.len());
    states
}
