//! Errors of a fleet's folder.

use std::io;
use std::path::PathBuf;

use crate::{KeyError, MachineName};
use doublecross_core::shell::shell_word;

/// The reason why a fleet's folder cannot be made or changed.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// The folder of a new fleet has something in it.
    #[error("folder {} is not empty (give a new one)", shell_word(.0))]
    NotEmpty(PathBuf),
    /// Another process changes the folder.
    #[error("folder {} is in use: another command changes it (try again when that has ended)", shell_word(.0))]
    Busy(PathBuf),
    /// The folder's path cannot stand in the server's configuration.
    #[error("the path {} has characters that the server's configuration cannot have (give another folder)", shell_word(.0))]
    Path(PathBuf),
    /// A host is neither a name nor an address.
    #[error("host {} is not a name or an IP address (as in games.example.org or 10.0.0.7)", shell_word(.0))]
    Host(String),
    /// A file of the folder cannot be read.
    #[error("cannot read {}: {error}", shell_word(path))]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// The list of machines is damaged.
    #[error("{}: {reason}", shell_word(path))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The place, and what was expected there.
        reason: String,
    },
    /// The machine has a key already.
    #[error("machine {0} has a key already (give another name, or revoke that key with doublecross fleet revoke)")]
    Known(MachineName),
    /// There is no such machine.
    #[error("the fleet has no machine {name}: its machines are {known}")]
    Unknown {
        /// The name.
        name: MachineName,
        /// The names of the fleet's machines.
        known: String,
    },
    /// A fleet has one coordinator, which every command and worker relies on.
    #[error("machine {0} cannot be revoked: no fleet works without its coordinator")]
    Coordinator(MachineName),
    /// A file or folder cannot be written.
    #[error("cannot write {}: {error}", shell_word(path))]
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
