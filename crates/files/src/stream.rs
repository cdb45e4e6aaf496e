//! Pipes, terminals and other devices, which are written as they come and are not read.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// The flag of [`end_waits`].
static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// The most bytes that a pipe with room takes without a wait: `PIPE_BUF`.
#[cfg(unix)]
const PART: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

/// The milliseconds between two looks at the flag.
#[cfg(unix)]
const INTERVAL: u64 = 20;

/// Ends the waits of this process for readers of pipes as soon as the flag is set. The first flag that
/// is given counts.
///
/// Whoever handles a signal by setting a flag needs this: the system restarts a write that a signal
/// interrupts.
pub fn end_waits(flag: Arc<AtomicBool>) {
    let _ = STOP.set(flag);
}

/// A file that is no regular one: a pipe, a terminal or another device, or what this process has
/// open already.
#[derive(Debug)]
pub struct Stream(File);

impl Stream {
    /// Opens the stream at a path, or returns `None` if a regular file is there, or nothing. A named
    /// pipe is opened when it has a reader.
    ///
    /// # Errors
    /// Returns an error if a folder is there, or the stream cannot be written.
    pub fn open(path: &Path) -> io::Result<Option<Stream>> {
        if let Some(file) = descriptor(path)? {
            return Ok(Some(Stream(file)));
        }
        match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
            Ok(found) if found.is_dir() => {
                Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a folder, not a file"))
            }
            Ok(found) if found.is_file() => Ok(None),
            Ok(found) => open_device(path, &found).map(|file| Some(Stream(file))),
        }
    }

    /// Writes all bytes, as [`write_when_ready`] does.
    ///
    /// # Errors
    /// Returns an error if they cannot be written.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        write_when_ready(&mut self.0, bytes)
    }
}

/// Writes all bytes to a file or a stream. A pipe that is full is waited for until the flag of
/// [`end_waits`] is set.
///
/// # Errors
/// Returns an error if the bytes cannot be written or the wait was ended.
#[cfg(unix)]
pub fn write_when_ready(to: &mut (impl Write + std::os::fd::AsFd), bytes: &[u8]) -> io::Result<()> {
    for part in bytes.chunks(PART) {
        wait(to.as_fd())?;
        to.write_all(part)?;
    }
    to.flush()
}

/// Writes all bytes.
///
/// # Errors
/// Returns an error if they cannot be written.
#[cfg(not(unix))]
pub fn write_when_ready(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(bytes).and_then(|()| to.flush())
}

/// Waits until a file takes bytes.
#[cfg(unix)]
fn wait(file: std::os::fd::BorrowedFd<'_>) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let interval = Timespec { tv_sec: 0, tv_nsec: INTERVAL as i64 * 1_000_000 };
    loop {
        match poll(&mut [PollFd::from_borrowed_fd(file, PollFlags::OUT)], Some(&interval)) {
            Ok(0) => check_wait()?,
            Err(rustix::io::Errno::INTR) => {}
            ready => return ready.map(drop).map_err(io::Error::from),
        }
    }
}

/// Returns an error if waits are to end.
#[cfg(unix)]
fn check_wait() -> io::Result<()> {
    let is_over = STOP.get().is_some_and(|stop| stop.load(std::sync::atomic::Ordering::Relaxed));
    if is_over { Err(io::Error::other("interrupted before its reader had read it")) } else { Ok(()) }
}

#[cfg(unix)]
fn open_device(path: &Path, found: &fs::Metadata) -> io::Result<File> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
    // A pipe without a reader is an error with this flag, and would be waited for without it.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let open = || File::options().write(true).custom_flags(flags.bits() as i32).open(path);
    let file = loop {
        match open() {
            Err(error)
                if found.file_type().is_fifo()
                    && error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error()) =>
            {
                check_wait()?;
                std::thread::sleep(std::time::Duration::from_millis(INTERVAL));
            }
            opened => break opened?,
        }
    };
    fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
    Ok(file)
}

#[cfg(not(unix))]
fn open_device(path: &Path, _: &fs::Metadata) -> io::Result<File> {
    File::options().write(true).open(path)
}

/// Returns the file that this process has open already and that a path stands for, as `/dev/stdout`.
/// To open it anew would begin at its start, and would lose what a shell has put there.
#[cfg(unix)]
fn descriptor(path: &Path) -> io::Result<Option<File>> {
    use std::os::fd::AsFd;
    let mut path = path.to_path_buf();
    // As many links as the system follows.
    for _ in 0..40 {
        let text = path.to_string_lossy().into_owned();
        let number = ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"].iter().find_map(|start| {
            let number = text.strip_prefix(start)?;
            number.bytes().all(|digit| digit.is_ascii_digit()).then_some(number)
        });
        return match (text.as_str(), number) {
            ("/dev/stdout", _) | (_, Some("1")) => io::stdout().as_fd().try_clone_to_owned().map(File::from).map(Some),
            ("/dev/stderr", _) | (_, Some("2")) => io::stderr().as_fd().try_clone_to_owned().map(File::from).map(Some),
            (_, Some(_)) => File::options().append(true).open(&path).map(Some),
            _ => {
                let Ok(target) = fs::read_link(&path) else { return Ok(None) };
                path = path.parent().unwrap_or(Path::new("")).join(target);
                continue;
            }
        };
    }
    Ok(None)
}

#[cfg(not(unix))]
fn descriptor(_: &Path) -> io::Result<Option<File>> {
    Ok(None)
}
