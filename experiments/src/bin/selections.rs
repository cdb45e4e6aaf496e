//! Which rule of selection finds most optimal edges?
//!
//! `cargo run --release -p doublecross-experiments --bin selections -- CHECKPOINT SUITE...` prints a table for Markdown: the
//! share of the suites' positions where a search without the solver chooses an optimal edge. Rows are Gumbel search with
//! scales `(c_visit + most visits) * c_scale`, and PUCT; columns are numbers of simulations.

use doublecross::arena::suite::{Suite, evaluate_suite};
use doublecross::search::{Budget, Scale, Selection, Settings};
use doublecross_experiments::{network, suite};

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

/// Exploration constants of PUCT.
const EXPLORATIONS: [f32; 5] = [0.2, 0.3, 0.45, 0.6, 1.0];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [checkpoint, suites @ ..] = &arguments[..] else { panic!("CHECKPOINT SUITE...") };
    let network = network(checkpoint);
    let suites: Vec<Suite> = suites.iter().map(|path| suite(path)).collect();
    let positions: usize = suites.iter().map(|suite| suite.positions.len()).sum();
    let share = |budget: &Budget| {
        let hits = |suite: &Suite| {
            let bands = evaluate_suite(&network, suite, budget, &|_| ());
            bands.last().map_or(0.0, |all| all.search_optimal.share * all.positions as f64)
        };
        100.0 * suites.iter().map(hits).sum::<f64>() / positions as f64
    };
    let print_row = |name: String, selection: Selection, scale: Scale| {
        let cells = SIMULATIONS.map(|simulations| {
            let budget = Budget::new(simulations, 0);
            // For the margin alone, as in `doublecross eval`.
            let settings = Settings { selection, scale, margin_weight: 1.0, ..budget.settings };
            format!("{:.1}", share(&Budget { settings, ..budget }))
        });
        println!("| {name} | {} |", cells.join(" | "));
    };
    println!("| selection | {} |", SIMULATIONS.map(|simulations| simulations.to_string()).join(" | "));
    println!("|---|{}", "---|".repeat(SIMULATIONS.len()));
    for (c_visit, c_scale) in SCALES {
        print_row(format!("Gumbel, {c_visit} and {c_scale}"), Selection::Gumbel, Scale { c_visit, c_scale });
    }
    for exploration in EXPLORATIONS {
        print_row(format!("PUCT, {exploration}"), Selection::Puct { exploration }, Settings::default().scale);
    }
}
