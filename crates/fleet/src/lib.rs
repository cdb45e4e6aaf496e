//! Runs whose games are played on many machines, and proofs that many machines share: who may
//! connect to their server, and how.
//!
//! A NATS server stands between the coordinator, whose run it is, and the workers, which play its
//! games. See [`Fleet`] for the folder from which such a server is started, [`MachineKey`] for what a
//! machine needs to take part, and [`connect`]. NATS and tokio are used in this crate alone, and it
//! prints nothing.

#![deny(clippy::print_stderr, clippy::print_stdout)]

mod access;
mod coordinator;
mod fleet_error;
mod observer;
mod proof;
mod protocol;
mod worker;

use async_nats::jetstream::Context;
use protocol::connection::connect_with;

pub use access::folder::{DEFAULT_PORT, Fleet, FleetSettings};
pub use access::key::{KeyError, MachineKey};
pub use access::machine::{Machine, MachineName, NameError, Role};
pub use coordinator::audit::AUDITED;
pub use coordinator::status::{AuditStatus, FleetStatus, GenerationStatus, WorkerState, WorkerStatus};
pub use coordinator::{Coordinator, CoordinatorError, CoordinatorEvent, OpenFinished, RunFacts, reach};
pub use fleet_error::FleetError;
pub use observer::{FleetMonitor, FleetMonitorError};
pub use proof::{ProofCoordinator, ProofEvent, ProofResult, ProofSettings, ProverSettings, prove_for};
pub use protocol::connection::{ConnectError, connect, options, server_address};
pub use protocol::subjects;
pub use worker::worker::{WorkerError, WorkerEvent, WorkerSettings, work};

/// Puts a message into a stream and waits until the server has stored it.
async fn store(context: &Context, subject: String, bytes: Vec<u8>) -> Result<(), String> {
    let receipt = context.publish(subject, bytes.into()).await.map_err(|error| error.to_string())?;
    receipt.await.map(drop).map_err(|error| error.to_string())
}

/// A number that cannot be known beforehand.
fn random_number() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    // The standard library seeds these with the operating system's random numbers.
    RandomState::new().hash_one(std::process::id())
}
