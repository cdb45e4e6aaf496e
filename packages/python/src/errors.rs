//! Errors of the library as exceptions of Python, in words for its users.

use std::fmt::Display;
use std::io::{Error, ErrorKind};
use std::path::Path;

use doublecross::arena::suite::SuiteError;
use doublecross::run::CheckpointError;
use doublecross::selfplay::{DataSetError, ShardError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The file that makes a folder a data set.
pub const CONTENTS: &str = "dataset.json";

/// Parts of messages that name options of the program, and what a caller in Python has instead.
const OPTIONS: [(&str, &str); 9] = [
    ("give --run ", "name "),
    ("without --from)", "without `start`)"),
    ("and --set ", "and the setting "),
    ("with --samples ", "for the samples of "),
    ("with --from this one", "with this one as `start`"),
    ("with --from ", "with `start` = "),
    ("and --from ", "and `start` = "),
    (": --from ", ": `start` = "),
    ("; --from starts", "; `start` begins"),
];

/// Returns an error of the library as an exception about a value.
pub fn invalid(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Returns a message of the library without the options of the program.
pub fn without_options(message: String) -> String {
    // A setting comes first in the errors about it.
    let message = message.strip_prefix("--set ").map_or(message.clone(), |rest| format!("setting {rest}"));
    OPTIONS.iter().fold(message, |message, (option, words)| message.replace(option, words))
}

/// Returns an error about a file: `FileNotFoundError` or another `OSError` if the system gave an error of this kind,
/// and `ValueError` for a file that can be read.
pub fn file_error(message: impl Display, kind: Option<ErrorKind>) -> PyErr {
    let message = without_options(message.to_string());
    match kind {
        None | Some(ErrorKind::InvalidData | ErrorKind::InvalidInput) => PyValueError::new_err(message),
        Some(kind) => Error::new(kind, message).into(),
    }
}

/// Returns the kind of the system's error that a checkpoint failed by.
pub fn checkpoint_kind(error: &CheckpointError) -> Option<ErrorKind> {
    match error {
        CheckpointError::File { error, .. } | CheckpointError::Unreadable { error, .. } => Some(error.kind()),
        CheckpointError::None { .. } => Some(ErrorKind::NotFound),
        CheckpointError::Newest { error, .. }
        | CheckpointError::NoneWhole { error }
        | CheckpointError::NoneWholeYet { error, .. } => checkpoint_kind(error),
        _ => None,
    }
}

/// Returns the exception of a checkpoint that cannot be used.
pub fn checkpoint_error(error: CheckpointError) -> PyErr {
    file_error(&error, checkpoint_kind(&error))
}

/// Returns the exception of a suite that cannot be read.
pub fn suite_error(error: SuiteError) -> PyErr {
    let kind = if let SuiteError::Read { error, .. } = &error { Some(error.kind()) } else { None };
    file_error(error, kind)
}

/// Returns the exception of a shard that cannot be read.
pub fn shard_error(error: ShardError) -> PyErr {
    match error {
        ShardError::Read { path, error } => file_error(format!("cannot read {path}: {error}"), Some(error.kind())),
        error => file_error(error, None),
    }
}

/// Returns the exception of the data set in a folder.
pub fn data_set_error(folder: &Path, error: DataSetError) -> PyErr {
    match error {
        DataSetError::NotADataSet { path, .. } if !folder.join(CONTENTS).exists() => {
            let message = format!(
                "{path} is no data set: it has no {CONTENTS} (`DataSet` with a board begins one; the program's \
                 `doublecross label` makes one)"
            );
            file_error(message, Some(ErrorKind::NotFound))
        }
        DataSetError::NotADataSet { path, why } => invalid(format!("{path} is no data set: {why}")),
        DataSetError::OtherBoard { path, found, board } => {
            invalid(format!("{path} holds samples on {found}, and {board} was asked for"))
        }
        DataSetError::OtherLabels { path, key, found, wanted } => invalid(format!(
            "{path} has labels with {key} = {found}, and the run has learned from labels with {key} = {wanted} (name \
             their folder as the setting labeled.data)"
        )),
        DataSetError::Read { path, error } => file_error(format!("cannot read {path}: {error}"), Some(error.kind())),
        DataSetError::Write { path, error } => file_error(format!("cannot write {path}: {error}"), Some(error.kind())),
        DataSetError::Shard(error) => shard_error(error),
        error => invalid(error),
    }
}
