//! The ways in which `doublecross train` runs a run.

use std::path::Path;

use doublecross_train::Training;

use crate::cli::Failure;
use crate::cli::training::ended;

/// A way to run a training run to its end.
pub(crate) trait RunsTraining {
    /// Runs a run to its end. Returns the first generation with games that turned out to be fakes, if
    /// there is one.
    fn run(&self, folder: &Path, training: &mut Training) -> Result<Option<u64>, Failure>;
}

/// This machine plays all games.
pub(crate) struct Alone;

impl RunsTraining for Alone {
    fn run(&self, folder: &Path, training: &mut Training) -> Result<Option<u64>, Failure> {
        training.run().map(|()| None).map_err(|error| ended(folder, error))
    }
}
