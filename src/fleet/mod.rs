//! Runs whose games are played on many machines: who may connect to their server, and how.
//!
//! A NATS server stands between the coordinator, whose run it is, and the workers, which play its
//! games. See [`Fleet`] for the folder from which such a server is started, [`Key`] for what a
//! machine needs to take part, and [`connect`].
//!
//! The module uses [`train`](crate::train)'s files.

mod certificates;
mod connection;
mod fleet_error;
mod folder;
mod key;
mod machine;
mod server_config;
pub mod subjects;

pub use connection::{ConnectError, connect, options, server_address};
pub use fleet_error::FleetError;
pub use folder::{DEFAULT_PORT, Fleet, FleetSettings};
pub use key::{Key, KeyError};
pub use machine::{Machine, MachineName, NameError, Role};
