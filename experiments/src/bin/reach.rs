//! What predicts whether the solver settles a leaf: its undrawn edges, or the safe ones among them?
//!
//! `cargo run --release -p doublecross-experiments --bin reach -- CHECKPOINT [NODES]` collects the leaves that searches of
//! 64 simulations meet in games of the checkpoint against itself. A solver whose table lives on from leaf to leaf gets at
//! most NODES nodes for each.

use std::collections::BTreeMap;

use doublecross::board::MAX_EDGES;
use doublecross::arena::random::{Purpose, random_state, stream};
use doublecross::search::{Choice, Search, Settings};
use doublecross::solver::Solver;
use doublecross::train::Recorder;
use doublecross_experiments::network;
use rand::RngExt;

const GAMES: u64 = 120;

/// The undrawn edges of the leaves that are counted.
const UNDRAWN: std::ops::RangeInclusive<usize> = 26..=42;

/// Games end where this many edges are undrawn.
const LAST_UNDRAWN: usize = 28;

/// Leaves with equal numbers of undrawn or of safe edges.
#[derive(Clone, Copy, Default)]
struct Count {
    leaves: u64,
    settled: u64,
    nodes: u64,
}

fn main() {
    let checkpoint = std::env::args().nth(1).expect("a checkpoint");
    let nodes: u64 = std::env::args().nth(2).map_or(1000, |text| text.parse().expect("a number of nodes"));
    let network = network(&checkpoint);
    let board = network.board();
    let mut recorder = Recorder::new(network);
    let mut search = Search::new(board, Settings { simulations: 64, ..Settings::default() });
    let mut solver = Solver::new(board, 1 << 18);
    // By undrawn and safe edges.
    let mut counts: BTreeMap<(usize, usize), Count> = BTreeMap::new();
    for game in 0..GAMES {
        let mut rng = stream(3, 0, game, Purpose::SelfPlay);
        let opening = rng.random_range(4..16);
        let mut state = random_state(board, opening, true, &mut rng);
        while state.undrawn().len() > LAST_UNDRAWN {
            recorder.met.clear();
            let outcome = search.run(state, 0, &[0.0; MAX_EDGES], &mut recorder, None);
            for &leaf in recorder.met.iter().filter(|leaf| UNDRAWN.contains(&leaf.undrawn().len())) {
                let count = counts.entry((leaf.undrawn().len(), leaf.safe_edges().len())).or_default();
                count.leaves += 1;
                count.settled += solver.margin(leaf, nodes).is_some() as u64;
                count.nodes += solver.nodes();
            }
            let Choice::Draw(edges) = outcome.choice() else { break };
            state = state.after(edges.lowest().expect("an edge")).offer().rest;
        }
    }
    print_by("undrawn", counts.iter().map(|(&(undrawn, _), &count)| (undrawn, count)));
    print_by("safe", counts.iter().map(|(&(_, safe), &count)| (safe, count)));
}

/// Prints the sums of the counts with equal keys.
fn print_by(name: &str, counts: impl Iterator<Item = (usize, Count)>) {
    let mut sums: BTreeMap<usize, Count> = BTreeMap::new();
    for (key, count) in counts {
        let sum = sums.entry(key).or_default();
        sum.leaves += count.leaves;
        sum.settled += count.settled;
        sum.nodes += count.nodes;
    }
    println!("{name:>7}  leaves  settled  nodes a leaf  nodes for one settled");
    for (key, Count { leaves, settled, nodes }) in sums {
        let share = 100.0 * settled as f64 / leaves as f64;
        let mean = nodes as f64 / leaves as f64;
        println!("{key:7} {leaves:7} {share:6.1} % {mean:13.0} {:22.0}", nodes as f64 / settled.max(1) as f64);
    }
}
