//! A run's figures as TensorBoard's scalars.

mod events;

use std::borrow::Cow;
use std::cell::Cell;
use std::fs::{self, File};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

use tensorboard_rs::summary_writer::SummaryWriter;

use doublecross_run::Record;

/// A writer of TensorBoard's scalars.
///
/// The writer within panics where it cannot write, and again when it is dropped after that. Here
/// that is a failed write.
pub(crate) struct TensorBoard(Option<SummaryWriter>);

impl TensorBoard {
    /// Opens a file of scalars in this folder; `None` if the writer cannot create it.
    ///
    /// # Errors
    /// Returns an error if files cannot be created in the folder.
    pub fn open(folder: &Path) -> io::Result<Option<TensorBoard>> {
        fs::create_dir_all(folder)?;
        let probe = folder.join("probe");
        File::create(&probe)?;
        fs::remove_file(&probe)?;
        Ok(guarded(|| SummaryWriter::new(folder)).map(|writer| TensorBoard(Some(writer))))
    }

    /// Writes what the files in the folder lack of these generations, in which a kill may have left
    /// a hole. Returns `false` if it cannot be written.
    pub fn fill(&mut self, folder: &Path, records: &[Record]) -> bool {
        let written = events::written(folder);
        let lacks = |tag: &str, generation: u64| !written.contains(&(tag.to_string(), generation));
        self.write_some(records, |tag, generation| lacks(tag, generation))
    }

    /// Writes a generation's figures, and returns `false` if they cannot be written.
    pub fn write(&mut self, record: &Record) -> bool {
        self.write_some(std::slice::from_ref(record), |_, _| true)
    }

    /// Writes those figures for whose tag and generation `is_meant` returns `true`.
    fn write_some(&mut self, records: &[Record], is_meant: impl Fn(&str, u64) -> bool) -> bool {
        let Some(writer) = &mut self.0 else { return false };
        let written = guarded(|| {
            for record in records {
                let meant = scalars(record).into_iter().filter(|(tag, _)| is_meant(tag, record.generation));
                for (tag, value) in meant {
                    writer.add_scalar(&tag, value as f32, record.generation as usize);
                }
            }
            writer.flush();
        });
        written.is_some()
    }
}

impl Drop for TensorBoard {
    fn drop(&mut self) {
        guarded(|| drop(self.0.take()));
    }
}

thread_local! {
    /// `true` while this thread works for the writer.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Returns the result of some work of the writer, or `None` if it panics.
fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    // The writer's panics, in a thread of its own too, are failures that are reported otherwise.
    HOOK.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| {
            let is_writers = panic.location().is_some_and(|place| place.file().contains("tensorboard-rs"));
            if !is_writers && !IS_GUARDED.get() {
                others(panic);
            }
        }));
    });
    IS_GUARDED.set(true);
    let result = catch_unwind(AssertUnwindSafe(work)).ok();
    IS_GUARDED.set(false);
    result
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
            ("time/study", rates.share_labelling),
            ("time/learning", rates.share_learning),
        ]);
    }
    scalars.extend([
        ("window/window_rows", record.window_samples as f64),
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
        let mut first = TensorBoard::open(folder.path()).unwrap().unwrap();
        assert!(first.write(&records[0]) && first.write(&records[2]));
        drop(first);
        // A line that a kill cut short counts as not written.
        let path = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
        let missing = 2 * scalars(&records[0]).len() + 1;
        let count = |folder: &Path| events::written(folder).len();
        assert_eq!(count(folder.path()), 4 * scalars(&records[0]).len() - missing);
        // The writer names its files by the second.
        std::thread::sleep(std::time::Duration::from_millis(1100));
        let mut second = TensorBoard::open(folder.path()).unwrap().unwrap();
        assert!(second.fill(folder.path(), &records));
        drop(second);
        assert_eq!(count(folder.path()), 4 * scalars(&records[0]).len());
        assert_eq!(events::read(folder.path()).len(), 4 * scalars(&records[0]).len());
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
