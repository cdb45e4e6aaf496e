//! The quality of the targets that games give where the solver does not label, for several Q-transforms.
//!
//! `cargo run --release -p doublecross-experiments --bin targets -- CONFIG CHECKPOINT GAMES NODES UNDRAWN
//! [VISIT/SCALE/SIMS[/LEAF_UNDRAWN/LEAF_NODES]...]` plays a generation's games with these weights, and solves those
//! positions whose number of undrawn edges is in UNDRAWN, as in 39-41, and whose margin the games did not prove, each
//! with at most so many nodes. It compares the games' targets with the answers, and then the policies of searches of
//! the same positions, one for each `c_visit/c_scale/simulations` and, where given, limits of the solver at leaves. A
//! policy spreads over `exp(entropy)` edges.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use doublecross::board::{Edges, MAX_EDGES};
use doublecross::net::Network;
use doublecross::proof::Books;
use doublecross::run::config::{Config, SelfPlayConfig};
use doublecross::run::load_weights;
use doublecross::search::{Choice, NetworkEvaluator, Search};
use doublecross::selfplay::{MarginTarget, Orders, Sample, Session, play_all};
use doublecross::solver::{Solution, Solver};
use rayon::prelude::*;

/// The sums of figures of policies.
#[derive(Clone, Copy, Default)]
struct Sums {
    positions: f64,
    spread: f64,
    mass: f64,
    first: f64,
    milliseconds: f64,
}

impl Sums {
    /// The figures of a policy, of weights by undrawn edges, where these are optimal.
    fn of(policy: &[(Edges, f32)], best: Edges) -> Sums {
        let total: f32 = policy.iter().map(|&(_, weight)| weight).sum();
        let (mut entropy, mut mass, mut most) = (0.0f32, 0.0, (0.0, false));
        for &(edges, weight) in policy {
            // The edges of an action share its probability.
            let (share, optimal) = (weight / total, edges.intersection(best).len() as f32 / edges.len() as f32);
            if share > 1e-9 {
                entropy -= share * (share / edges.len() as f32).ln();
            }
            mass += share * optimal;
            if share > most.0 {
                most = (share, optimal > 0.0);
            }
        }
        let first = most.1 as u8 as f64;
        Sums { positions: 1.0, spread: entropy.exp() as f64, mass: mass as f64, first, milliseconds: 0.0 }
    }

    fn add(self, other: Sums) -> Sums {
        Sums {
            positions: self.positions + other.positions,
            spread: self.spread + other.spread,
            mass: self.mass + other.mass,
            first: self.first + other.first,
            milliseconds: self.milliseconds + other.milliseconds,
        }
    }

    fn print(self, name: &str) {
        let Sums { positions, spread, mass, first, milliseconds } = self;
        println!(
            "{name:>20}: over {:.1} edges, {:.1} % of the mass is optimal, the first in {:.1} %; {:.1} ms",
            spread / positions,
            100.0 * mass / positions,
            100.0 * first / positions,
            milliseconds / positions
        );
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [config, checkpoint, games, nodes, undrawn, searches @ ..] = &arguments[..] else {
        panic!("CONFIG CHECKPOINT GAMES NODES UNDRAWN [VISIT/SCALE/SIMS...]")
    };
    let mut config = Config::load(Path::new(config), &[]).expect("a config");
    (config.selfplay.games, config.labeled.positions) = (games.parse().expect("a number of games"), 0);
    let nodes: u64 = nodes.parse().expect("a number of nodes");
    let (least, most) = undrawn.split_once('-').expect("undrawn edges, as in 39-41");
    let undrawn = least.parse::<usize>().expect("a number")..=most.parse().expect("a number");
    let weights = load_weights(Path::new(checkpoint)).expect("weights");
    let network = Arc::new(Network::new(&weights, config.isa()));
    let session = Session::new(Orders::new(&config, 1, weights, Vec::new(), &Books::default()));
    let board = session.orders.board;
    let samples = play_all(session).items.into_iter().flat_map(|item| item.samples);
    let unproved: Vec<Sample> =
        samples.filter(|sample| !sample.margin.is_exact() && undrawn.contains(&sample.state.undrawn().len())).collect();
    eprintln!("{} positions to solve", unproved.len());
    let solver = || Solver::new(board, 1 << 22);
    let solve = |solver: &mut Solver, sample: Sample| {
        let solution = solver.solve(sample.state, nodes);
        (!solution.best.is_empty()).then_some((sample, solution))
    };
    let solved: Vec<(Sample, Solution)> = unproved.into_par_iter().map_init(solver, solve).flatten().collect();
    let best = solved.iter().map(|(_, solution)| solution.best.len()).sum::<usize>() as f64 / solved.len() as f64;
    println!("{} positions solved, {best:.1} optimal edges each", solved.len());
    print_margins(&solved);
    let of_games = solved.iter().map(|(sample, solution)| {
        let policy: Vec<(Edges, f32)> =
            sample.policy.iter().map(|&(edge, weight)| (std::iter::once(edge).collect(), weight as f32)).collect();
        Sums::of(&policy, solution.best)
    });
    of_games.fold(Sums::default(), Sums::add).print("games");
    for search in searches {
        let values: Vec<f64> = search.split('/').map(|value| value.parse().expect("a number")).collect();
        let &[c_visit, c_scale, simulations, ref leaves @ ..] = &values[..] else { panic!("VISIT/SCALE/SIMS") };
        let simulations = simulations as usize;
        let mut selfplay = SelfPlayConfig { c_visit, c_scale, simulations, ..config.at(1).selfplay };
        if let &[undrawn, nodes] = leaves {
            (selfplay.leaf_undrawn, selfplay.leaf_nodes) = (Some(undrawn as usize), nodes as u64);
        }
        let settings = selfplay.search();
        let tools = || {
            (Search::new(board, settings.clone()), NetworkEvaluator::new(network.clone()), Solver::new(board, 1 << 18))
        };
        let sums = solved.par_iter().map_init(tools, |(search, evaluator, solver), (sample, solution)| {
            solver.clear();
            let start = Instant::now();
            let outcome = search.run(sample.state, 0, &[0.0; MAX_EDGES], evaluator, Some(solver));
            let milliseconds = 1e3 * start.elapsed().as_secs_f64();
            let of_action = |action: &doublecross::search::RootAction| match action.choice {
                Choice::Draw(edges) => Some((edges, action.policy)),
                _ => None,
            };
            let policy: Vec<(Edges, f32)> = outcome.actions.iter().filter_map(of_action).collect();
            Sums { milliseconds, ..Sums::of(&policy, solution.best) }
        });
        sums.reduce(Sums::default, Sums::add).print(search);
    }
}

/// Prints how far the margins of the games are from the answers.
fn print_margins(solved: &[(Sample, Solution)]) {
    let (mut error, mut signs, mut decided, mut corrected) = (0.0, 0, 0, 0);
    for (sample, solution) in solved {
        let margin = solution.margin().expect("solved");
        let (lower, upper) = sample.margin.range();
        if let MarginTarget::Within(..) = sample.margin {
            corrected += 1;
            assert!((lower as i32..=upper as i32).contains(&margin));
            continue;
        }
        error += (lower as i32 - margin).abs() as f64;
        if margin != 0 {
            decided += 1;
            signs += (lower as i32 * margin > 0) as usize;
        }
    }
    let played = solved.len() - corrected;
    println!(
        "margins of games: {:.2} boxes off in the mean, the sign right in {signs} of {decided}; {corrected} others are \
         proved bounds",
        error / played as f64
    );
}
