//! Training runs whose progress the page shows.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::SystemTime;

use super::site::File;
use doublecross_core::mix::checksum;
use doublecross_files::read_regular;

/// The most bytes of a run's progress: twenty thousand generations have fewer.
pub(super) const MAX_PROGRESS: u64 = 16 << 20;

/// A training run whose progress the page shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowedRun {
    /// The name on the page.
    pub name: String,
    /// The run's folder.
    pub folder: PathBuf,
}

impl FollowedRun {
    /// The file with the run's progress.
    pub fn progress(&self) -> PathBuf {
        self.folder.join("progress.jsonl")
    }

    /// Returns the path of the progress within the page's folder. It is that of no other run, so that a page that stays
    /// open while another run is followed does not take that for its own.
    pub(super) fn path(&self, number: usize) -> String {
        let folder = std::path::absolute(&self.folder).unwrap_or_else(|_| self.folder.clone());
        let sum = checksum(folder.as_os_str().as_encoded_bytes());
        format!("runs/{number}-{sum:016x}/progress.jsonl")
    }

    /// Checks that the progress can be read, or does not exist yet.
    ///
    /// # Errors
    /// Returns an error if it is not a regular file, is too long or cannot be read.
    pub fn check(&self) -> io::Result<()> {
        Progress::new(String::new(), self.progress()).file().map(|_| ())
    }
}

/// The progress of a run, as a file of the page that all its readers share.
#[derive(Debug)]
pub(super) struct Progress {
    /// The path within the page's folder.
    pub path: String,
    source: PathBuf,
    copies: Mutex<Copies>,
}

/// The copies that were read of a source.
#[derive(Debug, Default)]
struct Copies {
    latest: Option<(Stamp, Arc<File>)>,
    /// The one that was read before.
    previous: Weak<File>,
}

/// When a file was changed, and its bytes then; `None` if there is no such file.
type Stamp = Option<(SystemTime, u64)>;

impl Progress {
    /// Creates the file at a path of the page of a run's file.
    pub fn new(path: String, source: PathBuf) -> Progress {
        Progress { path, source, copies: Mutex::default() }
    }

    /// Returns the progress. It is read again when the run has written more, unless there are slow
    /// readers of two copies: then others get the second one until the first one is read, so that
    /// there are never three.
    ///
    /// # Errors
    /// Returns an error if it is not a regular file, is too long or cannot be read.
    pub fn file(&self) -> io::Result<Arc<File>> {
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = match fs::symlink_metadata(&self.source) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            metadata => metadata.and_then(|metadata| Ok(Some((metadata.modified()?, metadata.len()))))?,
        };
        if let Some((of, latest)) = &copies.latest {
            let is_read = Arc::strong_count(latest) > 1;
            if *of == stamp || (is_read && copies.previous.strong_count() > 0) {
                return Ok(latest.clone());
            }
        }
        // One that nobody reads is freed before the next one is read.
        if let Some((_, latest)) = copies.latest.take()
            && copies.previous.strong_count() == 0
        {
            copies.previous = Arc::downgrade(&latest);
        }
        let bytes = match read_regular(&self.source, MAX_PROGRESS) {
            // A run that has not written its progress yet has an empty one.
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            read => read?,
        };
        let file = Arc::new(File::new(self.path.clone(), bytes));
        copies.latest = Some((stamp, file.clone()));
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_readers_share_two_copies() {
        let scratch = tempfile::tempdir().unwrap();
        let source = scratch.path().join("progress.jsonl");
        let progress = Progress::new("runs/1/progress.jsonl".into(), source.clone());
        let read = || progress.file().unwrap();
        assert!(read().bytes.is_empty());
        let write = |text: &str| fs::write(&source, text).unwrap();
        write("1");
        let first = [read(), read(), read()];
        assert!(first.iter().all(|file| Arc::ptr_eq(file, &first[0]) && *file.bytes == *b"1"));
        write("22");
        let second = read();
        assert_eq!(*second.bytes, *b"22");
        write("333");
        assert!(Arc::ptr_eq(&read(), &second));
        // The first ones are through.
        drop(first);
        let third = read();
        assert_eq!(*third.bytes, *b"333");
        write("4444");
        assert!(Arc::ptr_eq(&read(), &third));
        drop(third);
        assert_eq!((*read().bytes).to_vec(), b"4444");
        drop(second);
        write("55555");
        assert_eq!((*read().bytes).to_vec(), b"55555");
    }
}
