//! Shared code of the experiments. Each program in `src/bin` makes figures of a page in `docs`, which
//! names its command.
//!
//! The programs are for the desk of whoever runs them: they panic on bad arguments.

use std::path::Path;
use std::sync::Arc;

use doublecross::arena::suite::Suite;
use doublecross::arena::{BotFactory, BotSpec};
use doublecross::built_in;
use doublecross::net::{Isa, Network};
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
    spec.factory_with(Isa::fastest(), built_in(), resolve).expect("its weights")
}

/// A suite of positions with exact answers.
///
/// # Panics
/// Panics if the file is not a suite.
pub fn suite(path: &str) -> Suite {
    Suite::read(Path::new(path)).expect("a suite")
}
