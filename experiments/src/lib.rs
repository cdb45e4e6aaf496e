//! Shared code of the experiments. Each program in `src/bin` answers one question; its command, figures and decision are in
//! `docs/experiments`.
//!
//! The programs are for the desk of whoever runs them: they panic on bad arguments.
#![cfg(feature = "trainer")]

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use doublecross::arena::{BotFactory, BotSpec};
use doublecross::board::State;
use doublecross::arena::suite::Suite;
use doublecross::net::{Isa, Network};
use doublecross::train::Shard;
use doublecross::run::load_weights;

/// The network of a checkpoint, on the fastest instruction set.
///
/// # Panics
/// Panics if the checkpoint cannot be read.
pub fn network(checkpoint: &str) -> Arc<Network> {
    let weights = load_weights(Path::new(checkpoint)).expect("weights");
    Arc::new(Network::new(&weights, Isa::fastest()))
}

/// The factory of a bot, as it is named on the command line.
///
/// # Panics
/// Panics if there is no such bot or its checkpoint cannot be read.
pub fn bot(name: &str) -> BotFactory {
    let spec: BotSpec = name.parse().expect("a bot");
    let resolve = |path: &Path| load_weights(path).map_err(|error| error.to_string());
    spec.factory_with(Isa::fastest(), resolve).expect("its weights")
}

/// A suite of positions with exact answers.
///
/// # Panics
/// Panics if the file is not a suite.
pub fn suite(path: &str) -> Suite {
    Suite::read(Path::new(path)).expect("a suite")
}

/// The canonical states of all training samples of these runs. Their number is printed to stderr.
///
/// # Panics
/// Panics if a run has no shards or one of them is damaged.
pub fn trained_states(runs: &[String]) -> HashSet<State> {
    let (mut samples, mut states) = (0, HashSet::new());
    for run in runs {
        for entry in std::fs::read_dir(Path::new(run).join("shards")).expect("a run's shards").flatten() {
            let shard = Shard::read(&entry.path()).expect("a whole shard");
            samples += shard.samples.len();
            states.extend(shard.samples.iter().map(|sample| sample.state.canonical().0));
        }
    }
    eprintln!("{samples} training samples of {} different positions", states.len());
    states
}
