//! `doublecross bench`: rates of this machine.

mod learning;
mod leaves;
mod measurer;
mod network;
mod rates;
mod search;
mod selfplay;
mod turns;

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use crate::cli::training::run_report::RunReport;
use crate::cli::training::{load_config, run_failure};
use crate::cli::{EndOnInterrupt, Failure, ISA_VARIABLE, named_isa, print, print_json};
use doublecross_core::net::Isa;
use doublecross_run::initial_weights;
use doublecross_run::{Config, IsaSetting, load_weights};
use measurer::{BenchPart, Measurer};
use rates::{LearnerLimit, Measurement};

/// The lines that add a solver at roots and leaves to the defaults.
const WITH_SOLVER: &str = "[selfplay]\nroot_nodes = 50000\nleaf_nodes = 200";

/// Measure the speed of training and play on this machine.
///
/// Measures the exact solver, the network, the search, self-play and learning, each as often as
/// --rounds says, and prints the medians. Play and learning are measured with 1, 2, 4 threads and so
/// on up to resources.threads, by the clock and by processor time, which other work of the machine
/// hardly changes; learning on a GPU with all of them. Learning has batches of its own, not learn.batch.
/// Nothing is written.
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub(crate) struct Bench {
    /// The parts to measure [default: all].
    #[arg(value_name = "PART")]
    parts: Vec<PartArgument>,
    /// The config of a training run to measure [default: the default of every key, with the solver in games].
    #[arg(long, value_name = "CONFIG")]
    config: Option<PathBuf>,
    /// Override a key of the config, as in --set learn.part=8; may be given more than once.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The weights to measure with [default: fresh ones of the config's shape].
    #[arg(long, value_name = "CHECKPOINT")]
    net: Option<PathBuf>,
    /// Games of self-play in each round.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    games: u16,
    /// Rounds, of which the median counts.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Print one JSON object on stdout and nothing else there; its `rates` list every rate.
    #[arg(long)]
    json: bool,
}

fn after_help() -> String {
    format!(
        "\
Examples:
  doublecross bench --config configs/5x5.toml --net checkpoints/5x5
  doublecross bench net search --json
  {ISA_VARIABLE}=avx2 doublecross bench net

The instruction sets that {ISA_VARIABLE} may name, of which each
processor has some:
  {}",
        Isa::ALL.map(Isa::name).join(" ")
    )
}

/// A part of training or play, as it is named on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum PartArgument {
    /// The solver on positions that searches meet.
    Solver,
    /// The network on each instruction set.
    Net,
    /// The search without cache and solver.
    Search,
    /// Games of self-play.
    #[value(name = "selfplay")]
    SelfPlay,
    /// Learning from games.
    Train,
}

impl PartArgument {
    fn part(self) -> BenchPart {
        match self {
            PartArgument::Solver => BenchPart::Solver,
            PartArgument::Net => BenchPart::Net,
            PartArgument::Search => BenchPart::Search,
            PartArgument::SelfPlay => BenchPart::SelfPlay,
            PartArgument::Train => BenchPart::Train,
        }
    }
}

impl Bench {
    pub fn run(self) -> Result<(), Failure> {
        let mut config = match &self.config {
            Some(path) => load_config(path, &self.set)?,
            None => Config::parse(WITH_SOLVER, "the defaults", &self.set).map_err(Failure::input)?,
        };
        let board = config.board;
        let weights = match &self.net {
            Some(path) => load_weights(path).map_err(Failure::input)?,
            None => initial_weights(board, config.network.architecture(), config.seed),
        };
        if weights.board != board {
            let error = anyhow::anyhow!("the weights play {}, and the config is for {board}", weights.board);
            return Err(Failure::input(error));
        }
        if let Some(isa) = named_isa()? {
            config.isa = IsaSetting::Named(isa);
        }
        Isa::named(config.isa().name(), &Isa::available())
            .map_err(|error| Failure::input(anyhow::anyhow!("isa: {error}")))?;
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let threads = config.resources.threads.unwrap_or(cores);
        let named: Vec<BenchPart> = self.parts.iter().map(|part| part.part()).collect();
        let parts = if named.is_empty() { &BenchPart::ALL[..] } else { &named };
        let _end_on_interrupt = EndOnInterrupt::new(|| "doublecross: interrupted".into())?;
        let observer = Arc::new(RunReport::default());
        let measurer = Measurer::new(config, weights, observer, parts, self.rounds as usize, self.games as usize);
        let measurement = measurer.run(threads).map_err(run_failure)?;
        if self.json {
            let mut object = serde_json::to_value(&measurement).map_err(Failure::running)?;
            object["rates"] = serde_json::to_value(measurement.rates()).map_err(Failure::running)?;
            print_json(&object);
            return Ok(());
        }
        print(format_args!("{}", to_text(&measurement)));
        Ok(())
    }
}

