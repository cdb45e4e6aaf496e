//! What says beforehand whether the solver settles a leaf: the undrawn edges, or the safe ones among them?
//!
//! `cargo run --release --example reach -- CHECKPOINT [NODES]`: leaves that searches of 64 simulations meet in games of the
//! checkpoint against itself, each given to a solver whose table lives on, with at most NODES nodes.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use doublecross::board::{Edges, MAX_EDGES};
use doublecross::net::Network;
use doublecross::random::{Purpose, stream};
use doublecross::search::{Choice, Search, Settings};
use doublecross::solver::{Offer, Solver, safe_edges};
use doublecross::train::{Recorder, load_weights};
use rand::RngExt;

const GAMES: u64 = 120;

/// Leaves are kept of so many undrawn edges.
const UNDRAWN: std::ops::RangeInclusive<usize> = 26..=42;

fn main() {
    let path = std::env::args().nth(1).expect("a checkpoint");
    let nodes: u64 = std::env::args().nth(2).map_or(1000, |text| text.parse().expect("a number of nodes"));
    let weights = load_weights(Path::new(&path)).expect("weights");
    let board = weights.board;
    let mut recorder = Recorder::new(Arc::new(Network::new(&weights)));
    let mut search = Search::new(board, Settings { simulations: 64, ..Settings::default() });
    let mut solver = Solver::new(board, 1 << 18);
    // By undrawn and safe edges: leaves, settled ones, nodes spent.
    let mut counts: BTreeMap<(usize, usize), [u64; 3]> = BTreeMap::new();
    for game in 0..GAMES {
        let mut rng = stream(3, 0, game, Purpose::SelfPlay);
        let mut drawn = Edges::EMPTY;
        for _ in 0..rng.random_range(4..16) {
            let safe = safe_edges(board, drawn);
            let Some(edge) = safe.iter().nth(rng.random_range(0..safe.len().max(1))) else { break };
            drawn.insert(edge);
        }
        while board.undrawn(drawn).len() > 28 {
            recorder.met.clear();
            let outcome = search.run(drawn, 0, &[0.0; MAX_EDGES], &mut recorder, None);
            for &leaf in recorder.met.iter().filter(|&&leaf| UNDRAWN.contains(&board.undrawn(leaf).len())) {
                let count = counts.entry((board.undrawn(leaf).len(), safe_edges(board, leaf).len())).or_default();
                count[0] += 1;
                count[1] += solver.margin(leaf, nodes).is_some() as u64;
                count[2] += solver.nodes();
            }
            let Choice::Draw(edges) = outcome.choice() else { break };
            drawn.insert(edges.lowest().expect("an edge"));
            drawn = board.drawn(Offer::resolve(board.layout(), board.strings(drawn)).rest);
        }
    }
    for (name, key) in [("undrawn", 0), ("safe", 1)] {
        let mut by: BTreeMap<usize, [u64; 3]> = BTreeMap::new();
        for (&(undrawn, safe), count) in &counts {
            let sum = by.entry(if key == 0 { undrawn } else { safe }).or_default();
            sum.iter_mut().zip(count).for_each(|(sum, count)| *sum += count);
        }
        println!("{name:>7}  leaves  settled  nodes a leaf  nodes for one settled");
        for (value, [leaves, settled, spent]) in by {
            let share = 100.0 * settled as f64 / leaves as f64;
            let mean = spent as f64 / leaves as f64;
            println!("{value:7} {leaves:7} {share:6.1} % {mean:13.0} {:22.0}", spent as f64 / settled.max(1) as f64);
        }
    }
}
