//! The logs of a run: `progress.jsonl`, and TensorBoard's scalars.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::run::tensorboard::TensorBoard;
use doublecross_files::write_whole;
use doublecross_run::Record;
use doublecross_run::checkpoint;
use doublecross_run::observer::{Event, Observer};

/// The logs of one run.
pub(crate) struct Logs {
    tensorboard: Option<TensorBoard>,
    progress: PathBuf,
}

impl Logs {
    /// Checks that the logs of a run can be opened, as far as that can be told without writing.
    ///
    /// # Errors
    /// Returns the file or folder that something else stands in the place of.
    pub fn check(run: &Path) -> Result<(), (PathBuf, io::Error)> {
        let (progress, tensorboard) = (run.join("progress.jsonl"), run.join("tensorboard"));
        for (path, is_folder) in [(progress, false), (tensorboard, true)] {
            match fs::metadata(&path) {
                Ok(found) if found.is_dir() != is_folder => {
                    let kind = if is_folder { "folder" } else { "file" };
                    let message = format!("it is no {kind} (move what is there away)");
                    return Err((path, io::Error::new(io::ErrorKind::InvalidInput, message)));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Opens the logs of a run whose newest checkpoint has the record `last`, and gives them the
    /// generations up to it that they lack.
    ///
    /// Lines of later generations are dropped. Records come from the checkpoints, whose checksums
    /// protect them, or else from the lines of `progress.jsonl`. The lines that were missing or damaged
    /// are reported, unless it is the last one alone, which a kill may have left so.
    pub fn open(run: &Path, last: Option<&Record>, observer: &dyn Observer) -> io::Result<Logs> {
        let progress = run.join("progress.jsonl");
        let text = read_or_empty(&progress)?;
        let records = last.map_or(Vec::new(), |last| whole_records(run, &text, last, observer));
        let mut bytes = Vec::new();
        for record in &records {
            bytes.extend(line(record)?);
        }
        write_whole(&progress, &bytes)?;
        let folder = run.join("tensorboard");
        let filled = |mut tensorboard: TensorBoard| tensorboard.fill(&folder, &records).map(|()| tensorboard);
        let tensorboard = TensorBoard::open(&folder).and_then(filled);
        if tensorboard.is_err() {
            observer.report(Event::TensorBoardLost);
        }
        Ok(Logs { tensorboard: tensorboard.ok(), progress })
    }

    /// Writes a generation's figures. A failure in TensorBoard's files is reported and ends them, not
    /// the run.
    pub fn write(&mut self, record: &Record, observer: &dyn Observer) -> io::Result<()> {
        let mut bytes = read_or_empty(&self.progress)?;
        bytes.extend(line(record)?);
        write_whole(&self.progress, &bytes)?;
        if self.tensorboard.as_mut().is_some_and(|tensorboard| tensorboard.write(record).is_err()) {
            observer.report(Event::TensorBoardLost);
            self.tensorboard = None;
        }
        Ok(())
    }

    /// Returns the path of `progress.jsonl`.
    pub fn progress(&self) -> &Path {
        &self.progress
    }
}

/// Returns the bytes of a file, or none if there is no such file.
fn read_or_empty(path: &Path) -> io::Result<Vec<u8>> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        bytes => bytes,
    }
}

/// Returns the records of all generations up to the last one, as far as they are known.
fn whole_records(run: &Path, text: &[u8], last: &Record, observer: &dyn Observer) -> Vec<Record> {
    let lines = text.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice::<Record>(line).ok());
    let mut logged: BTreeMap<u64, Record> = lines.map(|record| (record.generation, record)).collect();
    let (mut records, mut restored, mut lost) = (Vec::new(), 0, 0);
    for generation in 1..last.generation {
        let (line, kept) = (logged.remove(&generation), checkpoint::record(run, generation));
        restored += (kept.is_some() && kept != line) as usize;
        match kept.or(line) {
            Some(record) => records.push(record),
            None => lost += 1,
        }
    }
    if restored + lost > 0 {
        // A kill may have come before the last line was written, which alone is nothing to tell.
        restored += (logged.get(&last.generation) != Some(last)) as usize;
        observer.report(Event::ProgressRestored { restored, lost });
    }
    records.push(last.clone());
    records
}

fn line(record: &Record) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(record)?;
    bytes.push(b'\n');
    Ok(bytes)
}
