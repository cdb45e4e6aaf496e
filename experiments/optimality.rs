//! How often players choose an optimal edge where the solver knows which are: a checkpoint by its policy alone and by its
//! search, the same search without any knowledge (the control), the same with random playouts, and alpha-beta of a few
//! plies, without the solver and with it.
//!
//! `cargo run --release --example optimality -- CHECKPOINT NODES SUITE...`: NODES is the solver's budget at the root, a
//! hundredth of it, 256 at most, that for each visit of a leaf. A table for Markdown comes on stdout.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use doublecross::board::{Board, Edge, Edges, Position};
use doublecross::eval::{Suite, SuitePosition};
use doublecross::net::Network;
use doublecross::random::{Purpose, stream};
use doublecross::search::{
    Cached, Evaluation, Evaluator, NetworkEvaluator, Player, RolloutEvaluator, Settings, UniformEvaluator,
};
use doublecross::solver::Solver;
use doublecross::train::load_weights;
use rand::RngExt;
use rayon::prelude::*;

/// Entries of a solver's table.
const TABLE: usize = 1 << 18;

/// Simulations of searches.
const SIMULATIONS: [usize; 2] = [100, 800];

/// Plies of alpha-beta.
const PLIES: [usize; 2] = [4, 6];

/// Something that chooses edges.
type Chooser<'a> = Box<dyn FnMut(&Position) -> Edge + 'a>;

/// A name, and what makes a chooser for a thread.
type Maker<'a> = (String, Box<dyn Fn() -> Chooser<'a> + Sync + 'a>);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [checkpoint, nodes, suites @ ..] = &arguments[..] else { panic!("CHECKPOINT NODES SUITE...") };
    let nodes: u64 = nodes.parse().expect("a number of nodes");
    let weights = load_weights(Path::new(checkpoint)).expect("weights");
    let board = weights.board;
    let network = Arc::new(Network::new(&weights));
    let suites = suites.iter().map(|suite| Suite::read(Path::new(suite)).expect("a suite"));
    let positions: Vec<SuitePosition> = suites.flat_map(|suite| suite.positions).collect();
    let undrawn = |position: &SuitePosition| board.undrawn(position.drawn).len();
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    positions.iter().for_each(|position| *counts.entry(undrawn(position)).or_default() += 1);

    let columns: Vec<String> = counts.iter().map(|(undrawn, count)| format!(" {undrawn} ({count}) ")).collect();
    println!("| optimal edges, % | {} | all |", columns.join("|"));
    println!("|---|{}---|", "---|".repeat(counts.len()));
    for (name, make) in makers(board, &network, nodes) {
        let hits: Vec<(usize, bool)> = positions
            .par_iter()
            .map_init(&make, |choose, position| {
                let edge = choose(&Position::from_edges(board, position.drawn));
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

/// Everything that is compared.
fn makers(board: Board, network: &Arc<Network>, nodes: u64) -> Vec<Maker<'_>> {
    let judge = move || {
        // As `doublecross eval` asks: for the canonical position.
        let evaluator = Cached::new(board, NetworkEvaluator::new(network.clone()), 1 << 12);
        let mut player = Player::new(board, Settings { margin_weight: 1.0, ..Settings::default() }, evaluator);
        Box::new(move |position: &Position| player.judge(position).0) as Chooser
    };
    let mut makers: Vec<Maker> = vec![("network, policy alone".into(), Box::new(judge))];
    for nodes in [0, nodes] {
        let with = if nodes > 0 { ", solver" } else { "" };
        for simulations in SIMULATIONS {
            let by_network = move || search(board, NetworkEvaluator::new(network.clone()), simulations, nodes);
            makers.push((format!("network, {simulations} simulations{with}"), Box::new(by_network)));
            let by_both = move || search(board, Both::new(board, network), simulations, nodes);
            makers.push((format!("network and playouts, {simulations} simulations{with}"), Box::new(by_both)));
            let by_nothing = move || search(board, UniformEvaluator, simulations, nodes);
            makers.push((format!("control, {simulations} simulations{with}"), Box::new(by_nothing)));
            let by_playouts = move || search(board, RolloutEvaluator::new(board), simulations, nodes);
            makers.push((format!("playouts, {simulations} simulations{with}"), Box::new(by_playouts)));
        }
    }
    for plies in PLIES {
        let alpha_beta = move || Box::new(move |position: &Position| alpha_beta(position, plies)) as Chooser;
        makers.push((format!("alpha-beta, {plies} plies"), Box::new(alpha_beta)));
    }
    makers
}

/// A network whose margins are averaged with that of a playout.
struct Both {
    network: NetworkEvaluator,
    playout: RolloutEvaluator,
    margins: Evaluation,
}

impl Both {
    fn new(board: Board, network: &Arc<Network>) -> Both {
        let network = NetworkEvaluator::new(network.clone());
        Both { network, playout: RolloutEvaluator::new(board), margins: Evaluation::BLANK }
    }
}

impl Evaluator for Both {
    fn evaluate(&mut self, drawn: Edges, evaluation: &mut Evaluation) {
        self.playout.evaluate(drawn, &mut self.margins);
        self.network.evaluate(drawn, evaluation);
        for (margin, played) in evaluation.margins.iter_mut().zip(&self.margins.margins) {
            *margin = 0.5 * *margin + 0.5 * played;
        }
    }
}

/// A search for the margin, with the solver where it has a budget.
fn search<'a, E: Evaluator + 'a>(board: Board, evaluator: E, simulations: usize, nodes: u64) -> Chooser<'a> {
    let settings = Settings { simulations, margin_weight: 1.0, ..Settings::default() };
    let settings = if nodes > 0 { settings.with_leaves(nodes) } else { settings };
    let player = Player::new(board, settings, Cached::new(board, evaluator, 1 << 12));
    let mut player = if nodes > 0 { player.with_solver(Solver::new(board, TABLE), usize::MAX, nodes) } else { player };
    Box::new(move |position| {
        player.clear();
        player.decide(position).edge
    })
}

/// One of the edges that lead to the largest lead after so many plies, any of them as likely.
fn alpha_beta(position: &Position, plies: usize) -> Edge {
    let mut best = (i32::MIN, Vec::new());
    for edge in position.undrawn().iter() {
        // Edges as good as the best so far are wanted as well.
        let value = value_after(position, edge, best.0.saturating_sub(1).max(-100), 100, plies);
        if value > best.0 {
            best = (value, Vec::new());
        }
        if value == best.0 {
            best.1.push(edge);
        }
    }
    let drawn = u64::from_le_bytes(position.drawn().to_bytes());
    best.1[stream(drawn, plies as u64, 0, Purpose::SelfPlay).random_range(0..best.1.len())]
}

/// The lead of the player to move after so many plies of the best play for the lead, between the bounds.
fn value(position: &Position, mut lower: i32, upper: i32, plies: usize) -> i32 {
    if plies == 0 || position.is_over() {
        return position.lead();
    }
    let mut best = i32::MIN;
    for edge in position.undrawn().iter() {
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
