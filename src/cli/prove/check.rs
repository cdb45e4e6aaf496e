//! `doublecross prove check`: the value that follows from a log.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::cli::prove::claims::{Choice, Sample, parse_sample};
use crate::cli::prove::logs::{board_of_logs, log_failure, no_lemmas};
use crate::cli::terminal::stderr::print_line;
use crate::cli::terminal::threads::threads;
use crate::cli::{Failure, cannot_write, interrupts, print, print_json};
use doublecross_arena::statistics::wilson_interval;
use doublecross_core::board::State;
use doublecross_core::solver::Bounds;
use doublecross_files::OutputFile;
use doublecross_proof::{Checker, Claim, Derivation, LemmaSet, Verdict};

/// Check a proof: derive the value of a position from a log, without the solver that wrote it.
///
/// The claims of the log are derived from one another by the rules, down to a frontier of claims that
/// no lemma of the log proves: in a whole log these took little. The frontier is assumed, and a sample
/// of it is solved by a second solver. That shares with the first one the rules, how boxes on offer are
/// taken, that symmetric positions and the edges of a corner are worth the same, and that a
/// position's strings are all that matters. With --sample all nothing else is assumed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross prove check 4x4.log                   derives it all, and solves 200 claims of the frontier
  doublecross prove check 4x5.log.gz --sample 2000
  doublecross prove check a.log b.log --sample all
  doublecross prove check 4x4.log --frontier claims.txt   for a program of your own

The exit status is 3 if a line is damaged, the log contradicts itself, a claim turns out to be
false, nothing follows, or more than a tenth of the sample takes more than --budget; with
--sample all, if any claim does. Ctrl-C while claims are solved ends the check with status 130 and
the result for those that were.")]
pub(crate) struct Check {
    /// The logs. Names that end with .gz are decompressed.
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// The position [default: the empty board].
    #[arg(long, value_name = "POSITION")]
    position: Option<State>,
    /// The number of claims of the frontier that are solved anew, or `all`.
    #[arg(long, value_name = "N", default_value = "200", value_parser = parse_sample)]
    sample: usize,
    /// The seed of the choice.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The most positions that the second solver visits for a claim, some 200 bytes each for each thread.
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    budget: u64,
    /// Lemmas that took no more nodes belong to the frontier, but for the position's own
    /// [default: those whose nodes are not known].
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    leaf: u64,
    /// Threads that solve claims [default: one for each core].
    #[arg(long, value_name = "N", value_parser = threads())]
    pub(crate) threads: Option<u16>,
    /// Write the claims of the frontier to this file, one on each line.
    #[arg(long, value_name = "FILE")]
    frontier: Option<PathBuf>,
    /// Print one JSON object: `position`, `settled`, `margin`, `lower`, `upper`, `lemmas`, `damaged`, `derived`,
    /// `frontier`, `unproved` (lemmas in the frontier), `unproved_nodes`, `sampled`, `solved`, `false`, `misses_one` (the
    /// chance that the sample misses a single false claim), `false_share_below`, `interrupted`.
    #[arg(long)]
    json: bool,
}

