//! Which scales of the search's Q-transform find most optimal edges?
//!
//! `cargo run --release --example scales -- CHECKPOINT SUITE...`: the share of a suite's positions where a search without a
//! solver chooses an optimal edge, for scales `(c_visit + most visits) * c_scale` and some numbers of simulations. A table
//! for Markdown comes on stdout.

use std::path::Path;
use std::sync::Arc;

use doublecross::board::Position;
use doublecross::eval::{Suite, SuitePosition};
use doublecross::net::Network;
use doublecross::search::{Cached, NetworkEvaluator, Player, Scale, Settings};
use doublecross::train::load_weights;
use rayon::prelude::*;

const SIMULATIONS: [usize; 3] = [200, 800, 3200];

/// `c_visit` and `c_scale`.
const SCALES: [(f32, f32); 10] = [
    (50.0, 1.0),
    (10.0, 1.0),
    (2.0, 1.0),
    (50.0, 0.5),
    (20.0, 0.5),
    (50.0, 0.3),
    (10.0, 0.3),
    (2.0, 0.3),
    (50.0, 0.1),
    (10.0, 0.1),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [checkpoint, suites @ ..] = &arguments[..] else { panic!("CHECKPOINT SUITE...") };
    let weights = load_weights(Path::new(checkpoint)).expect("weights");
    let network = Arc::new(Network::new(&weights));
    let suites = suites.iter().map(|suite| Suite::read(Path::new(suite)).expect("a suite"));
    let positions: Vec<SuitePosition> = suites.flat_map(|suite| suite.positions).collect();
    // As `doublecross eval` asks: for the canonical position, and for the margin alone.
    let share = |settings: &Settings| {
        let player = || {
            let evaluator = Cached::new(weights.board, NetworkEvaluator::new(network.clone()), 1 << 12);
            Player::new(weights.board, settings.clone(), evaluator)
        };
        let is_optimal = |player: &mut Player<_>, position: &SuitePosition| {
            position.best.contains(player.decide(&Position::from_edges(weights.board, position.drawn)).edge)
        };
        let hits = positions.par_iter().map_init(player, is_optimal).filter(|&is_optimal| is_optimal).count();
        100.0 * hits as f64 / positions.len() as f64
    };
    println!("| c_visit | c_scale | {} |", SIMULATIONS.map(|simulations| simulations.to_string()).join(" | "));
    println!("|---|---|{}", "---|".repeat(SIMULATIONS.len()));
    for (c_visit, c_scale) in SCALES {
        let cells = SIMULATIONS.map(|simulations| {
            let scale = Some(Scale { c_visit, c_scale });
            let settings = Settings { simulations, scale, margin_weight: 1.0, ..Settings::default() };
            format!("{:.1}", share(&settings))
        });
        println!("| {c_visit} | {c_scale} | {} |", cells.join(" | "));
    }
}
