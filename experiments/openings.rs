//! What a checkpoint believes about the openings of its board: every position of one and of three edges, by the network
//! alone and after a search without solver.
//!
//! `cargo run --release --example openings -- CHECKPOINT SIMULATIONS`

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use doublecross::board::{Board, Edge, Edges, MAX_EDGES, format_edge};
use doublecross::net::Network;
use doublecross::search::{Cached, Evaluation, Evaluator, NetworkEvaluator, Search, Settings};
use doublecross::train::load_weights;
use rayon::prelude::*;

/// What is believed of a position: the chance that the player to move wins, and the value after a search, from -1 to 1.
#[derive(Clone, Copy, Default)]
struct Belief {
    raw: f32,
    searched: f32,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [checkpoint, simulations] = &arguments[..] else { panic!("CHECKPOINT SIMULATIONS") };
    let simulations = simulations.parse().expect("a number of simulations");
    let weights = load_weights(Path::new(checkpoint)).expect("weights");
    let board = weights.board;
    let network = Arc::new(Network::new(&weights));
    let edges: Vec<Edge> = board.all().iter().collect();
    let first = |edge: Edge| board.canonical(Edges::EMPTY.with(edge)).0;

    let singles: Vec<Edges> = edges.iter().map(|&edge| first(edge)).collect();
    let beliefs = believe(board, &network, simulations, &singles);
    println!("first move  raw chance of its player  value after {simulations} simulations");
    for (single, belief) in &beliefs {
        let name = board.edge_name(single.lowest().expect("one edge"));
        println!("{name:10}  {:23.1} %  {:+.3}", 100.0 * (1.0 - belief.raw), -belief.searched);
    }

    let mut triples = Vec::new();
    for (i, &a) in edges.iter().enumerate() {
        for (j, &b) in edges.iter().enumerate().skip(i + 1) {
            triples.extend(edges[j + 1..].iter().map(|&c| [a, b, c]));
        }
    }
    let of = |triple: &[Edge; 3]| board.canonical(triple.iter().copied().collect()).0;
    let canonical: Vec<Edges> = triples.iter().map(of).collect();
    let beliefs = believe(board, &network, simulations, &canonical);
    // After three edges the second player is to move.
    let mut by_first: BTreeMap<Edges, [usize; 3]> = BTreeMap::new();
    let mut all = [0; 3];
    for (triple, position) in triples.iter().zip(&canonical) {
        let belief = beliefs[position];
        let counts = [1, (belief.raw > 0.5) as usize, (belief.searched > 0.0) as usize];
        let add = |sums: &mut [usize; 3]| sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        add(&mut all);
        // As one that began with each of its edges.
        triple.iter().for_each(|&edge| add(by_first.entry(first(edge)).or_default()));
    }
    println!("three edges  positions ({} by symmetry)  the second player wins, raw  after search", beliefs.len());
    let line = |name: &str, [count, raw, searched]: [usize; 3]| {
        let share = |part: usize| 100.0 * part as f64 / count as f64;
        println!("{name:11}  {count:9}  {:5.1} %  {:5.1} %", share(raw), share(searched));
    };
    line("all", all);
    for (single, counts) in by_first {
        line(&format!("with {}", board.edge_name(single.lowest().expect("one edge"))), counts);
    }
}

/// What is believed of each of these canonical positions.
fn believe(board: Board, network: &Arc<Network>, simulations: usize, positions: &[Edges]) -> BTreeMap<Edges, Belief> {
    let mut distinct = positions.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let settings = Settings { simulations, margin_weight: 0.0, ..Settings::default() };
    let believe_one = |(evaluator, search): &mut (Cached<NetworkEvaluator>, Search), &drawn: &Edges| {
        let mut evaluation = Evaluation::BLANK;
        evaluator.evaluate(drawn, &mut evaluation);
        let raw = evaluation.margins[board.boxes() + 1..].iter().sum();
        let searched = search.run(drawn, 0, &[0.0; MAX_EDGES], evaluator, None).value;
        (drawn, Belief { raw, searched })
    };
    let tools =
        || (Cached::new(board, NetworkEvaluator::new(network.clone()), 1 << 12), Search::new(board, settings.clone()));
    distinct.par_iter().map_init(tools, believe_one).collect::<Vec<_>>().into_iter().collect()
}
