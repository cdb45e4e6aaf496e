//! `doublecross bench`

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::run_report::RunReport;
use super::{Failure, chosen_isa, load_config, print, print_json};
use crate::train::{BenchPart, Environment, Measurement, Measurer, initial_weights, load_weights};

/// Measure this machine: solver, network, search, self-play and learning.
#[derive(Debug, Args)]
#[command(after_help = "\
DOUBLECROSS_ISA=portable, avx2, avx2bytes, avxvnni, avx512, bf16, int8 or amx overrides the instruction set that the \
network runs on.
  doublecross bench --config configs/5x5.toml --net checkpoints/5x5
  doublecross bench net search --json")]
pub(super) struct Bench {
    /// What to measure [default: everything].
    #[arg(value_name = "PART")]
    parts: Vec<Measured>,
    /// The config to measure [default: the default of every key].
    #[arg(long, value_name = "CONFIG")]
    config: Option<PathBuf>,
    /// Override a key of the config, as in --set learn.batch=64.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Weights to measure with, instead of fresh ones of the config's shape.
    #[arg(long, value_name = "CHECKPOINT")]
    net: Option<PathBuf>,
    /// Games of self-play in a round.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    games: u16,
    /// Rounds; figures are medians over them.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// One JSON object on stdout, nothing else there; its `rates` are everything measured as one list.
    #[arg(long)]
    json: bool,
}

/// A part of a run.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Measured {
    /// The solver at leaves that searches meet.
    Solver,
    /// The network's forward pass, by instruction set.
    Net,
    /// Search without cache and solver.
    Search,
    /// Games of self-play.
    #[value(name = "selfplay")]
    SelfPlay,
    /// Steps of learning.
    Train,
}

impl Measured {
    fn part(self) -> BenchPart {
        match self {
            Measured::Solver => BenchPart::Solver,
            Measured::Net => BenchPart::Net,
            Measured::Search => BenchPart::Search,
            Measured::SelfPlay => BenchPart::SelfPlay,
            Measured::Train => BenchPart::Train,
        }
    }
}

impl Bench {
    pub fn run(self) -> Result<(), Failure> {
        let mut config = load_config(self.config.as_deref(), &self.set)?;
        let board = config.board().map_err(Failure::input)?;
        let weights = match &self.net {
            Some(path) => load_weights(path).map_err(Failure::input)?,
            None => initial_weights(board, config.architecture(), config.seed),
        };
        if weights.board != board {
            let error = anyhow::anyhow!("the weights play {}, and the config is for {board}", weights.board);
            return Err(Failure::input(error));
        }
        config.selfplay.games = self.games as usize;
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let asked: Vec<BenchPart> = self.parts.iter().map(|part| part.part()).collect();
        let parts = if asked.is_empty() { &BenchPart::ALL[..] } else { &asked };
        let environment = Environment { isa: chosen_isa()?, observer: Arc::new(RunReport::default()) };
        let measurer = Measurer::new(config, weights, environment, parts, self.rounds as usize);
        let measurement = measurer.run(cores).map_err(Failure::running)?;
        if self.json {
            let mut object = serde_json::to_value(&measurement).map_err(Failure::running)?;
            object["rates"] = serde_json::to_value(measurement.rates()).map_err(Failure::running)?;
            return print_json(&object);
        }
        print(format_args!("{}", to_text(&measurement)));
        Ok(())
    }
}

fn to_text(m: &Measurement) -> String {
    let mut lines =
        vec![format!("network of {:.1} MFLOP on {}, one thread, path {}:", m.operations as f64 / 1e6, m.board, m.isa)];
    if !m.network.is_empty() {
        lines.push(format!("  {:<12} {:>5} {:>14} {:>22}", "by", "batch", "evaluations/s", "chosen path is faster"));
    }
    for r in &m.network {
        let (rate, ratio) = (r.evaluations_per_second, r.chosen_is_faster);
        lines.push(format!("  {:<12} {:>5} {rate:>14.0} {ratio:>20.2} x", r.backend, r.batch));
    }
    let search = |rate: f64| format!("search, one thread, no cache, no solver: {rate:.0} simulations/s");
    lines.extend(m.simulations_per_second.map(search));
    if !m.leaves.is_empty() {
        lines.push("solver at leaves that searches meet, one thread:".into());
        lines.push(format!("  {:>7} {:>9} {:>8} {:>13}", "safe", "positions", "settled", "microseconds"));
    }
    for r in &m.leaves {
        let share = 100.0 * r.settled;
        lines.push(format!("  {:>7} {:>9} {share:>6.0} % {:>13.1}", r.safe, r.positions, r.microseconds));
    }
    let selfplay = format!(
        "  {:>7} {:>8} {:>13} {:>12} {:>14} {:>8} {:>12} {:>12} {:>7}",
        "threads",
        "games/s",
        "of one thread",
        "positions/s",
        "evaluations/s",
        "network",
        "root solver",
        "leaf solver",
        "search"
    );
    if !m.selfplay.is_empty() {
        lines.extend(["self-play:".into(), selfplay]);
    }
    for r in &m.selfplay {
        lines.push(format!(
            "  {:>7} {:>8.1} {:>11.2} x {:>12.0} {:>14.0} {:>6.0} % {:>10.0} % {:>10.0} % {:>5.0} %",
            r.threads,
            r.games_per_second,
            r.of_one_thread,
            r.positions_per_second,
            r.evaluations_per_second,
            100.0 * r.share_network,
            100.0 * r.share_solver,
            100.0 * r.share_leaves,
            100.0 * r.share_search
        ));
    }
    if !m.learning.is_empty() {
        lines.extend(["learning:".into(), format!("  {:>7} {:>6} {:>8}", "threads", "batch", "rows/s")]);
    }
    for r in &m.learning {
        lines.push(format!("  {:>7} {:>6} {:>8.0}", r.threads, r.batch, r.samples_per_second));
    }
    let fastest = m.selfplay.iter().max_by(|a, b| a.games_per_second.total_cmp(&b.games_per_second));
    if let Some(fastest) = fastest {
        lines.push(format!("fastest self-play: threads = {}", fastest.threads));
    }
    lines.join("\n") + "\n"
}
