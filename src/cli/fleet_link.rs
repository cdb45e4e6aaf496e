//! The links of `doublecross train` and `doublecross prove` to a fleet's server.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::Failure;
use super::prove::log_failure;
use crate::board::State;
use crate::fleet::{
    ConnectError, Coordinator, CoordinatorError, CoordinatorEvent, Key, ProofCoordinator, ProofEvent, ProofSettings,
    RunFacts, reach,
};
use crate::proof::ProofLog;
use crate::solver::Bounds;
use crate::stderr::{print_line, print_notice, shows_bars};
use crate::train::{Processor, Training};

/// The server at which workers take games, if there is one.
pub(super) struct FleetLink(Option<(String, Key)>);

impl FleetLink {
    /// Reads the key to a server at this address.
    pub fn new(address: Option<String>, key: Option<PathBuf>) -> Result<FleetLink, Failure> {
        let Some((address, path)) = address.zip(key) else { return Ok(FleetLink(None)) };
        // Before the run writes anything.
        let key = reached(&address, &path)?;
        Ok(FleetLink(Some((address, key))))
    }

    /// Runs a run to its end. Returns the first generation with games that turned out to be fakes, if
    /// there is one.
    pub fn run(&self, folder: &Path, training: &mut Training) -> Result<Option<u64>, Failure> {
        let Some((address, key)) = &self.0 else {
            return training.run().map(|()| None).map_err(Failure::running);
        };
        let config = training.config();
        if config.selfplay.device == Processor::Gpu {
            return Err(Failure::input(anyhow::anyhow!(
                "selfplay.device = \"gpu\": games that a GPU evaluates cannot be played again bit for bit; expected \"cpu\" with --at"
            )));
        }
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.into());
        let facts = RunFacts { folder, generations: config.generations, lag: config.selfplay.lag };
        let tell = |event: CoordinatorEvent| match event {
            CoordinatorEvent::Lost => {
                print_line(format_args!(
                    "the connection to the fleet's server is lost; the run goes on without workers"
                ));
            }
            CoordinatorEvent::Back => print_line(format_args!("the fleet's server is back")),
            CoordinatorEvent::Convicted { worker, reason } => {
                print_line(format_args!("{worker}: {reason}; nothing is taken from it any more"));
            }
        };
        let coordinator = Coordinator::start(address, key, training.exchange().clone(), facts, Box::new(tell));
        let coordinator = coordinator.map_err(failure)?;
        print_notice(format_args!("workers may join: doublecross worker {address} --key FILE"));
        let ended = training.run();
        coordinator.finish();
        match training.tainted() {
            Some(generation) => Ok(Some(generation)),
            None => {
                ended.map_err(Failure::running)?;
                training.trust_games();
                Ok(None)
            }
        }
    }
}

/// Checks that a server can be reached with the key in a file.
pub(super) fn reach_server(address: &str, key: &Path) -> Result<(), Failure> {
    reached(address, key).map(drop)
}

/// Returns the key in a file, with which a server was reached.
fn reached(address: &str, path: &Path) -> Result<Key, Failure> {
    let key = Key::read(path).map_err(Failure::input)?;
    reach(address, &key).map_err(failure)?;
    Ok(key)
}

/// Proves with the workers of a fleet, and returns the bounds that are proved and the nodes that they
/// took.
pub(super) fn prove_at(
    address: &str,
    key: &Path,
    log: &mut ProofLog,
    (state, target, least_nodes): (State, Option<i32>, u64),
    stop: &AtomicBool,
) -> Result<(Bounds, u64), Failure> {
    let key = Key::read(key).map_err(Failure::input)?;
    let label = state.to_string();
    let spinner = shows_bars().then(ProgressBar::new_spinner);
    let (line_shown, sum) = (Cell::new(None::<Instant>), Cell::new(0));
    let tell = |event: ProofEvent| match event {
        ProofEvent::Standing { bounds: Bounds { lower, upper }, questions, workers, lemmas, nodes } => {
            sum.set(nodes);
            let line = format!(
                "{label}: margin {lower:+} to {upper:+}; open questions {}, workers {workers}, lemmas {lemmas}, nodes {:.1} M",
                questions.len(),
                nodes as f64 / 1e6
            );
            match &spinner {
                Some(spinner) => {
                    spinner.set_message(line);
                    spinner.tick();
                }
                None if line_shown.get().is_none_or(|at| at.elapsed() >= Duration::from_secs(30)) => {
                    line_shown.set(Some(Instant::now()));
                    print_notice(format_args!("{line}"));
                }
                None => {}
            }
        }
        ProofEvent::Convicted { worker, lemma, lines } => print_line(format_args!(
            "{worker}: its lemma that {} has a margin from {} to {} is false; nothing is taken from it any more, and \
             {lines} lines were taken out of the log",
            lemma.state, lemma.bounds.lower, lemma.bounds.upper
        )),
    };
    let settings = ProofSettings { state, target, least_nodes };
    print_notice(format_args!("workers may join: doublecross worker {address} --key FILE --prove --table SIZE"));
    let bounds = ProofCoordinator::run(address, &key, log, settings, stop, &tell).map_err(failure);
    if let Some(spinner) = &spinner {
        spinner.finish_and_clear();
    }
    Ok((bounds?, sum.get()))
}

fn failure(error: CoordinatorError) -> Failure {
    match error {
        CoordinatorError::Role { .. }
        | CoordinatorError::Connect(ConnectError::Address { .. } | ConnectError::Key { .. }) => Failure::input(error),
        CoordinatorError::Log(error) => log_failure(error),
        error => Failure::running(error),
    }
}
