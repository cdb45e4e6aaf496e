//! A run's figures as TensorBoard's scalars.

use std::fs::{self, File};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use tensorboard_rs::summary_writer::SummaryWriter;

use super::record::Record;

/// A writer of TensorBoard's scalars.
///
/// The writer within panics where it cannot write, and again when it is dropped after that. Here
/// that is a failed write.
pub(super) struct TensorBoard(Option<SummaryWriter>);

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

    /// Writes a generation's figures, and returns `false` if they cannot be written.
    pub fn write(&mut self, record: &Record) -> bool {
        let Some(writer) = &mut self.0 else { return false };
        let written = guarded(|| {
            for (tag, value) in scalars(record) {
                writer.add_scalar(tag, value as f32, record.generation as usize);
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

/// The result of some work, or `None` if it panics.
fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// The tags and values of a generation. A generation without rates has none of theirs.
fn scalars(record: &Record) -> Vec<(&'static str, f64)> {
    let mut scalars = vec![
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
            ("time/solver at leaves", rates.share_leaves),
            ("time/search", rates.share_search),
            // An older name: another tag would break the curves of runs that are resumed.
            ("time/study", rates.share_labelling),
            ("time/learning", rates.share_learning),
        ]);
    }
    scalars.extend([
        ("replay/window_rows", record.window_samples as f64),
        ("learning/rate", record.learning_rate),
        ("learning/gradient_norm", record.gradient_norm),
    ]);
    scalars.extend(record.edge_loss.map(|loss| ("loss/edges", loss)));
    scalars.extend(record.margin_error.map(|error| ("value/margin_error", error)));
    if let Some(score) = record.suite {
        scalars.extend([
            ("suite/policy_optimal", score.policy_optimal),
            ("suite/search_optimal", score.search_optimal),
            ("suite/margin_error", score.margin_error),
        ]);
        scalars.extend(score.sign_agreement.map(|share| ("suite/sign_agreement", share)));
    }
    scalars
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::record::GenerationRates;

    #[test]
    fn a_generation_without_rates_writes_none() {
        let tags = |record: &Record| scalars(record).iter().map(|&(tag, _)| tag).collect::<Vec<_>>();
        let record = Record::default();
        let rated = Record { rates: Some(GenerationRates::default()), ..Record::default() };
        assert_eq!(tags(&rated).len(), tags(&record).len() + 10);
        let is_rate = |tag: &&str| tag.starts_with("selfplay/") || tag.starts_with("time/");
        assert!(!tags(&record).iter().any(is_rate));
    }
}
