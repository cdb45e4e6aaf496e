//! A run's figures as TensorBoard's scalars.

mod events;

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use protobuf::Message;
use tensorboard_proto::event::Event;
use tensorboard_rs::record_writer::RecordWriter;
use tensorboard_rs::summary::scalar;

use doublecross_run::Record;

/// A writer of TensorBoard's scalars.
///
/// It makes records of tensorboard-rs and writes them itself, since the writer of that crate panics where it
/// cannot write.
pub(crate) struct TensorBoard(RecordWriter<BufWriter<File>>);

impl TensorBoard {
    /// Creates a file of scalars in this folder.
    ///
    /// # Errors
    /// Returns an error if the folder or the file cannot be created.
    pub fn open(folder: &Path) -> io::Result<TensorBoard> {
        fs::create_dir_all(folder)?;
        let (seconds, process) = (unix_time() as u64, std::process::id());
        let file = (0..).find_map(|number| {
            // TensorBoard reads the files of a folder by their names, from the oldest to the newest.
            let path = folder.join(format!("events.out.tfevents.{seconds:010}.{process}.{number}"));
            match File::create_new(path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => None,
                file => Some(file),
            }
        });
        let file = file.unwrap_or_else(|| Err(ErrorKind::AlreadyExists.into()))?;
        let mut writer = TensorBoard(RecordWriter::new(BufWriter::new(file)));
        let mut version = Event::new();
        version.set_file_version("brain.Event:2".into());
        writer.write_event(version)?;
        Ok(writer)
    }

