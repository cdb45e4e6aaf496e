//! The storage of a generation's parts.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use doublecross_files::sync_folder;

/// Bytes that only grow, and that a kill leaves as they were at the end of an append, or with the
/// beginning of the next one.
pub trait PartStorage: Send {
    /// Returns all bytes; none if nothing was appended.
    ///
    /// # Errors
    /// Returns an error if they cannot be read.
    fn read(&mut self) -> io::Result<Vec<u8>>;

    /// Shortens the bytes to these first ones, of which there are as many.
    ///
    /// # Errors
    /// Returns an error if they cannot be shortened.
    fn shorten(&mut self, length: u64) -> io::Result<()>;

    /// Appends bytes, which then last.
    ///
    /// # Errors
    /// Returns an error if they cannot be written. None of them is there then.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Removes all bytes.
    ///
    /// # Errors
    /// Returns an error if they cannot be removed.
    fn remove(&mut self) -> io::Result<()>;
}

/// A file on disk, which exists from the first append on.
pub(super) struct DiskStorage {
    path: PathBuf,
    /// `None` until something is appended.
    file: Option<File>,
}

impl DiskStorage {
    /// Creates the storage of a file that may exist.
    pub fn new(path: PathBuf) -> DiskStorage {
        DiskStorage { path, file: None }
    }
}

impl PartStorage for DiskStorage {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        match fs::read(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            bytes => bytes,
        }
    }

    fn shorten(&mut self, length: u64) -> io::Result<()> {
        let mut file = File::options().write(true).open(&self.path)?;
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        self.file = Some(file);
        Ok(())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(create(&self.path)?),
        };
        let before = file.stream_position()?;
        let written = file.write_all(bytes).and_then(|()| file.sync_data());
        written.inspect_err(|_| {
            // Half a record would hide those behind it.
            let _ = file.set_len(before).and_then(|()| file.seek(SeekFrom::Start(before)));
        })
    }

    fn remove(&mut self) -> io::Result<()> {
        self.file = None;
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Creates a file whose name lasts, as all that is synced in it would be lost with the name.
fn create(path: &Path) -> io::Result<File> {
    let file = File::create(path)?;
    let synced = path.parent().map_or(Ok(()), sync_folder);
    synced.inspect_err(|_| drop(fs::remove_file(path))).map(|()| file)
}
