//! The commands of runs and proofs on many machines. They need the feature `fleet`.

mod folder;
pub(crate) mod link;
mod show;
mod worker;

use clap::Subcommand;

use super::Failure;

/// A command of a fleet.
#[derive(Debug, Subcommand)]
pub(crate) enum FleetCommands {
    Worker(worker::WorkerCommand),
    Fleet(folder::FleetCommand),
}

impl FleetCommands {
    pub fn run(self) -> Result<(), Failure> {
        match self {
            FleetCommands::Worker(command) => command.run(),
            FleetCommands::Fleet(command) => command.run(),
        }
    }
}
