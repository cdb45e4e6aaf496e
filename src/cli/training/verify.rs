//! `doublecross verify`: games of a run played again.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::cli::terminal::count::counted;
use crate::cli::terminal::stderr::print_line;
use crate::cli::terminal::threads::{on_threads, threads};
use crate::cli::training::run_report::RunReport;
use crate::cli::{Failure, named_isa, print, print_json};
use doublecross::built_in;
use doublecross_core::shell::shell_word;
use doublecross_run::Config;
use doublecross_train::{RunError, Verification, Verifier};

/// Play games of a run again, to see whether they come out as its shards say.
///
/// Positions that the solver labeled are labeled again as well. A game depends on the run's files
/// alone, so that anyone can check a run, whoever played it. The same instruction set is needed as
/// the run's.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross train configs/smoke.toml
  doublecross verify runs/smoke
  doublecross verify runs/smoke --games 1000000

The second plays 200 games of all generations again, the third all games.

The exit status is 3 if anything comes out otherwise.")]
pub(crate) struct Verify {
    /// The run's folder.
    run: PathBuf,
    /// Games, and positions labeled by the solver, to play again; all if the run has fewer.
    #[arg(long, value_name = "N", default_value_t = 200)]
    games: usize,
    /// Games and positions at once [default: one for each core].
    #[arg(long, value_name = "N", value_parser = threads())]
    threads: Option<u16>,
    /// The seed of the choice.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object: `run`, `checked`, `positions` (how many of these the solver labeled),
    /// `generations`, `left_out` (generations whose files are gone), `differing` (each with its `generation` and its number there, `item`; games are
    /// the first items).
    #[arg(long)]
    json: bool,
}

impl Verify {
    pub fn run(self) -> Result<(), Failure> {
        on_threads(self.threads, || self.verify())
    }

    /// Plays the games and prints how they came out.
    fn verify(&self) -> Result<(), Failure> {
        if !self.run.join("config.toml").exists() {
            let error =
                anyhow::anyhow!("{} is not the folder of a run, which has a config.toml", shell_word(&self.run));
            return Err(Failure::input(error));
        }
        let report = RunReport::new(&Config::default());
        let verified = Verifier::open(&self.run, named_isa()?, built_in().books.clone())
            .and_then(|verifier| verifier.verify_sample(self.games, self.seed, &report));
        let verification = verified.map_err(|error| match error {
            RunError::NotARun { .. } | RunError::LacksIsaOfRun { .. } | RunError::OtherIsa { .. } => {
                Failure::input(error)
            }
            error => Failure::damaged(error),
        })?;
        let &Verification { games, positions, generations, left_out, ref differing } = &verification;
        let checked = verification.checked();
        if generations == 0 && self.games > 0 {
            let run = shell_word(&self.run);
            let why = if left_out == 0 { "has no games in shards/" } else { "has no games whose files are kept" };
            return Err(Failure::input(anyhow::anyhow!("{run} {why}")));
        }
        if checked == 0 && self.games > 0 {
            let run = shell_word(&self.run);
            return Err(Failure::input(anyhow::anyhow!(
                "{run} has nothing to play again: its labels come from a folder, which `doublecross label` checks"
            )));
        }
        if left_out > 0 {
            let left_out = counted(left_out, "generation");
            print_line(format_args!(
                "{left_out} left out: the samples, the weights that played them, or the games before that they begin with, are gone"
            ));
        }
        let count = differing.len();
        if self.json {
            let differing: Vec<_> = differing
                .iter()
                .map(|differing| json!({ "generation": differing.generation, "item": differing.item }))
                .collect();
            print_json(&json!({
                "run": self.run.display().to_string(),
                "checked": checked,
                "positions": positions,
                "generations": generations,
                "left_out": left_out,
                "differing": differing,
            }));
        } else {
            let labeled =
                if positions > 0 { format!(" and {}", counted(positions, "labeled position")) } else { String::new() };
            print(format_args!(
                "{}{labeled} of {} played again: {count} different\n",
                counted(games, "game"),
                counted(generations, "generation")
            ));
            differing.iter().take(20).for_each(|item| print(format_args!("  {item}\n")));
        }
        match count {
            0 => Ok(()),
            _ => Err(Failure::damaged(anyhow::anyhow!(
                "{count} of {checked} games and positions came out differently (the same version on the same instruction \
                 set always gives the same: the games were changed, or another version played them)"
            ))),
        }
    }
}
