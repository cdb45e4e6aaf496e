//! Errors of a fleet's folder.

use std::io;
use std::path::PathBuf;

use crate::{KeyError, MachineName};

/// The reason why a fleet's folder cannot be made or changed.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// The folder of a new fleet has something in it.
    #[error("{} is not empty; expected a new folder", .0.display())]
    NotEmpty(PathBuf),
    /// Another process changes the folder.
    #[error("{} is being changed by another command", .0.display())]
    Busy(PathBuf),
    /// The folder's path cannot stand in the server's configuration.
    #[error("the path {} has characters that the server's configuration cannot have; expected another folder", .0.display())]
    Path(PathBuf),
    /// A host is neither a name nor an address.
    #[error("host {0:?}: expected a name or an IP address, as in games.example.org or 10.0.0.7")]
    Host(String),
    /// A file of the folder cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// The list of machines is damaged.
    #[error("{}: {reason}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The place, and what was expected there.
        reason: String,
    },
    /// The machine has a key already.
    #[error("{0} has a key already; expected another name, or `doublecross fleet revoke` first")]
    Known(MachineName),
    /// There is no such machine.
    #[error("there is no machine {name}; expected one of {known}")]
    Unknown {
        /// The name.
        name: MachineName,
        /// The names of the fleet's machines.
        known: String,
    },
    /// A fleet has one coordinator, which every command and worker relies on.
    #[error("{0} is the coordinator; a fleet without one is of no use")]
    Coordinator(MachineName),
    /// A file or folder cannot be written.
    #[error("cannot write {}: {error}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// A key cannot be made.
    #[error("cannot make a key: {0}")]
    Nkey(#[from] nkeys::error::Error),
    /// A key's file cannot be written.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The certificates cannot be made.
    #[error("cannot make certificates: {0}")]
    Certificates(#[from] rcgen::Error),
}
