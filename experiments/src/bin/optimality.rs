//! The share of positions in which players choose an optimal edge, where the solver knows which edges are optimal.
//!
//! `cargo run --release -p doublecross-experiments --bin optimality -- CHECKPOINT NODES SUITE...` prints a table for
//! Markdown. The players are the checkpoint by its policy alone and by its search, the same search with even chances (the
//! control) and with random playouts, and alpha-beta of a few plies. NODES is the solver's budget at the root; each visit
//! of a leaf gets a hundredth of it, at most 256.

use std::collections::BTreeMap;
use std::sync::Arc;

use doublecross::arena::random::{Purpose, random_edge, stream};
use doublecross::arena::suite::SuitePosition;
use doublecross::board::{Board, Edge, Edges, Position, State};
use doublecross::net::Network;
use doublecross::search::{
    Cached, Evaluation, Evaluator, NetworkEvaluator, Player, RolloutEvaluator, Settings, UniformEvaluator,
};
use doublecross::solver::Solver;
use doublecross_experiments::{network, suite};
use rayon::prelude::*;

/// Entries of a solver's table.
const TABLE: usize = 1 << 18;

/// Entries of an evaluation cache.
const CACHE: usize = 1 << 12;

/// Simulations of searches.
const SIMULATIONS: [usize; 2] = [100, 800];

/// Plies of alpha-beta.
const PLIES: [usize; 2] = [4, 6];

/// A player of one thread.
type Chooser<'a> = Box<dyn FnMut(&Position) -> Edge + 'a>;

/// A player's name, and its maker for each thread.
type Maker<'a> = (String, Box<dyn Fn() -> Chooser<'a> + Sync + 'a>);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [checkpoint, nodes, suites @ ..] = &arguments[..] else { panic!("CHECKPOINT NODES SUITE...") };
    let nodes: u64 = nodes.parse().expect("a number of nodes");
    let network = network(checkpoint);
    let positions: Vec<SuitePosition> = suites.iter().flat_map(|path| suite(path).positions).collect();
    let undrawn = |position: &SuitePosition| position.state.undrawn().len();
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    positions.iter().for_each(|position| *counts.entry(undrawn(position)).or_default() += 1);

    let columns: Vec<String> = counts.iter().map(|(undrawn, count)| format!(" {undrawn} ({count}) ")).collect();
    println!("| optimal edges, % | {} | all |", columns.join("|"));
    println!("|---|{}---|", "---|".repeat(counts.len()));
    for (name, make) in makers(&network, nodes) {
        let hits: Vec<(usize, bool)> = positions
            .par_iter()
            .map_init(&make, |choose, position| {
                let edge = choose(&Position::from_state(position.state));
                (undrawn(position), position.best.contains(edge))
            })
            .collect();
        let share = |keep: &dyn Fn(usize) -> bool| {
            let kept: Vec<bool> = hits.iter().filter(|(undrawn, _)| keep(*undrawn)).map(|(_, hit)| *hit).collect();
            format!("{:.1}", 100.0 * kept.iter().filter(|&&hit| hit).count() as f64 / kept.len() as f64)
        };
        let cells: Vec<String> = counts.keys().map(|&wanted| share(&|undrawn| undrawn == wanted)).collect();
        println!("| {name} | {} | {} |", cells.join(" | "), share(&|_| true));
    }
}

