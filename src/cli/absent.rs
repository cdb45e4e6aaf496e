//! Commands of training in a program that was built without it.

use clap::Args;

use super::Failure;

pub(super) use {Absent as Bench, Absent as Train, Absent as Tune, Absent as Verify};

/// A command that this program was built without.
#[derive(Debug, Args)]
#[command(hide = true, disable_help_flag = true)]
pub(super) struct Absent {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    arguments: Vec<String>,
}

impl Absent {
    pub fn run(self) -> Result<(), Failure> {
        Err(Failure::input(anyhow::anyhow!(
            "this program was built without training; build it with the default features, or with --features trainer"
        )))
    }
}
