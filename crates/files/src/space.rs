//! Want of space.

use std::io::{Error, ErrorKind};

/// Returns `true` if a file could not be written for want of space.
pub fn is_out_of_space(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge)
}