/// The players that are compared.
fn makers(network: &Arc<Network>, nodes: u64) -> Vec<Maker<'_>> {
    let board = network.board();
    let judge = move || {
        // Cached, because `doublecross eval` also evaluates the canonical position.
        let evaluator = Cached::new(NetworkEvaluator::new(network.clone()), CACHE);
        let mut player = Player::new(board, Settings { margin_weight: 1.0, ..Settings::default() }, evaluator);
        Box::new(move |position: &Position| player.judge(position).0) as Chooser
    };
    let mut makers: Vec<Maker> = vec![("network, policy alone".into(), Box::new(judge))];
    for nodes in [0, nodes] {
        let with = if nodes > 0 { ", solver" } else { "" };
        for simulations in SIMULATIONS {
            let by_network = move || search(board, NetworkEvaluator::new(network.clone()), simulations, nodes);
            makers.push((format!("network, {simulations} simulations{with}"), Box::new(by_network)));
            let by_both = move || search(board, NetworkAndRollout::new(network), simulations, nodes);
            makers.push((format!("network and playouts, {simulations} simulations{with}"), Box::new(by_both)));
            let by_nothing = move || search(board, UniformEvaluator, simulations, nodes);
            makers.push((format!("control, {simulations} simulations{with}"), Box::new(by_nothing)));
            let by_rollouts = move || search(board, RolloutEvaluator, simulations, nodes);
            makers.push((format!("playouts, {simulations} simulations{with}"), Box::new(by_rollouts)));
        }
    }
    for plies in PLIES {
        let alpha_beta = move || Box::new(move |position: &Position| alpha_beta(position, plies)) as Chooser;
        makers.push((format!("alpha-beta, {plies} plies"), Box::new(alpha_beta)));
    }
    makers
}

/// A network whose margins are averaged with that of a playout.
struct NetworkAndRollout {
    network: NetworkEvaluator,
    rollout: Evaluation,
}

impl NetworkAndRollout {
    fn new(network: &Arc<Network>) -> NetworkAndRollout {
        NetworkAndRollout { network: NetworkEvaluator::new(network.clone()), rollout: Evaluation::new(network.board()) }
    }
}

impl Evaluator for NetworkAndRollout {
    fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
        RolloutEvaluator.evaluate(state, &mut self.rollout);
        self.network.evaluate(state, evaluation);
        for (margin, rollout) in evaluation.margins.iter_mut().zip(&self.rollout.margins) {
            *margin = 0.5 * *margin + 0.5 * rollout;
        }
    }
}

/// A search for the margin, with the solver if it has a budget.
fn search<'a, E: Evaluator + 'a>(board: Board, evaluator: E, simulations: usize, nodes: u64) -> Chooser<'a> {
    let settings = Settings { simulations, margin_weight: 1.0, ..Settings::default() };
    let settings = if nodes > 0 { settings.with_leaves(nodes) } else { settings };
    let player = Player::new(board, settings, Cached::new(evaluator, CACHE));
    let mut player = if nodes > 0 { player.with_solver(Solver::new(board, TABLE), usize::MAX, nodes) } else { player };
    Box::new(move |position| {
        player.clear();
        player.decide(position).edge
    })
}

/// One of the edges with the largest lead after this many plies, each as likely.
fn alpha_beta(position: &Position, plies: usize) -> Edge {
    let mut best = (i32::MIN, Edges::EMPTY);
    for edge in position.undrawn() {
        // The window lets edges as good as the best so far through.
        let value = value_after(position, edge, best.0.saturating_sub(1).max(-100), 100, plies);
        if value > best.0 {
            best = (value, Edges::EMPTY);
        }
        if value == best.0 {
            best.1.insert(edge);
        }
    }
    let drawn = u64::from_le_bytes(*position.drawn().to_bytes().first_chunk().expect("8 bytes"));
    random_edge(best.1, &mut stream(drawn, plies as u64, 0, Purpose::SelfPlay))
}

/// The lead of the player to move after this many plies of the best play for the lead, within the window.
fn value(position: &Position, mut lower: i32, upper: i32, plies: usize) -> i32 {
    if plies == 0 || position.is_over() {
        return position.lead();
    }
    let mut best = i32::MIN;
    for edge in position.undrawn() {
        best = best.max(value_after(position, edge, lower, upper, plies));
        lower = lower.max(best);
        if lower >= upper {
            break;
        }
    }
    best
}

fn value_after(position: &Position, edge: Edge, lower: i32, upper: i32, plies: usize) -> i32 {
    let mut after = position.clone();
    after.play(edge).expect("an undrawn edge");
    if after.mover() == position.mover() {
        value(&after, lower, upper, plies - 1)
    } else {
        -value(&after, -upper, -lower, plies - 1)
    }
}
