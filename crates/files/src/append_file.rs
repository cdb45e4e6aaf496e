//! A log that a person named, to which lines are appended.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::folder::{folder_of, sync_folder};
use crate::stream::Stream;

/// The longest wait for another process that appends to the same log.
const PATIENCE: Duration = Duration::from_secs(10);

/// A file to which whole lines are appended, by one process or by several.
///
/// It is not read where it cannot be: a pipe or a device, or a file that may be written alone.
#[derive(Debug)]
pub struct AppendFile {
    path: PathBuf,
    end: End,
}

#[derive(Debug)]
enum End {
    /// A regular file, and whether it can be read.
    File(File, bool),
    Stream(Stream),
}

impl AppendFile {
    /// Opens a log or creates it.
    ///
    /// # Errors
    /// Returns an error if it cannot be written.
    pub fn open(path: &Path) -> io::Result<AppendFile> {
        let end = match Stream::open(path)? {
            Some(stream) => End::Stream(stream),
            None => {
                let is_new = !path.exists();
                let (file, is_readable) = match File::options().create(true).read(true).append(true).open(path) {
                    Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                        (File::options().create(true).append(true).open(path)?, false)
                    }
                    file => (file?, true),
                };
                if is_new {
                    sync_folder(folder_of(path))?;
                }
                End::File(file, is_readable)
            }
        };
        Ok(AppendFile { path: path.into(), end })
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the file if it can be read.
    pub fn readable(&self) -> Option<&File> {
        match &self.end {
            End::File(file, true) => Some(file),
            _ => None,
        }
    }

    /// Appends whole lines at once. If the last line of the file was cut short, it is ended first, so
    /// that no other line is damaged.
    ///
    /// # Errors
    /// Returns an error if they cannot be written. The file is as long as before then.
    pub fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        let (file, is_readable) = match &mut self.end {
            End::Stream(stream) => return stream.write(lines),
            End::File(file, is_readable) => (file, *is_readable),
        };
        // Half a line of another process is not the end of the file.
        let is_locked = lock(file)?;
        let appended = append(file, is_readable, lines);
        if is_locked {
            file.unlock()?;
        }
        appended
    }

    /// Waits until a regular file is on the disk.
    ///
    /// # Errors
    /// Returns an error if it cannot be written.
    pub fn sync(&self) -> io::Result<()> {
        match &self.end {
            End::File(file, _) => file.sync_data(),
            End::Stream(_) => Ok(()),
        }
    }
}

/// Locks a file, and returns `false` where files cannot be locked.
fn lock(file: &File) -> io::Result<bool> {
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => sleep(Duration::from_millis(1)),
            Err(TryLockError::WouldBlock) => return Err(io::Error::other("another process keeps it locked")),
            Err(TryLockError::Error(_)) => return Ok(false),
        }
    }
}

fn append(file: &mut File, is_readable: bool, lines: &[u8]) -> io::Result<()> {
    let length = file.seek(SeekFrom::End(0))?;
    let is_cut = is_readable && length > 0 && {
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        last != *b"\n"
    };
    let lines = if is_cut && !lines.is_empty() { [b"\n", lines].concat() } else { lines.into() };
    file.write_all(&lines).inspect_err(|_| {
        // Half a line would have to be ended, and be damage for ever.
        let _ = file.set_len(length);
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn several_append_whole_lines_and_no_empty_ones() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("log");
        let append = |name: &str| {
            let mut log = AppendFile::open(&path).unwrap();
            for number in 0..400 {
                log.append(format!("{name} {number} {}\n", "-".repeat(20_000)).as_bytes()).unwrap();
            }
            log.sync().unwrap();
        };
        std::thread::scope(|scope| ["a", "b", "c"].map(|name| scope.spawn(move || append(name))).map(|_| ()));
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 1200);
        assert!(text.lines().all(|line| line.ends_with(&"-".repeat(20_000))));
    }

    #[test]
    fn a_line_that_was_cut_short_is_ended() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("log");
        fs::write(&path, "one\ntw").unwrap();
        let mut log = AppendFile::open(&path).unwrap();
        log.append(b"").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntw");
        log.append(b"three\n").unwrap();
        log.append(b"four\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntw\nthree\nfour\n");
    }

    #[cfg(unix)]
    #[test]
    fn what_cannot_be_read_is_not_read() {
        let scratch = tempfile::tempdir().unwrap();
        let pipe = scratch.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe).unwrap()
        });
        let mut log = AppendFile::open(&pipe).unwrap();
        assert!(log.readable().is_none());
        log.append(b"one\n").unwrap();
        log.append(b"two\n").unwrap();
        log.sync().unwrap();
        drop(log);
        assert_eq!(reader.join().unwrap(), "one\ntwo\n");
        let mut full = AppendFile::open("/dev/full".as_ref()).unwrap();
        assert_eq!(full.append(b"one\n").unwrap_err().kind(), ErrorKind::StorageFull);
    }
}
