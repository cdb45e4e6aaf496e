//! `doublecross config`: configs with the meaning of every key.

use std::path::PathBuf;

use clap::Args;
use doublecross::built_in::PRESETS;
use doublecross_run::config::ConfigSource;

use crate::cli::training::{config_file, presets};
use crate::cli::{Failure, print};

/// Print a config to start from, with the meaning of every key.
///
/// For a board, the settings are those of the nearest board with a built-in config, and keys that count edges follow
/// from the board. Keys behind # are absent, which means what the line says. The page on configs is
/// docs/configuration.md.
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub(crate) struct ConfigCommand {
    /// A board, as in 4x5, the name of a built-in config, a file, or the folder of a run.
    config: PathBuf,
    /// Override a key, as in --set learn.batch=64; `none` takes one away that may be absent. May be given more than
    /// once.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl ConfigCommand {
    pub fn run(self) -> Result<(), Failure> {
        let source = ConfigSource::find(&config_file(&self.config), PRESETS).map_err(Failure::input)?;
        let config = source.config(&self.set).map_err(Failure::input)?;
        print(format_args!("{}", config.to_commented_toml(&source.head(&config))));
        Ok(())
    }
}

fn after_help() -> String {
    format!(
        "\
Examples:
  doublecross config 4x5 > mine.toml      a config for 4x5: change it, then
  doublecross train mine.toml             train it
  doublecross config 5x5 --set board=6x6  the built-in config for 5x5, on 6x6
  doublecross config runs/mine            the config of a run

Built in are {}.",
        presets()
    )
}
