//! `doublecross learn`: learning from labels alone.

use std::path::{Path, PathBuf};

use clap::Args;

use super::load_config;
use super::train::Train;
use crate::cli::Failure;
use doublecross_core::shell::shell_word;

/// Train a network on labels alone, without games.
///
/// A run as of `train`, whose generations learn from the shards of a data set in turn. It is `train`
/// with --set selfplay.games=0 and --set labeled.data=DIR.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross label 4x4 --to labels/4x4 --shards 40
  doublecross learn 4x4 --data labels/4x4 --set generations=40
  doublecross train runs/learn-4x4            resume it")]
pub(crate) struct Learn {
    /// A config to learn by: a file, the name of a built-in one, as in 3x3, or any board, as in 4x5.
    config: PathBuf,
    /// The folder of the labels, which `doublecross label` makes.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// The run's folder [default: runs/learn- and the config's name].
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Override a key of the config, as in --set learn.batch=64; may be given more than once.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Start a new run from weights, as of `train`.
    #[arg(long, value_name = "CHECKPOINT")]
    from: Option<PathBuf>,
}

impl Learn {
    pub fn run(self) -> Result<(), Failure> {
        let Learn { config, data, run, mut set, from } = self;
        // A run is resumed from anywhere.
        let data = std::path::absolute(&data).map_err(Failure::input)?;
        let folder = data.to_str().ok_or_else(|| {
            Failure::input(anyhow::anyhow!("--data {}: its path is no text (rename it)", shell_word(&data)))
        })?;
        set.splice(0..0, [format!("labeled.data={folder}"), "selfplay.games=0".into()]);
        let asked = load_config(&config, &set)?;
        let plays = asked.first_generations().any(|first| asked.at(first).selfplay.games > 0);
        if plays || asked.labeled.data.as_deref() != Some(folder) {
            return Err(Failure::input(anyhow::anyhow!(
                "`learn` learns from the labels of --data alone (`train` plays games beside them; leave selfplay.games and \
                 labeled.data out)"
            )));
        }
        let name = config.file_stem().unwrap_or("run".as_ref()).to_string_lossy().into_owned();
        let run = run.unwrap_or_else(|| Path::new("runs").join(format!("learn-{name}")));
        Train { config, run: Some(run), set, from, samples: None, at: None, key: None }.run()
    }
}
