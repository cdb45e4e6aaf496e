//! The logs of a run: `progress.jsonl`, and TensorBoard's scalars.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::files::write_whole;
use super::observer::{Event, Observer};
use super::record::Record;
use super::tensorboard::TensorBoard;

/// The logs of one run.
pub(super) struct Logs {
    tensorboard: Option<TensorBoard>,
    progress: PathBuf,
}

impl Logs {
    /// Opens the logs of a run whose newest checkpoint has the record `last`.
    ///
    /// Lines of later generations and those cut short by a kill are dropped. `last` itself is put
    /// back where the kill came between the checkpoint and the line.
    pub fn open(run: &Path, last: Option<&Record>) -> io::Result<Logs> {
        let progress = run.join("progress.jsonl");
        let text = match fs::read(&progress) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            text => text?,
        };
        let lines = text.split(|&byte| byte == b'\n');
        let mut records: Vec<Record> = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
        records.retain(|record| last.is_some_and(|last| record.generation < last.generation));
        records.extend(last.cloned());
        let mut bytes = Vec::new();
        for record in &records {
            bytes.extend(line(record)?);
        }
        write_whole(&progress, &bytes)?;
        Ok(Logs { tensorboard: TensorBoard::open(&run.join("tensorboard"))?, progress })
    }

    /// Writes a generation's figures. A failure of TensorBoard's writer is reported and ends its
    /// files, not the run.
    pub fn write(&mut self, record: &Record, observer: &dyn Observer) -> io::Result<()> {
        let mut bytes = fs::read(&self.progress)?;
        bytes.extend(line(record)?);
        write_whole(&self.progress, &bytes)?;
        if let Some(tensorboard) = &mut self.tensorboard
            && !tensorboard.write(record)
        {
            observer.report(Event::TensorBoardLost);
            self.tensorboard = None;
        }
        Ok(())
    }
}

fn line(record: &Record) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(record)?;
    bytes.push(b'\n');
    Ok(bytes)
}
