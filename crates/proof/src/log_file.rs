//! Reading and writing the lines of a log.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::{LogError, Origin, parse_lemma};
use doublecross_core::shell::shell_word;
use doublecross_files::{AppendFile, sync_folder};

/// The most bytes of a line that are read. Lemmas are shorter by far.
const LONGEST: u64 = 1 << 10;

/// The most bytes from the beginning of a file that are read to find out whether it is a log.
const BEGINNING: u64 = 1 << 16;

/// The most lines there that need not be lemmas.
const LINES_BEFORE: usize = 100;

/// The reason why a pipe or a device is not read.
const NO_FILE: &str = "it is no regular file (write the log to a file first)";

/// The first bytes of a compressed log.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Returns `true` if a log of this name is compressed.
fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "gz")
}

/// The place that a log is read from.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    /// A file, decompressed if it is gzip.
    Path(&'a Path),
    /// A file that is open and locked, whose lock may keep others from reading it.
    Locked(&'a File, &'a Path),
}

impl<'a> Source<'a> {
    fn path(self) -> &'a Path {
        match self {
            Source::Path(path) | Source::Locked(_, path) => path,
        }
    }

    fn open(self) -> Result<Box<dyn BufRead + 'a>, LogError> {
        let failed = |error| LogError::Read { path: shell_word(self.path()), error };
        match self {
            Source::Path(path) => {
                // Logs are read more than once, which a pipe cannot be.
                if !fs::metadata(path).map_err(failed)?.is_file() {
                    return Err(failed(io::Error::new(ErrorKind::InvalidInput, NO_FILE)));
                }
                let mut reader = BufReader::with_capacity(1 << 16, File::open(path).map_err(failed)?);
                Ok(if reader.fill_buf().map_err(failed)?.starts_with(&GZIP) {
                    Box::new(BufReader::new(MultiGzDecoder::new(reader)))
                } else {
                    Box::new(reader)
                })
            }
            Source::Locked(mut file, _) => {
                file.seek(SeekFrom::Start(0)).map_err(failed)?;
                Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
            }
        }
    }
}

/// Calls `each` with every line of a log that is not empty or a comment, and its place. Returns the
/// number of lines.
///
/// A line that is not UTF-8 is read with replacements, so that it is refused as a lemma.
pub(super) fn for_each_line(
    source: Source,
    each: &mut dyn FnMut(&str, Origin) -> Result<(), LogError>,
) -> Result<usize, LogError> {
    let log: std::sync::Arc<str> = shell_word(source.path()).into();
    for_each(source, &mut |text, line| {
        if text.is_empty() || text.starts_with('#') {
            return Ok(());
        }
        each(text, Origin { log: std::sync::Arc::clone(&log), line })
    })
}

/// Calls `each` with every comment of a log, and its line.
pub(super) fn for_each_comment(source: Source, each: &mut dyn FnMut(&str, usize)) -> Result<(), LogError> {
    for_each(source, &mut |text, line| {
        if text.starts_with('#') {
            each(text, line);
        }
        Ok(())
    })
    .map(drop)
}

/// Calls `each` with every line of a log, from 1, and returns their number.
fn for_each(source: Source, each: &mut dyn FnMut(&str, usize) -> Result<(), LogError>) -> Result<usize, LogError> {
    let failed = |error| LogError::Read { path: shell_word(source.path()), error };
    let mut reader = source.open()?;
    let mut bytes = Vec::new();
    let mut line = 0;
    loop {
        bytes.clear();
        if (&mut reader).take(LONGEST).read_until(b'\n', &mut bytes).map_err(failed)? == 0 {
            return Ok(line);
        }
        line += 1;
        if bytes.last() != Some(&b'\n') && bytes.len() as u64 == LONGEST {
            reader.skip_until(b'\n').map_err(failed)?;
        }
        let text = String::from_utf8_lossy(&bytes);
        each(text.trim_end_matches(['\n', '\r']), line)?;
    }
}

/// A log that is open for appending.
#[derive(Debug)]
pub(super) enum OpenLog {
    /// A regular file, which is locked for this process.
    File(File),
    /// What cannot be read: a pipe, a device, or a file that may be written alone.
    Unreadable(AppendFile),
}

