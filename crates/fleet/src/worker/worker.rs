//! A worker: plays parcels of any run whose coordinator uses the same server, until it is told to
//! end.
//!
//! It writes no file. What it has played stays in memory until the server has it, and it takes
//! nothing new while the server takes nothing.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use async_nats::jetstream::consumer::pull;
use tokio::sync::mpsc::unbounded_channel;

use super::driver::Driver;
use crate::protocol::subjects;
use crate::{ConnectError, MachineKey, Role, connect_with, options};
use doublecross_proof::{Books, Question};

/// The settings of a worker.
#[derive(Clone, Debug)]
pub struct WorkerSettings {
    /// The number of threads that play.
    pub threads: usize,
    /// `true` to end with the first run that is announced, even if nothing was left to play.
    pub ends_with_run: bool,
    /// The books of proved positions that games may begin with.
    pub books: Books,
}

/// A report of a worker to whoever started it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerEvent {
    /// It is connected to the server, for the first time or again, and receives announcements.
    Connected,
    /// It plays for another run.
    Run {
        /// The board.
        board: String,
        /// The instruction set.
        isa: &'static str,
    },
    /// It works on another question of a proof.
    Question {
        /// The question.
        question: Question,
    },
    /// It has handed in so many items in all.
    HandedIn {
        /// The number of items.
        items: u64,
    },
    /// The server does not take or give anything, for this reason.
    Waiting {
        /// The reason.
        reason: String,
    },
}

/// The reason why a worker ends.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// It cannot connect.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The key is of another role.
    #[error("the key of {name} is not a worker's: it is of a machine that {} (give a worker's key)", role.does())]
    Role {
        /// The key's machine.
        name: String,
        /// The key's role.
        role: Role,
    },
    /// It does not play for this run.
    #[error("{0}")]
    Refused(String),
    /// The system has no thread left.
    #[error("cannot start the threads that play: {0}")]
    Threads(#[from] std::io::Error),
}

/// Works until `stop` is set, or until the run has ended if the settings say so. Returns the number
/// of items that were handed in.
///
/// # Errors
/// Returns an error if the server cannot be reached at first, or if this machine cannot play for
/// the run.
pub fn work(
    address: &str,
    key: &MachineKey,
    settings: WorkerSettings,
    stop: &AtomicBool,
    report: &(dyn Fn(WorkerEvent) + Sync),
) -> Result<u64, WorkerError> {
    check_worker(key)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (changes, mut connection) = unbounded_channel();
        let options = options(key)?.event_callback(move |event| {
            // Without a receiver, the worker has ended.
            let _ = changes.send(event);
            async {}
        });
        let client = connect_with(address, options, key).await?;
        Driver::new(client, key, settings, report)?.run(&mut connection, stop).await
    })
}

/// Checks that a key is not an observer's.
pub(crate) fn check_worker(key: &MachineKey) -> Result<(), WorkerError> {
    match key.role() {
        Role::Observer => Err(WorkerError::Role { name: key.name().to_string(), role: key.role() }),
        Role::Worker | Role::Coordinator => Ok(()),
    }
}

/// The consumer that workers pull parcels from.
pub(crate) fn consumer_config() -> pull::Config {
    pull::Config {
        durable_name: Some(subjects::PLAY_CONSUMER.into()),
        ack_wait: Duration::from_secs(30),
        // Far above the number of parcels that are held (nats-server, number 7680).
        max_ack_pending: 1 << 16,
        // Each idle worker waits for a parcel, and the server turns away more than 512 unless told otherwise.
        max_waiting: 1 << 16,
        ..pull::Config::default()
    }
}
