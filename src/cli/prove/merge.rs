//! `doublecross prove merge`: the logs of several machines as one.

use std::path::PathBuf;

use clap::Args;

use crate::cli::prove::logs::{board_of_logs, log_failure, no_lemmas, open_log, print_damaged};
use crate::cli::terminal::count::counted;
use crate::cli::{Failure, print};
use doublecross_core::shell::shell_word;
use doublecross_proof::{DamagedLines, LemmaSet};

/// Add the lemmas of other logs to a log.
///
/// Of several lemmas of one position all bounds hold. If a lower bound exceeds an upper one, both
/// places are named, and the log is left as it was. Damaged lines are left out, and the first ones are
/// named; the exit status is 3 then.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross prove merge 4x5.log other-machine.log
  doublecross prove merge whole.log 4x5.log.gz

Compressed logs are read too.")]
pub(crate) struct Merge {
    /// The log to add to. It is created if it does not exist.
    log: PathBuf,
    /// The logs to read.
    #[arg(required = true, value_name = "LOG")]
    others: Vec<PathBuf>,
}

impl Merge {
    pub fn run(self) -> Result<(), Failure> {
        let board = board_of_logs(&self.others)?.ok_or_else(|| Failure::input(no_lemmas(&self.others)))?;
        let (mut others, mut damaged) = (LemmaSet::new(board), DamagedLines::default());
        for path in &self.others {
            damaged.extend(others.read(path).map_err(log_failure)?);
        }
        print_damaged(&damaged);
        let mut log = open_log(&self.log, board)?;
        // Everything is compared before anything is written.
        let mut both = log.lemmas().clone();
        for path in &self.others {
            both.read(path).map_err(log_failure)?;
        }
        let added = log.append(&others.by_work()).map_err(log_failure)?;
        log.sync().map_err(Failure::running)?;
        print(format_args!(
            "{}: {}, {added} of them new or closer\n",
            shell_word(&self.log),
            counted(log.lemmas().len(), "lemma")
        ));
        match damaged.count() {
            0 => Ok(()),
            damaged => Err(Failure::damaged(anyhow::anyhow!("damaged lines: {damaged}; all others are there"))),
        }
    }
}
