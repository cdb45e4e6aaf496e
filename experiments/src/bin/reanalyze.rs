//! Does a network gain by learning again from its run's last games, with their policies searched anew?
//!
//! `cargo run --release -p doublecross-experiments --bin reanalyze -- RUN FROM OUT [SIMS]` writes two data sets of the run's
//! shards from generation FROM on: OUT/before with the samples as they are, and OUT/after with new policies for those
//! whose margin is not proved, of searches by the run's last weights. `doublecross learn --from` then learns from either.
//! Positions in which boxes have been captured keep their policies, because a sample does not tell who leads.

use std::path::Path;
use std::sync::Arc;

use doublecross::board::{Edge, MAX_EDGES};
use doublecross::net::Network;
use doublecross::run::config::Config;
use doublecross::run::load_weights;
use doublecross::search::{NetworkEvaluator, Search};
use doublecross::selfplay::{DataSet, MarginTarget, Sample, Shard};
use doublecross::solver::Solver;
use rayon::prelude::*;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [run, from, out, simulations @ ..] = &arguments[..] else { panic!("RUN FROM OUT [SIMS]") };
    let (run, out) = (Path::new(run), Path::new(out));
    let config = Config::load(&run.join("config.toml"), &[]).expect("a run's config");
    let network = Arc::new(Network::new(&load_weights(run).expect("a run's weights"), config.isa()));
    let mut selfplay = config.at(config.generations).selfplay;
    if let [simulations] = simulations {
        selfplay.simulations = simulations.parse().expect("a number of simulations");
    }
    let mut before: Option<DataSet> = None;
    let mut after: Option<DataSet> = None;
    for generation in from.parse::<u64>().expect("a generation")..=config.generations {
        let mut shard = Shard::read(&run.join(format!("shards/gen-{generation:06}.shard"))).expect("a whole shard");
        let board = shard.board;
        let begin = |name: &str| DataSet::open_or_begin(&out.join(name), board).expect("a folder");
        before.get_or_insert_with(|| begin("before")).push(&shard).expect("a folder");
        let tools = || {
            let search = Search::new(board, selfplay.search());
            (search, NetworkEvaluator::new(network.clone()), Solver::new(board, selfplay.table))
        };
        let is_open = |sample: &&mut Sample| !sample.margin.is_exact() && sample.state.open_boxes() == board.boxes();
        let open: Vec<&mut Sample> = shard.samples.iter_mut().filter(is_open).collect();
        let count = open.len();
        let moved: f64 = open
            .into_par_iter()
            .map_init(tools, |(search, evaluator, solver), sample| {
                solver.clear();
                let outcome = search.run(sample.state, 0, &[0.0; MAX_EDGES], evaluator, Some(solver));
                if let Some(margin) = outcome.margin() {
                    sample.margin = MarginTarget::Exact(margin as i8);
                }
                let policy = Sample::quantize(outcome.edge_policy());
                let moved = distance(&sample.policy, &policy);
                sample.policy = policy;
                moved
            })
            .sum();
        after.get_or_insert_with(|| begin("after")).push(&shard).expect("a folder");
        println!(
            "generation {generation}: {count} of {} searched, {:.3} of the policy moved",
            shard.samples.len(),
            moved / count as f64
        );
    }
}

/// The share of a policy that is elsewhere in another.
fn distance(a: &[(Edge, u16)], b: &[(Edge, u16)]) -> f64 {
    let of = |policy: &[(Edge, u16)], edge: Edge| {
        policy.iter().find(|&&(e, _)| e == edge).map_or(0.0, |&(_, weight)| weight as f64)
    };
    let edges = a.iter().chain(b.iter().filter(|&&(edge, _)| of(a, edge) == 0.0)).map(|&(edge, _)| edge);
    edges.map(|edge| (of(a, edge) - of(b, edge)).abs()).sum::<f64>() / (2.0 * u16::MAX as f64)
}
