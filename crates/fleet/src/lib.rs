//! Runs whose games are played on many machines: who may connect to their server, and how.
//!
//! A NATS server stands between the coordinator, whose run it is, and the workers, which play its
//! games. See [`Fleet`] for the folder from which such a server is started, [`Key`] for what a
//! machine needs to take part, and [`connect`]. NATS and tokio are used in this crate alone, and it
//! prints nothing.

#![deny(clippy::print_stderr, clippy::print_stdout)]

mod audit;
mod canary;
mod certificates;
mod connection;
mod coordinator;
mod fleet_error;
mod folder;
mod key;
mod machine;
mod messages;
mod observer;
mod orders_store;
mod players;
mod proof;
mod replayer;
mod roster;
mod server_config;
mod status;
pub mod subjects;
mod worker;

use async_nats::jetstream::Context;
use connection::connect_with;

pub use audit::AUDITED;
pub use connection::{ConnectError, connect, options, server_address};
pub use coordinator::{Coordinator, CoordinatorError, CoordinatorEvent, RunFacts, reach};
pub use fleet_error::FleetError;
pub use folder::{DEFAULT_PORT, Fleet, FleetSettings};
pub use key::{Key, KeyError};
pub use machine::{Machine, MachineName, NameError, Role};
pub use observer::{Observer, ObserverError};
pub use proof::{ProofCoordinator, ProofEvent, ProofSettings, ProverSettings, prove_for};
pub use status::{AuditStatus, FleetStatus, GenerationStatus, WorkerState, WorkerStatus};
pub use worker::{WorkerError, WorkerEvent, WorkerSettings, work};

/// Puts a message into a stream and waits until the server has stored it.
async fn store(context: &Context, subject: String, bytes: Vec<u8>) -> Result<(), String> {
    let receipt = context.publish(subject, bytes.into()).await.map_err(|error| error.to_string())?;
    receipt.await.map(drop).map_err(|error| error.to_string())
}

/// A number that nobody can know beforehand.
fn random_number() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    // The standard library seeds these with the operating system's random numbers.
    RandomState::new().hash_one(std::process::id())
}
