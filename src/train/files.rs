//! Files that are either whole or absent.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file under a temporary name, syncs it to disk, and renames it into place.
///
/// # Errors
/// Returns an error if a step fails. The file is then unchanged.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".partial");
    let partial = path.with_file_name(name);
    let mut file = File::create(&partial)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(partial, path)
}
