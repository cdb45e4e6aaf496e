//! Suites of positions of random careful play, solved for a run or an evaluation.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::config::{Config, ConfigError, SuiteConfig};
use super::observer::{Event, Observer, Progress, Task};
use crate::board::{Board, State};
use crate::eval::{Suite, SuiteError, SuitePosition};
use crate::random::{Purpose, random_state, stream};
use crate::search::reach_on;
use crate::solver::Solver;

/// The entries of each solver's table.
///
/// The positions that a budget settles depend on it, and the suite must depend on the config's
/// `[suite]` alone.
const TABLE: usize = 1 << 18;

/// The default suites of the boards with pretrained networks, as [`SolvedSuite::make`] makes them.
const EMBEDDED: [(&str, &str); 3] = [
    ("3x3", include_str!("../eval/suites/3x3.tsv")),
    ("4x4", include_str!("../eval/suites/4x4.tsv")),
    ("5x5", include_str!("../eval/suites/5x5.tsv")),
];

impl SuiteConfig {
    /// Returns the settings of a board's default suite, which are those of the presets.
    pub fn default_of(board: Board) -> SuiteConfig {
        let least_undrawn = (board.edges() / 2).min(reach_on(board, 28));
        let most_undrawn = least_undrawn + (board.edges() / 4).min(8);
        SuiteConfig { positions: 200, least_undrawn, most_undrawn, ..SuiteConfig::default() }
    }

    /// Returns the name of the suite that these settings make on a board: that of the board's
    /// default suite, or else "suite".
    pub(crate) fn suite_name(&self, board: Board) -> String {
        let SuiteConfig { positions, least_undrawn, most_undrawn, nodes, .. } = SuiteConfig::default_of(board);
        let default = (positions, least_undrawn, most_undrawn, nodes);
        let is_default = (self.positions, self.least_undrawn, self.most_undrawn, self.nodes) == default;
        if is_default { format!("{board}-default") } else { "suite".into() }
    }
}

/// A suite, and all positions that were found for it.
pub(super) struct SolvedSuite {
    /// The positions that the solver settled.
    pub suite: Suite,
    /// The canonical forms of all positions.
    pub held_out: HashSet<State>,
}

impl SolvedSuite {
    /// Finds and solves the positions that a config asks for; returns `None` if it asks for none or
    /// nothing is settled.
    pub fn make(config: &SuiteConfig, board: Board, observer: &dyn Observer) -> Option<SolvedSuite> {
        let asked = config.positions;
        if asked == 0 {
            return None;
        }
        let (positions, held_out) = find(config, board);
        let found = positions.len();
        let positions = solve(positions, config.nodes, board, observer);
        let settled = positions.len();
        if settled < asked {
            observer.report(Event::ShortSuite { board, asked, found, settled });
        }
        let suite = Suite { name: config.suite_name(board), board, positions };
        (settled > 0).then_some(SolvedSuite { suite, held_out })
    }
}

/// Returns the positions that a run with this suite learns nothing from, in their canonical form.
pub(super) fn held_out(config: &SuiteConfig, board: Board) -> HashSet<State> {
    find(config, board).1
}

/// Returns a board's default suite: 200 positions of random careful play with exact answers, or
/// `None` if the solver settles none.
pub fn default_suite(board: Board, observer: &dyn Observer) -> Option<Suite> {
    let config = SuiteConfig::default_of(board);
    let name = config.suite_name(board);
    let embedded = EMBEDDED.iter().find(|(size, _)| *size == board.to_string());
    match embedded.and_then(|(_, text)| Suite::parse(text.as_bytes(), &name).ok()) {
        Some(suite) => Some(Suite { name, ..suite }),
        None => SolvedSuite::make(&config, board, observer).map(|solved| solved.suite),
    }
}

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
    let config = Config::load_kept(&config)?;
    let (mut suites, boards) = (Vec::new(), config.boards()?);
    for &board in &boards {
        let path = suite_path(folder, boards[0], board);
        if path.is_file() {
            let suite = Suite::read(&path)?;
            let name = match boards.len() {
                1 => config.suite.suite_name(board),
                _ => board.to_string(),
            };
            suites.push(Suite { name, ..suite });
        }
    }
    Ok((!suites.is_empty()).then_some(RunSuites { suites, simulations: config.suite.simulations }))
}

/// Returns the path of a run's suite on one of its boards, of which one is its own.
pub(super) fn suite_path(folder: &Path, own: Board, board: Board) -> PathBuf {
    folder.join(if board == own { "suite.tsv".into() } else { format!("suite-{board}.tsv") })
}

/// Finds distinct positions, and returns them with their canonical forms: fewer than asked for if
/// the board lacks them.
///
/// They do not depend on the run's seed, so that runs can be compared.
fn find(config: &SuiteConfig, board: Board) -> (Vec<State>, HashSet<State>) {
    let (mut positions, mut held_out) = (Vec::new(), HashSet::new());
    for number in 0..20 * config.positions as u64 {
        if positions.len() == config.positions {
            break;
        }
        let mut rng = stream(0, 0, number, Purpose::Suite);
        let state = careful_state(board, config.least_undrawn, config.most_undrawn, &mut rng);
        if held_out.insert(state.canonical().0) {
            positions.push(state);
        }
    }
    (positions, held_out)
}

/// Returns the positions that the solver settles within its budget, with exact answers.
fn solve(positions: Vec<State>, nodes: u64, board: Board, observer: &dyn Observer) -> Vec<SuitePosition> {
    let progress = Progress::new(observer, Task::SolvingSuite, positions.len());
    let solver = || Solver::new(board, TABLE);
    let solved = positions.into_par_iter().map_init(solver, |solver, state| {
        // The positions that are settled must not depend on those that this thread solved before.
        solver.clear();
        let position = SuitePosition::solve(solver, state, nodes);
        progress.advance(1);
        position
    });
    solved.flatten().collect()
}

/// Returns a capture-free state of careful random play, with a number of undrawn edges in this
/// range.
///
/// It has more undrawn edges where safe edges run out.
pub(super) fn careful_state(board: Board, least_undrawn: usize, most_undrawn: usize, rng: &mut ChaCha8Rng) -> State {
    let most = most_undrawn.clamp(1, board.edges());
    let undrawn = rng.random_range(least_undrawn.clamp(1, most)..=most);
    random_state(board, board.edges() - undrawn, true, rng)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedded_suites_are_those_that_presets_make() {
        for (size, text) in EMBEDDED {
            let preset = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("configs/{size}.toml"));
            let (config, _) = Config::load(&preset, &[]).unwrap();
            let board = config.board().unwrap();
            assert_eq!(config.suite.suite_name(board), format!("{size}-default"));
            let made = SolvedSuite::make(&config.suite, board, &()).unwrap();
            let lines = made.suite.positions.iter().map(|position| position.line("careful") + "\n");
            assert_eq!(lines.collect::<String>(), text, "{size}");
            assert_eq!(default_suite(board, &()).unwrap().positions, made.suite.positions);
        }
    }

    #[test]
    fn every_board_has_a_default_suite() {
        for (rows, cols) in [(1, 1), (1, 4), (2, 2), (2, 5), (4, 5)] {
            let board = Board::new(rows, cols).unwrap();
            let suite = default_suite(board, &()).unwrap();
            assert!(suite.board == board && suite.name == format!("{board}-default"), "{board}");
        }
    }
}
