//! `doublecross prove check`: the value that follows from a log.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::prove::claims::{Choice, parse_sample, random_seed};
use crate::cli::prove::goal::words_of_margin;
use crate::cli::prove::logs::{board_of_logs, check_refuted, log_failure, no_lemmas, print_damaged};
use crate::cli::prove::report::{Report, follows_from};
use crate::cli::terminal::force::Force;
use crate::cli::terminal::stderr::print_notice;
use crate::cli::terminal::threads::threads;
use crate::cli::{Failure, cannot_write, interrupts, print_json};
use doublecross_core::board::State;
use doublecross_core::solver::Bounds;
use doublecross_files::OutputFile;
use doublecross_proof::{Checker, DamagedLines, Derivation, LemmaSet};

/// Check a proof: derive the value of a position from a log, without the solver that wrote it.
///
/// The claims of the log are derived from one another by the rules, down to a frontier of claims that
/// nothing else in the log shows. The value is proved if they are all true. Until a second solver has
/// solved every one of them (--sample all), the value follows from assumed claims, and a single false
/// one is enough to forge it. A sample of them finds careless mistakes. The second solver shares with
/// the first one the rules, how boxes on offer are taken, that symmetric positions and the edges of a
/// corner are worth the same, and that a position's strings are all that matters.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross prove check 4x4.log
  doublecross prove check 4x5.log.gz --sample 2000
  doublecross prove check a.log b.log --sample all
  doublecross prove check 4x4.log --frontier claims.txt

The first derives it all, and solves 200 claims of the frontier. The last writes
these claims for a program of your own.

The exit status is
  0 if the value is proved: every claim of the frontier was found true
  3 if a line is damaged, the log contradicts itself, nothing follows, a claim is
    false, or a claim takes 1000 times the nodes that its lemma states, and more:
    that counts as false until it is solved
  5 if claims of the frontier are assumed: they were not drawn, or take more than
    --budget; or if the value is open, because the log proves bounds alone
  130 after Ctrl-C, with the result for the claims that were solved")]
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
    /// The seed of the choice, to repeat a check [default: a random one, which is printed]. Whoever wrote
    /// the log must not know it.
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
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
    #[command(flatten)]
    force: Force,
    /// Print one JSON object: `position`; `settled`, `margin`, `lower` and `upper` of what is proved, which
    /// is nothing while claims are assumed; `claimed` (`margin`, `lower`, `upper` of what follows from
    /// them); `conclusion`, `proved`, `assumed`, `lemmas`, `damaged`, `derived`, `frontier`, `unproved`
    /// (lemmas in the frontier), `unproved_nodes`, `unproved_unstated` (those that state no nodes), `seed`,
    /// `sampled`, `solved`, `false`, `beyond`, `understated`, `miss_chance` (the chance that a single
    /// false claim is not drawn), `interrupted`.
    #[arg(long)]
    json: bool,
}

impl Check {
    pub fn run(self) -> Result<(), Failure> {
        self.force.check(self.frontier.clone())?;
        let open = |path| OutputFile::open(path).map_err(cannot_write(path));
        let frontier_file = self.frontier.as_deref().map(open).transpose()?;
        let board = match self.position {
            Some(position) => position.board(),
            None => board_of_logs(&self.logs)?.ok_or_else(|| Failure::damaged(no_lemmas(&self.logs)))?,
        };
        let mut lemmas = LemmaSet::new(board);
        let mut damaged = DamagedLines::default();
        for path in &self.logs {
            damaged.extend(lemmas.read(path).map_err(log_failure)?);
        }
        print_damaged(&damaged);
        let damaged = damaged.count();
        let state = self.position.unwrap_or(State::new(board));
        let (bounds, derivation) = Checker::new(&lemmas, self.leaf).bounds(state);
        if bounds == Bounds::of_state(state) {
            return Err(Failure::damaged(anyhow::anyhow!(
                "nothing about {state} follows from the log; its {} lemmas lack the position itself",
                lemmas.len()
            )));
        }
        let Derivation { derived, frontier, refuted } = &derivation;
        check_refuted(refuted)?;
        let interrupted = interrupts()?;
        if let Some((path, file)) = self.frontier.as_deref().zip(frontier_file) {
            let text: String = frontier.iter().map(|assumption| format!("{assumption}\n")).collect();
            file.write(text.as_bytes()).map_err(cannot_write(path))?;
        }
        let value = words_of_margin(state, bounds);
        print_notice(format_args!(
            "{value} {}; solving {} of them",
            follows_from(frontier.len()),
            self.sample.min(frontier.len())
        ));
        let (sample, seed, budget) = (self.sample, self.seed.unwrap_or_else(random_seed), self.budget);
        let sample = Choice { sample, seed, budget }.solve(frontier, &interrupted);
        let report = Report { derived: *derived, sample, seed };
        if self.json {
            let proved = if report.sample.is_proof() { bounds } else { Bounds::of_state(state) };
            let mut object = json!({
                "position": state.to_string(), "settled": proved.lower == proved.upper, "margin": proved.margin(),
                "lower": proved.lower, "upper": proved.upper, "claimed": claimed(bounds), "lemmas": lemmas.len(),
                "damaged": damaged,
            });
            report.fields().into_iter().for_each(|(name, field)| object[name] = field);
            print_json(&object);
        } else {
            report.print(&value);
        }
        match (report.result(), damaged) {
            (Ok(()) | Err(Failure::Assumed(_)), 1..) => {
                Err(Failure::damaged(anyhow::anyhow!("damaged lines: {damaged}; the rest is as told")))
            }
            (Ok(()), 0) if bounds.lower < bounds.upper => Err(Failure::Assumed(anyhow::anyhow!(
                "the value is open: the log proves no more than {value} (`doublecross prove` goes on from it)"
            ))),
            (result, _) => result,
        }
    }
}

/// Returns bounds that follow from assumed claims as a JSON object.
pub(crate) fn claimed(bounds: Bounds) -> Value {
    json!({ "margin": bounds.margin(), "lower": bounds.lower, "upper": bounds.upper })
}
