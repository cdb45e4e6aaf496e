//! An observer: asks the coordinator for the state of the run.

use async_nats::{Client, RequestErrorKind};

use crate::coordinator::{User, user_of};
use crate::protocol::subjects;
use crate::{ConnectError, FleetStatus, MachineKey, Role, connect};

/// The most bytes of an answer.
const MAX_BYTES: usize = 1 << 20;

/// The reason why there is no state to show.
#[derive(Debug, thiserror::Error)]
pub enum FleetMonitorError {
    /// It cannot connect.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The key may not ask.
    #[error("the key of {name} is a worker's, which may not ask (give the observer's or the coordinator's key)")]
    Role {
        /// The key's machine.
        name: String,
    },
    /// No run uses the server.
    #[error("no run uses the server now (doublecross train CONFIG --at URL --key FILE starts one)")]
    NoRun,
    /// A proof uses the server.
    #[error(
        "a proof uses the server, and this command shows training runs alone (the coordinator of the proof shows how far it is)"
    )]
    Proof,
    /// The coordinator does not answer.
    #[error("the coordinator does not answer: {0}")]
    Silent(String),
    /// The answer cannot be read.
    #[error("the coordinator's answer cannot be read: {0} (install the same version on both machines)")]
    Answer(String),
    /// The system does not give what connecting needs.
    #[error(transparent)]
    System(#[from] std::io::Error),
}

/// A connection to a server for questions.
pub struct FleetMonitor {
    runtime: tokio::runtime::Runtime,
    client: Client,
}

impl FleetMonitor {
    /// Connects to a server.
    ///
    /// # Errors
    /// Returns an error if the server cannot be reached or the key may not ask.
    pub fn connect(address: &str, key: &MachineKey) -> Result<FleetMonitor, FleetMonitorError> {
        if key.role() == Role::Worker {
            return Err(FleetMonitorError::Role { name: key.name().to_string() });
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let client = runtime.block_on(connect(address, key))?;
        Ok(FleetMonitor { runtime, client })
    }

    /// Asks for the state of the run.
    ///
    /// # Errors
    /// Returns an error if no run uses the server or its coordinator does not answer. Where no run
    /// does, it takes some seconds to see whether a proof does.
    pub fn ask(&self) -> Result<FleetStatus, FleetMonitorError> {
        let answer = self.runtime.block_on(self.client.request(subjects::STATUS, "".into()));
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) if error.kind() == RequestErrorKind::NoResponders => {
                let user = self.runtime.block_on(user_of(&self.client));
                return Err(if user.is_ok_and(|user| user == Some(User::Proof)) {
                    FleetMonitorError::Proof
                } else {
                    FleetMonitorError::NoRun
                });
            }
            Err(error) => return Err(FleetMonitorError::Silent(error.to_string())),
        };
        if answer.payload.len() > MAX_BYTES {
            return Err(FleetMonitorError::Answer(format!("it has {} bytes", answer.payload.len())));
        }
        serde_json::from_slice(&answer.payload).map_err(|error| FleetMonitorError::Answer(error.to_string()))
    }
}
