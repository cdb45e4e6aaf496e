//! `doublecross completions`: completions of the command line for shells.

use clap::Args;
use clap_complete::Shell;

use crate::cli::{Failure, command, print};

/// Print completions for a shell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  source <(doublecross completions bash)
  doublecross completions fish > ~/.config/fish/completions/doublecross.fish")]
pub(crate) struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    pub fn run(self) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command(), "doublecross", &mut script);
        print(format_args!("{}", String::from_utf8_lossy(&script)));
        Ok(())
    }
}
