//! `doublecross book check`: the lemmas of the book, derived from one another or solved anew.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::book::Books;
use crate::cli::prove::claims::{Choice, Sample, parse_sample};
use crate::cli::terminal::threads::threads;
use crate::cli::{Failure, interrupts, print, print_json};
use doublecross_proof::{Checker, Claim, Derivation};

/// Check the book: derive its claims from one another by the rules, and solve a sample of the rest anew.
///
/// Claims that do not follow from others are solved by a second solver, which shares with the first
/// one only what docs/proofs.md lists as rules. It is slow: a claim that takes more than the budget is
/// counted as beyond it, and is neither confirmed nor refuted. All claims of the built-in book take
/// many hours, so a sample of them is solved, in some minutes. Ctrl-C ends a check with the result
/// for those that were solved until then.
#[derive(Debug, Args)]
#[command(after_help = "\
The exit status is 3 if a line is damaged, the log contradicts itself, a claim turns out to be
false, or none could be solved within --budget.")]
pub(crate) struct Check {
    /// A log of proofs in place of the built-in book.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// The number of claims that are solved anew, or `all`.
    #[arg(long, value_name = "N", default_value = "200", value_parser = parse_sample)]
    sample: usize,
    /// The seed of the choice.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The most positions that the second solver visits for a claim, some 200 bytes each for each thread.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    budget: u64,
    /// Threads that solve claims [default: one for each core].
    #[arg(long, value_name = "N", value_parser = threads())]
    pub(crate) threads: Option<u16>,
    /// Print one JSON object: `books`, a list of `board`, `positions`, `derived`, `frontier`,
    /// `sampled`, `solved`, `beyond` and `false`; `damaged`; and `interrupted`.
    #[arg(long)]
    json: bool,
}

impl Check {
    pub fn run(self) -> Result<(), Failure> {
        let books = Books::read(&self.log)?;
        let interrupted = interrupts()?;
        let (mut listed, mut wrong): (Vec<Value>, Vec<Claim>) = (Vec::new(), Vec::new());
        let (mut all, mut settled, mut was_cut) = (0, 0, false);
        for lemmas in &books.lemmas {
            let Derivation { derived, frontier, .. } = Checker::new(lemmas, 0).derive_all();
            let Check { sample, seed, budget, .. } = self;
            let checked = Choice { sample, seed, budget }.solve(&frontier, &interrupted);
            let Sample { sampled, solved, wrong: found, is_cut, .. } = checked;
            let (board, positions, beyond) = (lemmas.board(), lemmas.len(), sampled - solved);
            if self.json {
                listed.push(json!({
                    "board": board.to_string(), "positions": positions, "derived": derived, "frontier": frontier.len(),
                    "sampled": sampled, "solved": solved, "beyond": beyond,
                    "false": found.iter().map(Claim::to_string).collect::<Vec<_>>(),
                }));
            } else {
                print(format_args!(
                    "{board}: {positions} positions\n\
                     derived by the rules: {derived} claims\n\
                     needed for that: {} claims of the frontier\n\
                     solved anew: {solved} of {sampled}, {} of them false; beyond the budget: {beyond}\n",
                    frontier.len(),
                    found.len()
                ));
            }
            (all, settled) = (all + sampled, settled + solved);
            wrong.extend(found);
            if is_cut {
                was_cut = true;
                break;
            }
        }
        if self.json {
            print_json(&json!({ "books": listed, "damaged": books.damaged, "interrupted": was_cut }));
        }
        match (wrong.first(), books.damaged) {
            (Some(claim), _) => Err(Failure::damaged(anyhow::anyhow!(
                "the book has false claims: {}, the first that {claim}",
                wrong.len()
            ))),
            _ if was_cut => Err(Failure::Interrupted),
            (None, 0) if all > 0 && settled == 0 => Err(Failure::damaged(anyhow::anyhow!(
                "none of {all} claims could be checked within {} positions (raise --budget)",
                self.budget
            ))),
            (None, 0) => Ok(()),
            (None, damaged) => {
                Err(Failure::damaged(anyhow::anyhow!("the log has damaged lines: {damaged} (see above)")))
            }
        }
    }
}
