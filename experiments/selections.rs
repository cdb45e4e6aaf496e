//! Which way to select actions finds most optimal edges?
//!
//! `cargo run --release --example selections -- CHECKPOINT SUITE...`: the share of a suite's positions where a search without
//! a solver chooses an optimal edge, for Gumbel search with scales `(c_visit + most visits) * c_scale` and for PUCT, with
//! some numbers of simulations. A table for Markdown comes on stdout.

use std::path::Path;
use std::sync::Arc;

use doublecross::eval::{Suite, evaluate_suite};
use doublecross::net::Network;
use doublecross::search::{Scale, Selection, Settings};
use doublecross::train::load_weights;

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

/// PUCT's exploration.
const EXPLORATIONS: [f32; 5] = [0.2, 0.3, 0.45, 0.6, 1.0];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [checkpoint, suites @ ..] = &arguments[..] else { panic!("CHECKPOINT SUITE...") };
    let network = Arc::new(Network::new(&load_weights(Path::new(checkpoint)).expect("weights")));
    let suites: Vec<Suite> = suites.iter().map(|suite| Suite::read(Path::new(suite)).expect("a suite")).collect();
    let positions: usize = suites.iter().map(|suite| suite.positions.len()).sum();
    let share = |settings: &Settings| {
        let hits = |suite: &Suite| {
            let bands = evaluate_suite(&network, suite, settings, None, &|_| ());
            bands.last().map_or(0.0, |all| all.search_optimal.share * all.positions as f64)
        };
        100.0 * suites.iter().map(hits).sum::<f64>() / positions as f64
    };
    let row = |name: String, selection: Selection, scale: Scale| {
        let cells = SIMULATIONS.map(|simulations| {
            // For the margin alone, as `doublecross eval` asks.
            let settings = Settings { simulations, selection, scale, margin_weight: 1.0, ..Settings::default() };
            format!("{:.1}", share(&settings))
        });
        println!("| {name} | {} |", cells.join(" | "));
    };
    println!("| selection | {} |", SIMULATIONS.map(|simulations| simulations.to_string()).join(" | "));
    println!("|---|{}", "---|".repeat(SIMULATIONS.len()));
    for (c_visit, c_scale) in SCALES {
        row(format!("Gumbel, {c_visit} and {c_scale}"), Selection::Gumbel, Scale { c_visit, c_scale });
    }
    for exploration in EXPLORATIONS {
        row(format!("PUCT, {exploration}"), Selection::Puct { exploration }, Settings::default().scale);
    }
}
