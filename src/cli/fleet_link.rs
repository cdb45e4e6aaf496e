//! The link of `doublecross train` to a fleet's server.

use std::path::{Path, PathBuf};

use super::Failure;
use crate::fleet::{ConnectError, Coordinator, CoordinatorError, CoordinatorEvent, Key, RunFacts, reach};
use crate::stderr::{print_line, print_notice};
use crate::train::{Processor, Training};

/// The server at which workers take games, if there is one.
pub(super) struct FleetLink(Option<(String, Key)>);

impl FleetLink {
    /// Reads the key to a server at this address.
    pub fn new(address: Option<String>, key: Option<PathBuf>) -> Result<FleetLink, Failure> {
        let Some((address, path)) = address.zip(key) else { return Ok(FleetLink(None)) };
        let key = Key::read(&path).map_err(Failure::input)?;
        // Before the run writes anything.
        reach(&address, &key).map_err(failure)?;
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

fn failure(error: CoordinatorError) -> Failure {
    match error {
        CoordinatorError::Role { .. }
        | CoordinatorError::Connect(ConnectError::Address { .. } | ConnectError::Key { .. }) => Failure::input(error),
        error => Failure::running(error),
    }
}