    /// Removes all files of scalars from this folder.
    ///
    /// # Errors
    /// Returns an error if one cannot be removed.
    pub fn remove(folder: &Path) -> io::Result<()> {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let entry = entry?;
            if entry.file_name().as_encoded_bytes().starts_with(b"events.out.tfevents.") {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// Writes what the files in the folder lack of these generations, in which a kill may have left
    /// a hole.
    ///
    /// # Errors
    /// Returns an error if it cannot be written.
    pub fn fill(&mut self, folder: &Path, records: &[Record]) -> io::Result<()> {
        let written = events::written(folder);
        let lacks = |tag: &str, generation: u64| !written.contains(&(tag.to_string(), generation));
        self.write_some(records, |tag, generation| lacks(tag, generation))
    }

    /// Writes a generation's figures.
    ///
    /// # Errors
    /// Returns an error if they cannot be written.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        self.write_some(std::slice::from_ref(record), |_, _| true)
    }

    /// Writes those figures for whose tag and generation `is_meant` returns `true`.
    fn write_some(&mut self, records: &[Record], is_meant: impl Fn(&str, u64) -> bool) -> io::Result<()> {
        for record in records {
            let meant = scalars(record).into_iter().filter(|(tag, _)| is_meant(tag, record.generation));
            for (tag, value) in meant {
                let mut event = Event::new();
                event.set_summary(scalar(&tag, value as f32));
                event.set_step(record.generation as i64);
                self.write_event(event)?;
            }
        }
        self.0.flush()
    }

    fn write_event(&mut self, mut event: Event) -> io::Result<()> {
        event.set_wall_time(unix_time());
        self.0.write(&event.write_to_bytes()?)
    }
}

/// The seconds since 1970.
fn unix_time() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

/// The tags and values of a generation. A generation without rates has none of theirs.
fn scalars(record: &Record) -> Vec<(Cow<'static, str>, f64)> {
    let mut scalars: Vec<(&str, f64)> = vec![
        ("loss/policy", record.policy_loss),
        ("loss/margin", record.margin_loss),
        ("policy/entropy", record.policy_entropy),
    ];
    if let Some(rates) = record.rates {
        scalars.extend([
            ("selfplay/games_per_second", rates.games_per_second),
            ("selfplay/positions_per_second", rates.positions_per_second),
            ("selfplay/evaluations_per_second", rates.evaluations_per_second),
            ("selfplay/cache_hits", rates.cache_hits),
            ("time/network", rates.share_network),
            ("time/solver", rates.share_solver),
            ("time/solver_at_leaves", rates.share_leaves),
            ("time/search", rates.share_search),
            // An older name: another tag would break the curves of runs that are resumed.
            ("time/labels", rates.share_labeling),
            ("time/learning", rates.share_learning),
        ]);
    }
    scalars.extend([
        ("window/samples", record.window_samples as f64),
        ("learning/rate", record.learning_rate),
        ("learning/gradient_norm", record.gradient_norm),
    ]);
    scalars.extend(record.edge_loss.map(|loss| ("loss/edges", loss)));
    scalars.extend(record.margin_error.map(|error| ("value/margin_error", error)));
    if let Some(score) = &record.suite {
        scalars.extend([
            ("suite/policy_optimal", score.policy_optimal),
            ("suite/search_optimal", score.search_optimal),
            ("suite/margin_error", score.margin_error),
        ]);
        scalars.extend(score.sign_agreement.map(|share| ("suite/sign_agreement", share)));
    }
    let boards = record.suite.iter().flat_map(|score| &score.boards);
    let of_boards = boards.map(|(board, &share)| (Cow::Owned(format!("suite/search_optimal/{board}")), share));
    scalars.into_iter().map(|(tag, value)| (Cow::Borrowed(tag), value)).chain(of_boards).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_run::GenerationRates;

    #[test]
    fn a_generation_without_rates_writes_none() {
        let tags = |record: &Record| scalars(record).into_iter().map(|(tag, _)| tag).collect::<Vec<_>>();
        let record = Record::default();
        let rated = Record { rates: Some(GenerationRates::default()), ..Record::default() };
        assert_eq!(tags(&rated).len(), tags(&record).len() + 10);
        let is_rate = |tag: &Cow<str>| tag.starts_with("selfplay/") || tag.starts_with("time/");
        assert!(!tags(&record).iter().any(is_rate));
    }

    #[test]
    fn holes_are_filled_and_nothing_is_written_twice() {
        let folder = tempfile::tempdir().unwrap();
        let record = |generation| Record { generation, ..Record::default() };
        let records: Vec<Record> = (1..=4).map(record).collect();
        let mut first = TensorBoard::open(folder.path()).unwrap();
        first.write(&records[0]).unwrap();
        first.write(&records[2]).unwrap();
        drop(first);
        // A line that a kill cut short counts as not written.
        let path = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
        let missing = 2 * scalars(&records[0]).len() + 1;
        let count = |folder: &Path| events::written(folder).len();
        assert_eq!(count(folder.path()), 4 * scalars(&records[0]).len() - missing);
        let mut second = TensorBoard::open(folder.path()).unwrap();
        second.fill(folder.path(), &records).unwrap();
        drop(second);
        assert_eq!(count(folder.path()), 4 * scalars(&records[0]).len());
        assert_eq!(events::read(folder.path()).len(), 4 * scalars(&records[0]).len());
    }

    /// A full disk is an error and no panic, also when the writer is dropped after that.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut writer = TensorBoard(RecordWriter::new(BufWriter::new(full)));
        for _ in 0..2 {
            assert_eq!(writer.write(&Record::default()).unwrap_err().kind(), ErrorKind::StorageFull);
        }
    }

    #[test]
    fn tags_have_no_spaces() {
        let record = Record {
            rates: Some(GenerationRates::default()),
            edge_loss: Some(0.0),
            margin_error: Some(0.0),
            suite: Some(doublecross_run::SuiteScore {
                policy_optimal: 0.0,
                search_optimal: 0.0,
                margin_error: 0.0,
                sign_agreement: Some(0.0),
                boards: [("3x4".to_string(), 0.5)].into(),
            }),
            ..Record::default()
        };
        let tags = scalars(&record);
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "/_".contains(c);
        assert!(tags.iter().all(|(tag, _)| tag.chars().all(is_plain)));
        assert!(tags.contains(&("suite/search_optimal/3x4".into(), 0.5)));
    }
}
