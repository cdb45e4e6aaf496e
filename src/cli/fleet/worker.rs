//! `doublecross worker`: plays games for a run on another machine.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::Args;

use crate::cli::terminal::count::counted;
use crate::cli::terminal::stderr::print_notice;
use crate::cli::terminal::values::parse_size;
use crate::cli::{Failure, interrupts, not_interrupted};
use doublecross::built_in;
use doublecross_core::solver::Solver;
use doublecross_fleet::{
    ConnectError, MachineKey, ProverSettings, WorkerError, WorkerEvent, WorkerSettings, prove_for, work,
};

/// The time between two lines about the same.
const INTERVAL: Duration = Duration::from_secs(30);

/// Play games for a run on another machine, or prove for a proof.
///
/// The worker takes games from the server, plays them, and hands them in, for one run after the
/// other, until it is ended. It may be ended at any time: what it has not handed in is played by
/// others. It writes no files. `doublecross train CONFIG --at URL --key FILE` is the other side.
///
/// With --prove it gives the whole machine to one question of a proof after the other instead, for
/// `doublecross prove POSITION --log FILE --at URL --key FILE`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross worker games.example.org --key worker-1.key
  doublecross worker 10.0.0.7:4222 --key worker-1.key --threads 8 --once
  doublecross worker 10.0.0.7:4222 --key worker-1.key --prove --table 24G")]
pub(crate) struct WorkerCommand {
    /// The server's address: HOST, HOST:PORT or nats://HOST:PORT.
    #[arg(value_name = "URL")]
    address: String,
    /// The worker's key to the server.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Threads that play, 0 for one for each core.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1024))]
    threads: u16,
    /// End when the run or the proof ends, as jobs of a cluster do.
    #[arg(long)]
    once: bool,
    /// Work on a proof instead of a run.
    #[arg(long)]
    prove: bool,
    /// The most memory for the table of a proof, in bytes, as in 512M or 16G.
    #[arg(long, value_name = "SIZE", default_value = "1G", requires = "prove", value_parser = parse_size)]
    table: usize,
}

impl WorkerCommand {
    pub fn run(self) -> Result<(), Failure> {
        let key = MachineKey::read(&self.key).map_err(Failure::input)?;
        let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let threads = if self.threads == 0 { cores() } else { self.threads.into() };
        let stop = interrupts()?;
        let said = Mutex::new((None::<Instant>, String::new()));
        let tell = |event: WorkerEvent| {
            let (kind, line) = match event {
                WorkerEvent::Connected => (
                    "connected",
                    format!(
                        "{} is connected to {}: it waits for work on {}",
                        key.name(),
                        self.address,
                        counted(threads, "thread")
                    ),
                ),
                WorkerEvent::Run { board, isa } => ("run", format!("plays {board} on instruction set {isa}")),
                WorkerEvent::Question { question } => ("question", question.to_string()),
                WorkerEvent::HandedIn { items } => ("items", format!("{items} games handed in")),
                WorkerEvent::Waiting { reason } => ("waiting", format!("waits: {reason}")),
            };
            let Ok(mut said) = said.lock() else { return };
            let is_new = said.1 != kind;
            if is_new || said.0.is_none_or(|at| at.elapsed() >= INTERVAL) {
                *said = (Some(Instant::now()), kind.into());
                print_notice(format_args!("{line}"));
            }
        };
        let done = if self.prove {
            Solver::check_memory(Solver::entries_in(self.table)).map_err(|error| {
                Failure::input(anyhow::anyhow!("--table: cannot allocate {} MiB: {error} (lower it)", self.table >> 20))
            })?;
            let settings = ProverSettings { threads, table: self.table, ends_with_proof: self.once };
            prove_for(&self.address, &key, settings, &stop, &tell)
        } else {
            let settings = WorkerSettings { threads, ends_with_run: self.once, books: built_in().books.clone() };
            work(&self.address, &key, settings, &stop, &tell)
        };
        let items = done.map_err(|error| match error {
            WorkerError::Role { .. }
            | WorkerError::Connect(ConnectError::Address { .. } | ConnectError::Key { .. }) => Failure::input(error),
            error => Failure::running(error),
        })?;
        let what = if self.prove { "questions worked on" } else { "games handed in" };
        print_notice(format_args!("{items} {what}"));
        not_interrupted(&stop)
    }
}
