//! What a run says of itself: `progress.jsonl` and TensorBoard scalars.

use std::fs::{self, File};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tensorboard_rs::summary_writer::SummaryWriter;

use super::files::write_whole;
use super::scoring::SuiteScore;
use crate::stderr::print_line;

/// One generation's figures: a line of `progress.jsonl`. Counters cover the whole run so far, except that what it took to
/// play a generation whose games outlived a kill is not known any more; its line has the rates of the one before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Generations finished.
    pub generation: u64,
    /// Learning steps done.
    pub steps: u64,
    /// Games played.
    pub games: u64,
    /// Rows written.
    pub rows: u64,
    /// Positions searched.
    pub positions: u64,
    /// Evaluations asked for.
    pub evaluations: u64,
    /// Wall-clock seconds of work.
    pub seconds: f64,
    /// Mean policy loss, in nats.
    pub policy_loss: f64,
    /// Mean margin loss, in nats.
    pub margin_loss: f64,
    /// Mean loss of what edges are worth, in squares of four boxes; none where that is not learnt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge_loss: Option<f64>,
    /// Mean entropy of the policy, in nats.
    pub policy_entropy: f64,
    /// Mean distance, in boxes, of the expected margin from margins proved in the newest games, by the weights that played
    /// them; none where nothing was proved. Runs of older versions measured it after these were learnt from.
    pub margin_error: Option<f64>,
    /// How the network scored on the run's suite; none in a generation after which no scores were taken.
    #[serde(flatten)]
    pub suite: Option<SuiteScore>,
    /// Games in a second of self-play.
    pub games_per_second: f64,
    /// Positions searched in a second of self-play.
    pub positions_per_second: f64,
    /// Evaluations asked for in a second of self-play.
    pub evaluations_per_second: f64,
    /// Share of evaluations that the cache answered.
    pub cache_hits: f64,
    /// Share of the generation's time in self-play's network.
    pub share_network: f64,
    /// Share of it in the solver at roots.
    pub share_solver: f64,
    /// Share of it in the solver at leaves; older runs count that as search.
    #[serde(default)]
    pub share_leaves: f64,
    /// Share of it in the search itself.
    pub share_search: f64,
    /// Share of it in studied positions; older runs had none.
    #[serde(default)]
    pub share_study: f64,
    /// Share of the generation's time in learning.
    pub share_learning: f64,
    /// Rows in the window.
    pub window_rows: u64,
    /// The learning rate of the last step.
    pub learning_rate: f64,
    /// Mean norm of the gradient before clipping.
    pub gradient_norm: f64,
}

/// The logs of one run.
pub(super) struct Logs {
    scalars: Scalars,
    progress: PathBuf,
}

impl Logs {
    /// Opens the logs. Lines of generations after `last` or cut short by a kill are dropped, and `last` itself is put
    /// back when the kill came between checkpoint and line.
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
        Ok(Logs { scalars: Scalars::open(&run.join("tensorboard"))?, progress })
    }

    /// Writes a generation's figures.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        let mut bytes = fs::read(&self.progress)?;
        bytes.extend(line(record)?);
        write_whole(&self.progress, &bytes)?;
        let scalars = [
            ("loss/policy", record.policy_loss),
            ("loss/margin", record.margin_loss),
            ("policy/entropy", record.policy_entropy),
            ("selfplay/games_per_second", record.games_per_second),
            ("selfplay/positions_per_second", record.positions_per_second),
            ("selfplay/evaluations_per_second", record.evaluations_per_second),
            ("selfplay/cache_hits", record.cache_hits),
            ("time/network", record.share_network),
            ("time/solver", record.share_solver),
            ("time/solver at leaves", record.share_leaves),
            ("time/search", record.share_search),
            ("time/study", record.share_study),
            ("time/learning", record.share_learning),
            ("replay/window_rows", record.window_rows as f64),
            ("learning/rate", record.learning_rate),
            ("learning/gradient_norm", record.gradient_norm),
        ];
        let edge_loss = record.edge_loss.map(|loss| ("loss/edges", loss));
        let margin_error = record.margin_error.map(|error| ("value/margin_error", error));
        let suite = record.suite.into_iter().flat_map(|score| {
            let figures = [
                ("suite/policy_optimal", score.policy_optimal),
                ("suite/search_optimal", score.search_optimal),
                ("suite/margin_error", score.margin_error),
            ];
            figures.into_iter().chain(score.sign_agreement.map(|share| ("suite/sign_agreement", share)))
        });
        let scalars: Vec<(&str, f64)> = scalars.into_iter().chain(edge_loss).chain(margin_error).chain(suite).collect();
        self.scalars.write(record.generation, &scalars);
        Ok(())
    }
}

/// TensorBoard's scalars. Their writer panics where it cannot write; a run then goes on without it, as `progress.jsonl`
/// has the same figures.
struct Scalars(Option<SummaryWriter>);

impl Scalars {
    fn open(folder: &Path) -> io::Result<Scalars> {
        fs::create_dir_all(folder)?;
        let probe = folder.join("probe");
        File::create(&probe)?;
        fs::remove_file(&probe)?;
        Ok(Scalars(guarded(|| SummaryWriter::new(folder))))
    }

    fn write(&mut self, generation: u64, scalars: &[(&str, f64)]) {
        let Some(writer) = &mut self.0 else { return };
        let written = guarded(|| {
            for &(tag, value) in scalars {
                writer.add_scalar(tag, value as f32, generation as usize);
            }
            writer.flush();
        });
        if written.is_none() {
            print_line(format_args!(
                "TensorBoard's files cannot be written any more; the run goes on, and progress.jsonl has its figures"
            ));
            self.close();
        }
    }

    /// Its writer also panics when it is dropped after a failure.
    fn close(&mut self) {
        guarded(|| drop(self.0.take()));
    }
}

impl Drop for Scalars {
    fn drop(&mut self) {
        self.close();
    }
}

/// What comes of it, unless it panics.
fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

fn line(record: &Record) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(record)?;
    bytes.push(b'\n');
    Ok(bytes)
}
