//! What does a network believe about openings? Every position of one and of three drawn edges, by the network alone and
//! after a search without the solver.
//!
//! `cargo run --release -p doublecross-experiments --bin openings -- CHECKPOINT SIMULATIONS`

use std::collections::BTreeMap;
use std::sync::Arc;

use doublecross::board::{Board, Edge, Edges, MAX_EDGES, State};
use doublecross::net::Network;
use doublecross::search::{Cached, Evaluation, Evaluator, NetworkEvaluator, Search, Settings};
use doublecross_experiments::network;
use rayon::prelude::*;

/// The player to move: its chance to win by the network alone, and its value after a search, from -1 to 1.
#[derive(Clone, Copy, Default)]
struct Belief {
    raw: f32,
    searched: f32,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [checkpoint, simulations] = &arguments[..] else { panic!("CHECKPOINT SIMULATIONS") };
    let simulations = simulations.parse().expect("a number of simulations");
    let network = network(checkpoint);
    let board = network.board();
    let edges: Vec<Edge> = board.all().iter().collect();
    let canonical = |edges: Edges| State::from_drawn(board, edges).canonical().0.drawn();
    let first = |edge: Edge| canonical(Edges::EMPTY.with(edge));

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
    let positions: Vec<Edges> = triples.iter().map(|triple| canonical(triple.iter().copied().collect())).collect();
    let beliefs = believe(board, &network, simulations, &positions);
    // After three edges the second player is to move.
    let mut by_first: BTreeMap<Edges, [usize; 3]> = BTreeMap::new();
    let mut all = [0; 3];
    for (triple, position) in triples.iter().zip(&positions) {
        let belief = beliefs[position];
        let counts = [1, (belief.raw > 0.5) as usize, (belief.searched > 0.0) as usize];
        let add = |sums: &mut [usize; 3]| sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        add(&mut all);
        // Any of the three may have been the first move.
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

/// The belief about each of these canonical positions.
fn believe(board: Board, network: &Arc<Network>, simulations: usize, positions: &[Edges]) -> BTreeMap<Edges, Belief> {
    let mut distinct = positions.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let settings = Settings { simulations, margin_weight: 0.0, ..Settings::default() };
    let believe_one = |(evaluator, search): &mut (Cached<NetworkEvaluator>, Search), &drawn: &Edges| {
        let (state, mut evaluation) = (State::from_drawn(board, drawn), Evaluation::new(board));
        evaluator.evaluate(state, &mut evaluation);
        let raw = evaluation.margins[board.boxes() + 1..].iter().sum();
        let searched = search.run(state, 0, &[0.0; MAX_EDGES], evaluator, None).value;
        (drawn, Belief { raw, searched })
    };
    let tools = || (Cached::new(NetworkEvaluator::new(network.clone()), 1 << 12), Search::new(board, settings.clone()));
    distinct.par_iter().map_init(tools, believe_one).collect::<Vec<_>>().into_iter().collect()
}
