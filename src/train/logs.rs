//! What a run says of itself: `progress.jsonl` and TensorBoard scalars.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tensorboard_rs::summary_writer::SummaryWriter;

use super::files::write_whole;

/// One generation's figures: a line of `progress.jsonl`. Counters cover the whole run so far.
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
    /// Mean entropy of the policy, in nats.
    pub policy_entropy: f64,
    /// Mean distance, in boxes, of the averaged weights' expected margin from margins proved in the newest games.
    pub margin_error: f64,
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
    /// Share of the generation's time in learning.
    pub share_learning: f64,
    /// Rows in the window.
    pub window_rows: u64,
    /// Mean passes over the window's rows.
    pub passes_per_row: f64,
    /// The learning rate of the last step.
    pub learning_rate: f64,
    /// Mean norm of the gradient before clipping.
    pub gradient_norm: f64,
}

/// The logs of one run.
pub(super) struct Logs {
    tensorboard: SummaryWriter,
    progress: std::path::PathBuf,
}

impl Logs {
    /// Opens the logs. Lines of generations after `last` or cut short by a kill are dropped, and `last` itself is put
    /// back when the kill came between checkpoint and line.
    pub fn open(run: &Path, last: Option<&Record>) -> io::Result<Logs> {
        let progress = run.join("progress.jsonl");
        let text = fs::read_to_string(&progress).unwrap_or_default();
        let mut records: Vec<Record> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        records.retain(|record| last.is_some_and(|last| record.generation < last.generation));
        records.extend(last.cloned());
        let mut bytes = Vec::new();
        for record in &records {
            bytes.extend(line(record)?);
        }
        write_whole(&progress, &bytes)?;
        fs::create_dir_all(run.join("tensorboard"))?;
        Ok(Logs { tensorboard: SummaryWriter::new(run.join("tensorboard")), progress })
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
            ("value/margin_error", record.margin_error),
            ("selfplay/games_per_second", record.games_per_second),
            ("selfplay/positions_per_second", record.positions_per_second),
            ("selfplay/evaluations_per_second", record.evaluations_per_second),
            ("selfplay/cache_hits", record.cache_hits),
            ("time/network", record.share_network),
            ("time/solver", record.share_solver),
            ("time/solver at leaves", record.share_leaves),
            ("time/search", record.share_search),
            ("time/learning", record.share_learning),
            ("replay/window_rows", record.window_rows as f64),
            ("replay/passes_per_row", record.passes_per_row),
            ("learning/rate", record.learning_rate),
            ("learning/gradient_norm", record.gradient_norm),
        ];
        for (tag, value) in scalars {
            self.tensorboard.add_scalar(tag, value as f32, record.generation as usize);
        }
        self.tensorboard.flush();
        Ok(())
    }
}

fn line(record: &Record) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(record)?;
    bytes.push(b'\n');
    Ok(bytes)
}
