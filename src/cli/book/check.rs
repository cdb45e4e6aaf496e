//! `doublecross book check`: the lemmas of the book, derived from one another or solved anew.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::book::Books;
use crate::cli::prove::claims::{Choice, parse_sample, random_seed};
use crate::cli::prove::logs::check_refuted;
use crate::cli::prove::report::Report;
use crate::cli::terminal::count::counted;
use crate::cli::terminal::threads::threads;
use crate::cli::{Failure, interrupts, print_json};
use doublecross_proof::{Checker, Derivation};

/// Check the book: derive its claims from one another by the rules, and solve a sample of the rest anew.
///
/// Claims that do not follow from others are the frontier. A second solver, which shares with the first
/// one only what docs/proofs.md lists as rules, solves a sample of it. It is slow: a claim that takes
/// more than the budget is neither confirmed nor refuted. All claims of the built-in book take many
/// hours, so a sample of them is solved, in some minutes, and the book follows from the others.
#[derive(Debug, Args)]
#[command(after_help = "\
The exit status is
  0 if the book is proved: every claim of the frontier was found true
  3 if a line is damaged, the log contradicts itself, a claim is false, or a claim
    takes 1000 times the nodes that its lemma states, and more: that counts as
    false until it is solved
  5 if claims of the frontier are assumed: they were not drawn, or take more than
    --budget
  130 after Ctrl-C, with the result for the claims that were solved")]
pub(crate) struct Check {
    /// A log of proofs in place of the built-in book.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// The number of claims that are solved anew, or `all`.
    #[arg(long, value_name = "N", default_value = "200", value_parser = parse_sample)]
    sample: usize,
    /// The seed of the choice, to repeat a check [default: a random one, which is printed]. Whoever wrote
    /// the log must not know it.
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// The most positions that the second solver visits for a claim, some 200 bytes each for each thread.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    budget: u64,
    /// Threads that solve claims [default: one for each core].
    #[arg(long, value_name = "N", value_parser = threads())]
    pub(crate) threads: Option<u16>,
    /// Print one JSON object: `books`, a list of `board`, `positions` and the fields of `prove check` from
    /// `conclusion` on but `lemmas`; and `damaged`.
    #[arg(long)]
    json: bool,
}

impl Check {
    pub fn run(self) -> Result<(), Failure> {
        let books = Books::read(&self.log)?;
        let interrupted = interrupts()?;
        let (sample, seed, budget) = (self.sample, self.seed.unwrap_or_else(random_seed), self.budget);
        let (mut listed, mut result): (Vec<Value>, Result<(), Failure>) = (Vec::new(), Ok(()));
        for lemmas in &books.lemmas {
            let Derivation { derived, frontier, refuted } = Checker::new(lemmas, 0).derive_all();
            let report =
                Report { derived, sample: Choice { sample, seed, budget }.solve(&frontier, &interrupted), seed };
            let (board, positions) = (lemmas.board().to_string(), lemmas.len());
            if self.json {
                let mut object = json!({ "board": board, "positions": positions });
                report.fields().into_iter().for_each(|(name, field)| object[name] = field);
                listed.push(object);
            } else {
                report.print(&format!("{board}: what the book says of {}", counted(positions, "position")));
            }
            // What is false or cut off counts for more than what is assumed.
            for found in [report.result(), check_refuted(&refuted)] {
                if let (Ok(()) | Err(Failure::Assumed(_)), Err(failure)) = (&result, found) {
                    result = Err(failure);
                }
            }
            if matches!(result, Err(Failure::Interrupted)) {
                break;
            }
        }
        if self.json {
            print_json(&json!({ "books": listed, "damaged": books.damaged }));
        }
        match (result, books.damaged) {
            (Ok(()) | Err(Failure::Assumed(_)), damaged @ 1..) => {
                Err(Failure::damaged(anyhow::anyhow!("the log has damaged lines: {damaged} (see above)")))
            }
            (result, _) => result,
        }
    }
}
