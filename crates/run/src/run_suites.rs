//! The suites of a run, which lie in its folder.

use std::path::Path;

use doublecross_arena::suite::{Suite, SuiteError};

use crate::config::{Config, ConfigError};
use crate::layout::suite_path;

/// The suites of a run, and the searches by which the run is scored on them.
pub struct RunSuites {
    /// One for each board of the run that has settled positions.
    pub suites: Vec<Suite>,
    /// The simulations of each search, which has no solver.
    pub simulations: usize,
}

/// An error of a run's suite.
#[derive(Debug, thiserror::Error)]
pub enum RunSuiteError {
    /// The run's config cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The run's suite cannot be used.
    #[error(transparent)]
    Suite(#[from] SuiteError),
}

/// Returns the suites of the run in `folder`, or `None` if there is no run or it has none.
///
/// # Errors
/// Returns an error if the run's config or a suite cannot be read.
pub fn run_suites(folder: &Path) -> Result<Option<RunSuites>, RunSuiteError> {
    let config = folder.join("config.toml");
    if !config.is_file() {
        return Ok(None);
    }
    let config = Config::load(&config, &[])?;
    let (mut suites, boards) = (Vec::new(), config.boards());
    for &board in &boards {
        let path = suite_path(folder, boards[0], board);
        if path.is_file() {
            let suite = Suite::read(&path)?;
            let name = match boards.len() {
                1 => config.suite_on(board).name(),
                _ => board.to_string(),
            };
            suites.push(Suite { name, ..suite });
        }
    }
    Ok((!suites.is_empty()).then_some(RunSuites { suites, simulations: config.suite.simulations }))
}