impl Check {
    pub fn run(self) -> Result<(), Failure> {
        let open = |path| OutputFile::open(path).map_err(cannot_write(path));
        let frontier_file = self.frontier.as_deref().map(open).transpose()?;
        let board = match self.position {
            Some(position) => position.board(),
            None => board_of_logs(&self.logs)?.ok_or_else(|| Failure::damaged(no_lemmas(&self.logs)))?,
        };
        let mut lemmas = LemmaSet::new(board);
        let mut damaged = 0;
        for path in &self.logs {
            for (origin, error) in lemmas.read(path).map_err(log_failure)? {
                print_line(format_args!("{origin}: {error}"));
                damaged += 1;
            }
        }
        let state = self.position.unwrap_or(State::new(board));
        let (bounds, derivation) = derived(&Checker::new(&lemmas, self.leaf), &lemmas, state);
        if bounds == Bounds::of_state(state) {
            return Err(Failure::damaged(anyhow::anyhow!(
                "nothing about {state} follows from the log; its {} lemmas lack the position itself",
                lemmas.len()
            )));
        }
        let Derivation { derived, frontier, unproved } = &derivation;
        let interrupted = interrupts()?;
        if let Some((path, file)) = self.frontier.as_deref().zip(frontier_file) {
            let text: String = frontier.iter().map(|claim| format!("{claim}\n")).collect();
            file.write(text.as_bytes()).map_err(cannot_write(path))?;
        }
        let Bounds { lower, upper } = bounds;
        let unproved_nodes = unproved.iter().fold(0u64, |sum, lemma| sum.saturating_add(lemma.nodes));
        if !self.json {
            let value = match bounds.margin() {
                Some(margin) => format!("margin {margin:+}"),
                None => format!("margin {lower:+} to {upper:+}"),
            };
            print(format_args!(
                "{state}: {value}, from lemmas about {} positions\n\
                 derived by the rules: {derived} claims\n\
                 frontier: {} claims that no lemma proves\n",
                lemmas.len(),
                frontier.len()
            ));
            for claim in frontier.iter().filter(|claim| claim.state == state) {
                print(format_args!("among them the position's own: {claim}, which nothing else in the log shows\n"));
            }
            if let Some(largest) = unproved.first() {
                print(format_args!(
                    "among them claims of {} lemmas, of {unproved_nodes} nodes in all, the largest of {} ({})\n",
                    unproved.len(),
                    largest.nodes,
                    largest.state
                ));
            }
        }
        let Check { sample: wanted, seed, budget, .. } = self;
        let sample = Choice { sample: wanted, seed, budget }.solve(frontier, &interrupted);
        let below = false_share_below(&sample, frontier.len());
        let misses_one = misses_one(&sample, frontier.len());
        let Sample { sampled, solved, wrong, left, is_cut } = &sample;
        if self.json {
            print_json(&json!({
                "position": state.to_string(), "settled": lower == upper, "margin": bounds.margin(), "lower": lower,
                "upper": upper, "lemmas": lemmas.len(), "damaged": damaged, "derived": derived,
                "frontier": frontier.len(), "unproved": unproved.len(), "unproved_nodes": unproved_nodes,
                "sampled": sampled, "solved": solved,
                "false": wrong.iter().map(Claim::to_string).collect::<Vec<_>>(), "misses_one": misses_one,
                "false_share_below": below, "interrupted": is_cut,
            }));
        } else {
            print(format_args!(
                "solved anew: {solved} of {sampled} claims drawn from the frontier with seed {seed}, {} of them false; \
                 {} take more than the budget\n",
                wrong.len(),
                sampled - solved,
            ));
            if *is_cut {
                print(format_args!("interrupted: {left} claims of the sample were given up or not begun\n"));
            }
            match (below, misses_one) {
                (Some(_), Some(_)) if *is_cut => {}
                (Some(below), Some(misses_one)) if misses_one > 0.0 => {
                    // A sample of a few claims shows nothing of the second kind.
                    let shown = (below < 0.5).then(|| {
                        format!(
                            ";\nif more than {:.3} % of the frontier were false, such a sample would show it 19 times \
                             in 20",
                            100.0 * below
                        )
                    });
                    print(format_args!(
                        "assumed: {} claims; a single false one among the frontier is missed with a chance of {:.2} \
                         %{}\n",
                        frontier.len() - solved,
                        100.0 * misses_one,
                        shown.unwrap_or_default()
                    ));
                }
                (Some(_), Some(_)) => print(format_args!(
                    "assumed: nothing but the rules, how boxes on offer are taken, symmetry, and strings\n"
                )),
                (None, _) if wrong.is_empty() && !is_cut => {
                    print(format_args!("assumed: {} claims, none of which was solved anew\n", frontier.len()))
                }
                _ => {}
            }
        }
        if let Some(claim) = wrong.first() {
            return Err(Failure::damaged(anyhow::anyhow!(
                "{} of {solved} claims are false; the first: {claim}",
                wrong.len()
            )));
        }
        if *is_cut {
            return Err(Failure::Interrupted);
        }
        // A log that lacks lemmas has claims in its frontier that took long.
        let tolerated = if wanted == usize::MAX { 0 } else { sampled / 10 };
        if sampled - solved > tolerated {
            return Err(Failure::damaged(anyhow::anyhow!(
                "too little could be checked: {} of {sampled} claims take more than {} positions; expected a larger \
                 --budget, a larger --sample, or a log with more lemmas",
                sampled - solved,
                self.budget
            )));
        }
        match damaged {
            0 => Ok(()),
            _ => Err(Failure::damaged(anyhow::anyhow!("damaged lines: {damaged}; the rest is as told"))),
        }
    }
}

/// Returns the bounds that follow from the lemmas, and how.
fn derived(checker: &Checker, lemmas: &LemmaSet, state: State) -> (Bounds, Derivation) {
    let mut bounds = Bounds::of_state(state);
    let mut whole = Derivation::default();
    let Some(lemma) = lemmas.get(state) else { return (bounds, whole) };
    for claim in [Claim::at_least(state, lemma.bounds.lower), Claim::at_most(state, lemma.bounds.upper)] {
        if claim.follows_from(bounds).is_some() {
            continue;
        }
        if let Verdict::Follows(derivation) = checker.derive(claim) {
            bounds.answer(claim.target, claim.is_reached);
            whole.add(derivation);
        }
    }
    (bounds, whole)
}

/// Returns the share of false claims that a sample without one would have shown with a probability of
/// 95 %: the rule of three, or 0 if all claims were solved. Claims beyond the budget may be false.
fn false_share_below(sample: &Sample, frontier: usize) -> Option<f64> {
    let Sample { sampled, solved, wrong, .. } = sample;
    match sampled - solved {
        _ if !wrong.is_empty() || *sampled == 0 => None,
        0 if *solved == frontier => Some(0.0),
        0 => Some((3.0 / *solved as f64).min(1.0)),
        beyond => Some(wilson_interval(beyond, *sampled).1),
    }
}

/// Returns the chance that a sample without a false claim misses the only one of the frontier.
fn misses_one(sample: &Sample, frontier: usize) -> Option<f64> {
    let is_clean = sample.wrong.is_empty() && frontier > 0;
    is_clean.then(|| (frontier - sample.solved) as f64 / frontier as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_misses_what_it_leaves_out() {
        let missed = |solved, wrong| misses_one(&Sample { sampled: 10, solved, wrong, left: 0, is_cut: false }, 40);
        assert_eq!((missed(10, Vec::new()), missed(8, Vec::new())), (Some(0.75), Some(0.8)));
        assert_eq!(missed(10, vec![Claim::at_least("2x2".parse().unwrap(), 0)]), None);
    }

    #[test]
    fn claims_beyond_the_budget_may_be_false() {
        let share = |sampled, solved, frontier| {
            false_share_below(&Sample { sampled, solved, wrong: Vec::new(), left: 0, is_cut: false }, frontier)
        };
        assert_eq!(share(200, 200, 1000), Some(0.015));
        assert_eq!(share(200, 200, 200), Some(0.0));
        assert!(share(200, 100, 1000) > Some(0.5));
        assert_eq!((share(0, 0, 10), share(1, 1, 10)), (None, Some(1.0)));
    }
}
