//! `doublecross worker`: plays games for a run on another machine.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::Args;

use super::{Failure, interrupts, not_interrupted};
use crate::fleet::{ConnectError, Key, WorkerError, WorkerEvent, WorkerSettings, work};
use crate::stderr::print_notice;

/// The time between two lines about the same.
const INTERVAL: Duration = Duration::from_secs(30);

/// Play games for a run on another machine.
///
/// The worker takes games from the server, plays them, and hands them in, for one run after the
/// other, until it is ended. It may be ended at any time: what it has not handed in is played by
/// others. It writes no files. `doublecross train CONFIG --at URL --key FILE` is the other side.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublecross worker nats://games.example.org --key worker-1.key
  doublecross worker 10.0.0.7:4222 --key worker-1.key --threads 8 --once")]
pub(super) struct WorkerCommand {
    /// The server's address: HOST, HOST:PORT or nats://HOST:PORT.
    #[arg(value_name = "URL")]
    address: String,
    /// The worker's key to the server.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Threads that play, 0 for one for each core.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1024))]
    threads: u16,
    /// End when the run ends, as jobs of a cluster do.
    #[arg(long)]
    once: bool,
}

impl WorkerCommand {
    pub fn run(self) -> Result<(), Failure> {
        let key = Key::read(&self.key).map_err(Failure::input)?;
        let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let threads = if self.threads == 0 { cores() } else { self.threads.into() };
        let stop = interrupts()?;
        let said = Mutex::new((None::<Instant>, String::new()));
        let tell = |event: WorkerEvent| {
            let s = if threads == 1 { "" } else { "s" };
            let (kind, line) = match event {
                WorkerEvent::Connected => (
                    "connected",
                    format!(
                        "{} is connected to {}, and waits for a run to play on {threads} thread{s}",
                        key.name(),
                        self.address
                    ),
                ),
                WorkerEvent::Run { board, isa } => ("run", format!("plays {board} on instruction set {isa}")),
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
        let settings = WorkerSettings { threads, ends_with_run: self.once };
        let items = work(&self.address, &key, settings, &stop, &tell).map_err(|error| match error {
            WorkerError::Role { .. }
            | WorkerError::Connect(ConnectError::Address { .. } | ConnectError::Key { .. }) => Failure::input(error),
            error => Failure::running(error),
        })?;
        print_notice(format_args!("{items} games handed in"));
        not_interrupted(&stop)
    }
}