/// Formats the rates as tables.
fn to_text(m: &Measurement) -> String {
    let mflop = m.operations as f64 / 1e6;
    let mut lines = vec![format!("network of {mflop:.1} MFLOP on {}, one thread, instruction set {}:", m.board, m.isa)];
    if !m.network.is_empty() {
        lines.push(format!("  {:<12} {:>5} {:>14} {:>22}", "by", "batch", "evaluations/s", "chosen set is faster"));
    }
    for r in &m.network {
        let (rate, ratio) = (r.evaluations_per_second, r.chosen_is_faster);
        lines.push(format!("  {:<12} {:>5} {rate:>14.0} {ratio:>20.2} x", r.backend, r.batch));
    }
    let search = |rate: f64| format!("search, one thread, no cache, no solver: {rate:.0} simulations/s");
    lines.extend(m.simulations_per_second.map(search));
    if !m.leaves.is_empty() {
        lines.push("solver on positions that searches meet, one thread:".into());
        lines.push(format!("  {:>7} {:>9} {:>8} {:>13}", "safe", "positions", "settled", "microseconds"));
    }
    for r in &m.leaves {
        let share = 100.0 * r.settled;
        lines.push(format!("  {:>7} {:>9} {share:>6.0} % {:>13.1}", r.safe, r.positions, r.microseconds));
    }
    let selfplay = format!(
        "  {:>7} {:>8} {:>19} {:>13} {:>12} {:>14} {:>8} {:>12} {:>12} {:>7}",
        "threads",
        "games/s",
        "of processor time",
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
            "  {:>7} {:>8.1} {:>17.1}/s {:>11.2} x {:>12.0} {:>14.0} {:>6.0} % {:>10.0} % {:>10.0} % {:>5.0} %",
            r.threads,
            r.games_per_second,
            r.games_per_processor_second,
            r.of_one_thread,
            r.positions_per_second,
            r.evaluations_per_second,
            100.0 * r.share_network,
            100.0 * r.share_solver,
            100.0 * r.share_leaves,
            100.0 * r.share_search
        ));
    }
    if let Some(first) = m.learning.first() {
        lines.extend([
            format!("learning on {}:", first.backend),
            format!("  {:>7} {:>6} {:>9} {:>19}", "threads", "batch", "samples/s", "of processor time"),
        ]);
    }
    for r in &m.learning {
        let (rate, of_processor) = (r.samples_per_second, r.samples_per_processor_second);
        lines.push(format!("  {:>7} {:>6} {rate:>9.0} {of_processor:>17.0}/s", r.threads, r.batch));
    }
    let fastest = m.selfplay.iter().max_by(|a, b| a.games_per_second.total_cmp(&b.games_per_second));
    if let Some(fastest) = fastest {
        lines.push(format!("fastest self-play: threads = {}", fastest.threads));
    }
    if let Some(limit) = m.learner_limit {
        let LearnerLimit { samples, passes, play_seconds, learn_seconds, threads } = limit;
        lines.push(format!(
            "a generation takes one thread {play_seconds:.1} s to play and label, and the learner {learn_seconds:.1} s for {passes} passes \
             over {samples:.0} samples:\nit keeps up with {threads:.1} threads like these (more with more simulations, a larger \
             network or fewer passes)"
        ));
    }
    lines.join("\n") + "\n"
}
