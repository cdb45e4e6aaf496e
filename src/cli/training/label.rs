//! `doublecross label`: data sets of positions that the solver labels.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use clap::Args;
use clap::builder::RangedU64ValueParser;

use super::data_set_failure;
use crate::cli::terminal::count::counted;
use crate::cli::terminal::progress::Progress;
use crate::cli::terminal::stderr::{print_line, print_notice};
use crate::cli::training::load_config;
use crate::cli::{EndOnInterrupt, Failure, cannot_write};
use doublecross_core::shell::shell_word;
use doublecross_files::create_folders;
use doublecross_run::config::LabeledConfig;
use doublecross_selfplay::{DataSet, label_positions};
use doublecross_train::lock;

/// Label positions with the solver, for any number of runs to learn from.
///
/// Each shard has the labels of one generation: of `labeled.positions` random careful positions, and
/// of those on a walk from each toward the end. A label is the exact margin, all best edges, and the
/// margin of every edge. Labels do not depend on a network, so that they are made once: `learn` learns
/// from them alone, and a run with --set labeled.data=DIR takes them beside its games. All shards are
/// made with the values above the config's phases.
///
/// The same command goes on with the first shard that is not finished, makes those again that are missing or
/// damaged, and adds to what is there with a larger --shards.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross label 4x4 --to labels/4x4 --shards 40
  doublecross learn 4x4 --data labels/4x4
  doublecross train 4x4 --set labeled.data=labels/4x4

dataset.json in the folder says what is there. The labels are in the public domain (CC0-1.0).")]
pub(crate) struct Label {
    /// A config whose positions to label: a file, the name of a built-in one, as in 3x3, or any board, as in 4x5.
    config: PathBuf,
    /// The folder of the labels.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// Shards in all.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = RangedU64ValueParser::<u64>::new().range(1..=1_000_000))]
    shards: u64,
    /// Override a key of the config, as in --set seed=2; may be given more than once.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl Label {
    pub fn run(self) -> Result<(), Failure> {
        let mut config = load_config(&self.config, &self.set)?;
        config.labeled.data = None;
        config.phases.clear();
        if let Some(mixture) = &config.mixture {
            let board = config.board;
            return Err(Failure::input(anyhow::anyhow!(
                "labels are of one board, and the config has mixture = \"{mixture}\" (--set mixture=none labels {board})"
            )));
        }
        let LabeledConfig { positions, .. } = config.labeled;
        if positions == 0 {
            let name = shell_word(&self.config);
            return Err(Failure::input(anyhow::anyhow!(
                "{name} labels no positions: labeled.positions is 0 (--set labeled.positions=1000)"
            )));
        }
        let _end_on_interrupt = EndOnInterrupt::new(|| {
            "doublecross: interrupted; the same command goes on with the shard that was begun".into()
        })?;
        // A refused command writes nothing.
        DataSet::find(&self.to, &config).map_err(data_set_failure)?;
        create_folders(&self.to).map_err(cannot_write(&self.to))?;
        let _lock = lock(&self.to).map_err(Failure::input)?;
        let mut data_set = DataSet::create(&self.to, &config).map_err(data_set_failure)?;
        let kept = data_set.shards() as u64;
        if kept > 0 && kept < self.shards {
            print_notice(format_args!("{} already there", counted(kept, "shard")));
        }
        // Labels follow from the config, so that what is damaged can be made again.
        let damaged = data_set.damaged();
        if !damaged.is_empty() {
            print_line(format_args!("{} missing or damaged: made again", counted(damaged.len(), "shard")));
        }
        let missing = (damaged.len() + self.shards.saturating_sub(kept) as usize) * positions;
        let (progress, done) = (Progress::new("positions labeled", missing), AtomicUsize::new(0));
        let report = || progress.at(done.fetch_add(1, Relaxed) + 1);
        let threads = config.resources.threads.unwrap_or(0);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::running)?;
        let label = |generation| pool.install(|| label_positions(&config, generation, &report));
        for generation in damaged {
            data_set.put_back(generation, &label(generation)).map_err(data_set_failure)?;
        }
        for generation in kept + 1..=self.shards {
            data_set.push(&label(generation)).map_err(data_set_failure)?;
        }
        progress.finish();
        let (folder, shards) = (shell_word(&self.to), counted(data_set.shards(), "shard"));
        print_notice(format_args!("{folder}: {shards}, {}", counted(data_set.samples(), "sample")));
        Ok(())
    }
}
