//! The links of `doublecross train` and `doublecross prove` to a fleet's server.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use crate::cli::Failure;
use crate::cli::prove::logs::log_failure;
use crate::cli::prove::workers::{Found, Workers};
use crate::cli::terminal::stderr::{print_line, print_notice, shows_bars};
use crate::cli::training::train::runs::RunsTraining;
use doublecross::built_in;
use doublecross_core::board::State;
use doublecross_core::net::Isa;
use doublecross_core::shell::shell_word;
use doublecross_core::solver::Bounds;
use doublecross_fleet::{
    ConnectError, Coordinator, CoordinatorError, CoordinatorEvent, MachineKey, ProofCoordinator, ProofEvent,
    ProofResult, ProofSettings, RunFacts, open_checks, reach,
};
use doublecross_proof::ProofLog;
use doublecross_selfplay::FinishedItems;
use doublecross_train::{Training, Verifier};

/// A server that was reached with a key.
pub(crate) struct FleetLink {
    address: String,
    key: MachineKey,
}

impl FleetLink {
    /// Reads a key, and checks that it opens the server at this address.
    ///
    /// # Errors
    /// Returns a failure if the server cannot be reached with it.
    pub fn reach(address: &str, key: &Path) -> Result<FleetLink, Failure> {
        let key = MachineKey::read(key).map_err(Failure::input)?;
        reach(address, &key).map_err(failure)?;
        Ok(FleetLink { address: address.into(), key })
    }
}

impl RunsTraining for FleetLink {
    fn run(&self, folder: &Path, training: &mut Training) -> Result<Option<u64>, Failure> {
        let FleetLink { address, key } = self;
        let config = training.config();
        let own = folder;
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.into());
        let run = folder.clone();
        let finished = move |isa: Option<Isa>| -> Option<Box<dyn FinishedItems>> {
            Some(Box::new(Verifier::open(&run, isa, built_in().books.clone()).ok()?))
        };
        let finished = Arc::new(finished);
        let facts = RunFacts { folder, generations: config.generations, lag: config.selfplay.lag, finished };
        let tell = |event: CoordinatorEvent| match event {
            CoordinatorEvent::Lost => {
                print_line(format_args!(
                    "the connection to the fleet's server is lost: the run goes on without workers"
                ));
            }
            CoordinatorEvent::Back => print_line(format_args!("the fleet's server is back")),
            CoordinatorEvent::Banned { worker, reason } => {
                print_line(format_args!("worker {worker} is banned: {reason}"));
            }
            CoordinatorEvent::Settling { checks, searches } => {
                let searches = match searches {
                    0 => String::new(),
                    searches => format!(", and for {searches} searches among finished games"),
                };
                print_line(format_args!("the run waits until games of workers are checked: {checks}{searches}"));
            }
        };
        let coordinator = Coordinator::start(address, key, training.exchange().clone(), facts, Box::new(tell));
        let coordinator = coordinator.map_err(failure)?;
        print_notice(format_args!("workers may join: doublecross worker {} --key FILE", shell_word(address)));
        let ended = training.run();
        // Otherwise the checks are left to the process that resumes the run.
        coordinator.finish(ended.is_ok() && training.first_fake().is_none());
        match training.first_fake() {
            Some(generation) => Ok(Some(generation)),
            None => {
                ended.map_err(|error| crate::cli::training::ended(own, error))?;
                training.trust_games();
                Ok(None)
            }
        }
    }
}

impl Workers for FleetLink {
    fn prove(
        &self,
        log: &mut ProofLog,
        (state, target, least_nodes): (State, Option<i32>, u64),
        stop: &AtomicBool,
    ) -> Result<Found, Failure> {
        let FleetLink { address, key } = self;
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
            ProofEvent::Banned { worker, lemma, lines } => print_line(format_args!(
                "worker {worker} is banned: its lemma that {} has a margin from {} to {} is false (its {lines} lines were \
                 taken out of the log)",
                lemma.state, lemma.bounds.lower, lemma.bounds.upper
            )),
        };
        let settings = ProofSettings { state, target, least_nodes };
        print_notice(format_args!(
            "workers may join: doublecross worker {} --key FILE --prove --table SIZE",
            shell_word(address)
        ));
        let ended = ProofCoordinator::run(address, key, log, settings, stop, &tell).map_err(failure);
        if let Some(spinner) = &spinner {
            spinner.finish_and_clear();
        }
        let ProofResult { bounds, assumed, understated } = ended?;
        Ok(Found { bounds, nodes: sum.get(), assumed, understated })
    }
}

/// Says that games of workers were not checked when the run in this folder last ended, if so.
pub(crate) fn report_open_checks(folder: &Path) {
    let open = open_checks(folder);
    if open > 0 {
        print_line(format_args!(
            "games of workers that are still to be checked: {open} (fleet.json). Add --at URL --key FILE to check them,\n\
             or play games of the finished run again with `doublecross verify`"
        ));
    }
}

fn failure(error: CoordinatorError) -> Failure {
    match error {
        CoordinatorError::Role { .. }
        | CoordinatorError::Connect(ConnectError::Address { .. } | ConnectError::Key { .. }) => Failure::input(error),
        CoordinatorError::Log(error) => log_failure(error),
        error => Failure::running(error),
    }
}
