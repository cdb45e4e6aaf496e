//! The coordinator's side: leases the exchange's items to workers by way of the server, and hands in
//! what comes back.
//!
//! The run's folder is the only truth. Everything on the server can be lost at any time: orders are
//! put there again, and items that do not come back are leased anew or played here. What is decided
//! stands in [`logic`], which uses neither the server nor the clock; [`driver`] connects it to both,
//! and so does the simulator.

pub(crate) mod audit;
mod driver;
pub(crate) mod item_checker;
pub(crate) mod logic;
mod offering;
mod offers;
pub(crate) mod output;
mod pull;
pub(crate) mod results;
pub(crate) mod roster;
pub(crate) mod status;
pub(crate) mod streams;

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use async_nats::{Client, Event, jetstream};
use futures_util::StreamExt;
use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::oneshot;

use crate::proof::is_proof;
use crate::protocol::messages::is_run;
use crate::protocol::subjects;
use crate::{ConnectError, MachineKey, Role, connect, connect_with, options};
use doublecross_core::net::Isa;
use doublecross_proof::LogError;
use doublecross_selfplay::{Exchange, FinishedItems};
use driver::Driver;

pub(crate) use pull::pull_results;

/// The time that another coordinator on the same server is listened for.
const LISTEN: Duration = Duration::from_millis(2500);

/// The reason why a run cannot use a server.
#[derive(Debug, thiserror::Error)]
pub enum CoordinatorError {
    /// It cannot connect.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The key is of another role.
    #[error("the key of {name} is not the coordinator's: it is of a machine that {} (give the coordinator's key)", role.does())]
    Role {
        /// The key's machine.
        name: String,
        /// The key's role.
        role: Role,
    },
    /// Another run uses the server.
    #[error(
        "another run or proof uses the server: one server serves one at a time (end that one first, or start another server)"
    )]
    Busy,
    /// The server does not do what it is asked to.
    #[error("the server does not store what a run needs: {0}")]
    Server(String),
    /// Two lemmas of a proof contradict each other, and neither could be proved again.
    #[error(
        "lemmas of {} about {state} contradict each other: one is false, and finding out which takes too long (revoke the worker that you trust less, and begin with another log)", .sources.join(" and of ")
    )]
    Undecided {
        /// The position.
        state: String,
        /// Who stated them.
        sources: [String; 2],
    },
    /// A lemma of the coordinator's own log is false.
    #[error("the log's lemma about {state} is false: no worker handed it in (begin with another log)")]
    False {
        /// The position.
        state: String,
    },
    /// The log of a proof cannot be used.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The system has no thread left.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
}

/// The link between a run's exchange and the server. [`Coordinator::finish`] ends it.
pub struct Coordinator {
    end: oneshot::Sender<bool>,
    thread: JoinHandle<()>,
}

/// A report of a coordinator to whoever started it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoordinatorEvent {
    /// The connection to the server is lost. The run goes on without workers until it is back.
    Lost,
    /// The connection is back.
    Back,
    /// Nothing is taken from a worker any more.
    Banned {
        /// The worker's name.
        worker: String,
        /// The reason.
        reason: String,
    },
    /// The run waits for checks before it ends, as it still does after half a minute.
    Settling {
        /// The number of games that are played again.
        checks: usize,
        /// The number of searches among the finished games of workers.
        searches: usize,
    },
}

/// The facts of a run beside its exchange.
#[derive(Clone)]
pub struct RunFacts {
    /// The run's folder.
    pub folder: PathBuf,
    /// The number of generations of the run.
    pub generations: u64,
    /// The number of generations by which self-play is ahead of learning.
    pub lag: u64,
    /// Opens the items that the run learned from, on an instruction set.
    pub finished: Arc<OpenFinished>,
}

/// Opens the finished items of a run; `None` if its folder cannot be read.
pub type OpenFinished = dyn Fn(Option<Isa>) -> Option<Box<dyn FinishedItems>> + Send + Sync;

/// Checks that a server can be reached with a coordinator's key.
///
/// # Errors
/// Returns an error if it cannot, or if the key is of another role.
pub fn reach(address: &str, key: &MachineKey) -> Result<(), CoordinatorError> {
    check_role(key)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(connect(address, key)).map(drop)?)
}

pub(crate) fn check_role(key: &MachineKey) -> Result<(), CoordinatorError> {
    match key.role() {
        Role::Coordinator => Ok(()),
        role => Err(CoordinatorError::Role { name: key.name().to_string(), role }),
    }
}

/// The user of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum User {
    /// The coordinator of a training run.
    Run,
    /// The coordinator of a proof.
    Proof,
}

/// Listens for a coordinator that uses the server.
///
/// # Errors
/// Returns an error if the server cannot be listened to.
pub(crate) async fn user_of(client: &Client) -> Result<Option<User>, CoordinatorError> {
    let failed = |error: &dyn std::fmt::Display| CoordinatorError::Server(error.to_string());
    let mut broadcasts = client.subscribe(subjects::NOW).await.map_err(|error| failed(&error))?;
    let start = Instant::now();
    while let Some(left) = LISTEN.checked_sub(start.elapsed()) {
        let Ok(Some(message)) = tokio::time::timeout(left, broadcasts.next()).await else { break };
        if is_run(&message.payload) {
            return Ok(Some(User::Run));
        }
        if is_proof(&message.payload) {
            return Ok(Some(User::Proof));
        }
    }
    Ok(None)
}

/// Checks that no other coordinator uses a server, by listening for its broadcasts for a while.
pub(crate) async fn check_free(client: &Client) -> Result<(), CoordinatorError> {
    match user_of(client).await? {
        None => Ok(()),
        Some(_) => Err(CoordinatorError::Busy),
    }
}

impl Coordinator {
    /// Connects to a server and offers there what the exchange opens.
    ///
    /// # Errors
    /// Returns an error if the server cannot be used.
    pub fn start(
        address: &str,
        key: &MachineKey,
        exchange: Arc<Exchange>,
        facts: RunFacts,
        report: Box<dyn Fn(CoordinatorEvent) + Send>,
    ) -> Result<Coordinator, CoordinatorError> {
        check_role(key)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (reconnected, events) = unbounded_channel();
        let connected = runtime.block_on(async {
            let options = options(key)?.event_callback(move |event| {
                if let Event::Connected | Event::Disconnected = event {
                    let _ = reconnected.send(event == Event::Connected);
                }
                async {}
            });
            let client = connect_with(address, options, key).await?;
            Ok::<_, CoordinatorError>((jetstream::new(client.clone()), client))
        });
        let (context, client) = connected?;
        let mut driver = Driver::new(client, context, exchange, facts, report)?;
        runtime.block_on(driver.claim())?;
        let (end, ends) = oneshot::channel();
        let builder = std::thread::Builder::new().name("coordinator".into());
        let thread = builder.spawn(move || runtime.block_on(driver.serve(events, ends)))?;
        Ok(Coordinator { end, thread })
    }

    /// Ends the coordinator, and informs the workers that the run has ended. If it `settles`, all
    /// checks are made first; otherwise they are written down for the process that resumes the run. A
    /// fake that is found is reported in the exchange, so that the run goes on from an earlier
    /// generation, and the workers wait for it.
    pub fn finish(self, settles: bool) {
        // If it panicked, there is nothing to settle.
        let _ = self.end.send(settles);
        let _ = self.thread.join();
    }
}