/// Opens a log for appending, creates it if it does not exist, and locks it for this process. A
/// last line that was cut off is removed, unless the lemma on it is whole.
pub(super) fn open(path: &Path) -> Result<OpenLog, LogError> {
    let failed = |error| LogError::Write { path: shell_word(path), error };
    let foreign = || LogError::Foreign { path: shell_word(path) };
    if is_compressed(path) {
        return Err(foreign());
    }
    let log = AppendFile::open(path).map_err(failed)?;
    if log.readable().is_none() {
        return Ok(OpenLog::Unreadable(log));
    }
    // Not opened for appending alone, which on Windows does not allow to shorten it.
    let mut file = File::options().read(true).write(true).open(path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(LogError::Busy { path: shell_word(path) }),
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    if !begins_as_log(&mut file).map_err(failed)? {
        return Err(foreign());
    }
    end_last_line(&mut file).map_err(failed)?;
    Ok(OpenLog::File(file))
}

/// Returns `true` if the file begins as a log, or is empty, or the beginning of a log's first line.
///
/// A power cut may leave NUL bytes in the place of lines that were not synced yet.
fn begins_as_log(file: &mut File) -> io::Result<bool> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    (&mut *file).take(BEGINNING).read_to_end(&mut bytes)?;
    let is_whole = (bytes.len() as u64) < BEGINNING;
    let lines = bytes.split(|&byte| byte == b'\n').take(LINES_BEFORE);
    let texts: Vec<String> = lines.map(|line| String::from_utf8_lossy(line).trim_end().into()).collect();
    let is_lost = |text: &String| text.chars().all(|c| c == '\0');
    let has_lemma = texts.iter().any(|text| parse_lemma(text).is_ok());
    // A foreign file may hold lines that begin with a number sign, but others too.
    let begins = has_lemma || texts.iter().all(|text| is_lost(text) || text.starts_with('#'));
    Ok(begins || (is_whole && matches!(&texts[..], [text] if may_begin_lemma(text))))
}

/// Returns `true` if a text may be the beginning of a lemma, as in `3x4:0x1f`.
fn may_begin_lemma(text: &str) -> bool {
    let (board, rest) = text.split_once(':').unwrap_or((text, ""));
    let (rows, cols) = board.split_once('x').unwrap_or((board, ""));
    let is_number = |part: &str| part.len() <= 3 && part.chars().all(|c| c.is_ascii_digit());
    let is_state = "0x".starts_with(rest) || rest.starts_with("0x");
    is_number(rows) && is_number(cols) && is_state && rest.chars().all(|c| c.is_ascii_graphic() || c == ' ')
}

/// Removes what stands behind the last line feed, or ends the line if it is a whole lemma.
fn end_last_line(file: &mut File) -> io::Result<()> {
    const STEP: u64 = 1 << 12;
    let length = file.seek(SeekFrom::End(0))?;
    let mut end = length;
    while end > 0 {
        let start = end.saturating_sub(STEP);
        let mut bytes = vec![0; (end - start) as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut bytes)?;
        if let Some(at) = bytes.iter().rposition(|&byte| byte == b'\n') {
            end = start + at as u64 + 1;
            break;
        }
        end = start;
    }
    if end == length {
        return Ok(());
    }
    let mut last = String::new();
    file.seek(SeekFrom::Start(end))?;
    let is_text = (&mut *file).take(LONGEST).read_to_string(&mut last).is_ok();
    if is_text && parse_lemma(&last).is_ok() {
        file.seek(SeekFrom::End(0))?;
        return file.write_all(b"\n");
    }
    file.set_len(end)
}

impl OpenLog {
    /// Returns the file if it can be read.
    pub fn readable(&self) -> Option<&File> {
        match self {
            OpenLog::File(file) => Some(file),
            OpenLog::Unreadable(_) => None,
        }
    }

    /// Appends whole lines at once.
    pub fn append(&mut self, lines: &str) -> io::Result<()> {
        match self {
            OpenLog::File(file) => {
                file.seek(SeekFrom::End(0))?;
                file.write_all(lines.as_bytes())
            }
            OpenLog::Unreadable(log) => log.append(lines.as_bytes()),
        }
    }

    /// Waits until the log is on the disk.
    pub fn sync(&self) -> io::Result<()> {
        match self {
            OpenLog::File(file) => file.sync_data(),
            OpenLog::Unreadable(log) => log.sync(),
        }
    }
}

/// Moves a line and all behind it to the end of a file beside the log, and puts other lines in their
/// place. A kill or a power cut in between leaves the log as it was, or without some of the other lines: whom they
/// ban hands in lemmas anew, which are checked anew.
pub(super) fn cut(file: &mut File, path: &Path, line: usize, instead: &str) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::new(&mut *file);
    let mut start = 0;
    for _ in 1..line {
        start += reader.skip_until(b'\n')? as u64;
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".refused");
    let mut refused = File::options().append(true).create(true).open(name)?;
    io::copy(&mut reader, &mut refused)?;
    refused.sync_all()?;
    // What is taken out is kept before the log loses it.
    sync_folder(path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")))?;
    file.set_len(start)?;
    file.seek(SeekFrom::End(0))?;
    file.write_all(instead.as_bytes())?;
    file.sync_all()
}
