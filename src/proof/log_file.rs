//! Reading and writing the lines of a log.

use std::fs::{File, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::{LogError, Origin};

/// Opens a log for reading. One whose name ends with `.gz` is decompressed.
fn open(path: &Path) -> Result<Box<dyn BufRead>, LogError> {
    let file = File::open(path).map_err(|error| LogError::Read { path: path.display().to_string(), error })?;
    let reader = BufReader::with_capacity(1 << 16, file);
    let is_compressed = path.extension().is_some_and(|extension| extension == "gz");
    Ok(if is_compressed { Box::new(BufReader::new(MultiGzDecoder::new(reader))) } else { Box::new(reader) })
}

/// Calls `each` with every line of a log that is not empty or a comment, and its place. Returns the
/// number of lines.
///
/// A line that is not UTF-8 is read with replacements, so that it is refused as a lemma.
pub(super) fn for_each_line(
    path: &Path,
    each: &mut dyn FnMut(&str, Origin) -> Result<(), LogError>,
) -> Result<usize, LogError> {
    let log: std::sync::Arc<str> = path.display().to_string().into();
    for_each(path, &mut |text, line| {
        if text.is_empty() || text.starts_with('#') {
            return Ok(());
        }
        each(text, Origin { log: std::sync::Arc::clone(&log), line })
    })
}

/// Calls `each` with every comment of a log, and its line.
pub(super) fn for_each_comment(path: &Path, each: &mut dyn FnMut(&str, usize)) -> Result<(), LogError> {
    for_each(path, &mut |text, line| {
        if text.starts_with('#') {
            each(text, line);
        }
        Ok(())
    })
    .map(drop)
}

/// Calls `each` with every line of a log, from 1, and returns their number.
fn for_each(path: &Path, each: &mut dyn FnMut(&str, usize) -> Result<(), LogError>) -> Result<usize, LogError> {
    /// The most bytes of a line that are read. Lemmas are shorter by far.
    const LONGEST: u64 = 1 << 10;
    let failed = |error| LogError::Read { path: path.display().to_string(), error };
    let mut reader = open(path)?;
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

/// Opens a log for appending, creates it if it does not exist, and locks it for this process. A last
/// line that was cut off is removed.
pub(super) fn lock(path: &Path) -> Result<File, LogError> {
    let failed = |error| LogError::Write { path: path.display().to_string(), error };
    let mut file = File::options().read(true).append(true).create(true).open(path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(LogError::Busy { path: path.display().to_string() }),
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    remove_cut_off_line(&mut file).map_err(failed)?;
    Ok(file)
}

/// Removes what stands behind the last line feed.
fn remove_cut_off_line(file: &mut File) -> io::Result<()> {
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
    if end < length { file.set_len(end) } else { Ok(()) }
}

/// Appends whole lines at once.
pub(super) fn append(file: &mut File, lines: &str) -> io::Result<()> {
    file.write_all(lines.as_bytes())
}

/// Moves a line and all behind it to the end of a file beside the log.
pub(super) fn cut(file: &mut File, path: &Path, line: usize) -> io::Result<()> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    let start = bytes.split_inclusive(|&byte| byte == b'\n').take(line - 1).map(<[u8]>::len).sum::<usize>();
    let mut name = path.as_os_str().to_owned();
    name.push(".refused");
    let mut refused = File::options().append(true).create(true).open(name)?;
    refused.write_all(&bytes[start..])?;
    refused.sync_all()?;
    file.set_len(start as u64)?;
    file.sync_all()
}
