//! `doublecross book`: the proved positions that are built into the program.

mod check;
mod extend;
mod show;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::Failure;
use crate::cli::book::check::Check;
use crate::cli::book::extend::Extend;
use crate::cli::book::show::Show;
use crate::cli::prove::logs::{log_failure, print_damaged};
use crate::cli::terminal::threads::on_threads;
use doublecross::built_in::lemmas;
use doublecross_core::shell::shell_word;
use doublecross_proof::{LemmaSet, board_of};

/// Show, extend and check the book: positions of 5x5 whose result is proved, built into the
/// program.
///
/// Searching bots, `solve` and the analysis of the page rely on the book, so that they know at once
/// what took millions of nodes to prove. The book is a log of proofs, data/books/5x5.log in the
/// repository; docs/formats.md describes its lines.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross book show
  doublecross book show 5x5:0xa080469b0199030
  doublecross book extend --log more.log net,diversity=1 --games 20 --seconds 60
  doublecross book check --log more.log --sample all")]
pub(crate) struct BookCommand {
    #[command(subcommand)]
    command: Part,
}

#[derive(Debug, Subcommand)]
enum Part {
    Show(Show),
    Extend(Extend),
    Check(Check),
}

impl BookCommand {
    pub fn run(self) -> Result<(), Failure> {
        match self.command {
            Part::Show(show) => show.run(),
            Part::Extend(extend) => extend.run(),
            Part::Check(check) => on_threads(check.threads, || check.run()),
        }
    }
}

/// The lemmas of the built-in books, or of a log in their place.
pub(crate) struct Books {
    pub lemmas: Vec<LemmaSet>,
    /// The number of damaged lines.
    pub damaged: usize,
}

impl Books {
    /// Reads the log, if there is one. Damaged lines are printed on stderr and left out.
    pub fn read(log: &Option<PathBuf>) -> Result<Books, Failure> {
        let Some(path) = log else { return Ok(Books { lemmas: lemmas().collect(), damaged: 0 }) };
        let board = board_of(path).map_err(log_failure)?;
        let board = board
            .ok_or_else(|| Failure::damaged(anyhow::anyhow!("log {} holds no proved position", shell_word(path))))?;
        let mut lemmas = LemmaSet::new(board);
        let damaged = lemmas.read(path).map_err(log_failure)?;
        print_damaged(&damaged);
        Ok(Books { lemmas: vec![lemmas], damaged: damaged.count() })
    }
}
