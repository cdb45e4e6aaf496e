//! `doublecross man`: manual pages.

use std::path::PathBuf;

use clap::Args;

use crate::cli::terminal::force::Force;
use crate::cli::{Failure, cannot_write, command, print};
use doublecross_core::shell::shell_word;
use doublecross_files::OutputFolder;

/// Print the manual page, or write the pages of all commands.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross man | man -l -
  doublecross man --to ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// Write a page for each command to this folder.
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

impl Man {
    pub fn run(self) -> Result<(), Failure> {
        let mut whole = command().disable_help_subcommand(true);
        whole.build();
        let Some(to) = self.to else {
            let page = page(&whole)?.1;
            print(format_args!("{}", String::from_utf8_lossy(&page)));
            return Ok(());
        };
        let commands =
            whole.get_subcommands().flat_map(|command| [command].into_iter().chain(command.get_subcommands()));
        let pages = [&whole].into_iter().chain(commands).map(page).collect::<Result<Vec<_>, _>>()?;
        self.force.check(pages.iter().map(|(name, _)| to.join(name)))?;
        let folder = OutputFolder::create(&to).map_err(cannot_write(&to))?;
        for (name, page) in pages {
            let path = folder.write(&name, &page).map_err(cannot_write(&to.join(&name)))?;
            print(format_args!("{}\n", shell_word(&path)));
        }
        Ok(())
    }
}

/// The name of a command's page, and the page.
fn page(command: &clap::Command) -> Result<(String, Vec<u8>), Failure> {
    let page = clap_mangen::Man::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text).map_err(Failure::running)?;
    Ok((page.get_filename(), text))
}
