//! The state of a run as `doublecross fleet` shows it.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::coordinator::audit::Trust;
use crate::coordinator::roster::Worker;
use doublecross_selfplay::GenerationProgress;

/// The state of a run that is played by a fleet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FleetStatus {
    /// The name of the run's folder.
    pub run: String,
    /// The number of generations of the run.
    pub generations: u64,
    /// The number of generations by which self-play is ahead of learning.
    pub lag: u64,
    /// Seconds since the coordinator was started.
    pub seconds: f64,
    /// The generations that are being played.
    pub open: Vec<GenerationStatus>,
    /// The workers, by their names.
    pub workers: Vec<WorkerStatus>,
    /// The audits.
    pub audits: AuditStatus,
    /// The number of messages that could not be used.
    pub faults: u64,
    /// The mean bytes of a game on its way back.
    pub bytes_per_item: f64,
    /// The mean seconds that a game takes one thread of a worker.
    pub seconds_per_item: f64,
    /// The number of threads like those that have played that the learner can feed; more would wait
    /// for it. `None` before the first generation.
    pub learner_feeds_cores: Option<f64>,
    /// The share of its time in which the learner waits for games.
    pub learner_waits: Option<f64>,
}

/// A generation that is being played.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GenerationStatus {
    /// The generation.
    pub generation: u64,
    /// The number of its games and labeled positions.
    pub items: usize,
    /// The number of these that are there.
    pub done: usize,
    /// The number of these that workers have.
    pub away: usize,
}

impl From<(u64, GenerationProgress)> for GenerationStatus {
    fn from((generation, standing): (u64, GenerationProgress)) -> GenerationStatus {
        let done = standing.games + standing.labeled;
        GenerationStatus { generation, items: standing.items, done, away: standing.away }
    }
}

/// The audits of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AuditStatus {
    /// The number of games that were played again.
    pub checked: u64,
    /// The number of checks that are not settled.
    pub waiting: usize,
    /// The number of games that the coordinator played again since it was started.
    pub by_coordinator: u64,
    /// The number of workers that nothing is taken from any more.
    pub banned: usize,
}

/// The state of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkerState {
    /// It plays.
    Playing,
    /// It has sent no heartbeat for some time.
    Gone,
    /// It does not play for this run, for a reason.
    Refuses,
    /// It has handed in what is not so, and nothing is taken from it any more.
    Banned,
}

/// A worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerStatus {
    /// The name of its key.
    pub name: String,
    /// Its state.
    pub state: WorkerState,
    /// The reason for which it refuses or was banned.
    pub reason: Option<String>,
    /// The number of processes that use its key, which should be one.
    pub processes: usize,
    /// The number of its threads.
    pub threads: u32,
    /// The version of its program.
    pub program: String,
    /// The fastest instruction set of its processor.
    pub isa: String,
    /// Seconds since its last heartbeat.
    pub silent: Option<f64>,
    /// The number of games that it handed in and that were needed.
    pub items: u64,
    /// The number of games that it handed in and that were there already.
    pub duplicates: u64,
    /// Games a second, of late.
    pub rate: f64,
    /// The share of its threads' time in which they had nothing to play, of late.
    pub idle: f64,
    /// The number of its games that were played again.
    pub checked: u64,
    /// The number of its messages that could not be used.
    pub faults: u64,
}

impl WorkerStatus {
    /// Describes a worker.
    pub fn new(now: Instant, name: &str, worker: &Worker, trust: Trust) -> WorkerStatus {
        let hello = worker.hello.as_ref().map(|(_, hello)| hello.clone()).unwrap_or_default();
        let (state, reason) = match (&worker.account.ban, worker.last_hello(now)) {
            (Some(reason), _) => (WorkerState::Banned, Some(reason.clone())),
            (None, None) => (WorkerState::Gone, None),
            (None, Some(hello)) => match &hello.refusal {
                Some(reason) => (WorkerState::Refuses, Some(reason.clone())),
                None => (WorkerState::Playing, None),
            },
        };
        WorkerStatus {
            name: name.into(),
            state,
            reason,
            processes: worker.processes(now),
            threads: hello.threads,
            program: hello.program,
            isa: hello.isa,
            silent: worker.hello.as_ref().map(|(at, _)| (now - *at).as_secs_f64()),
            items: worker.account.items,
            duplicates: worker.account.duplicates,
            rate: worker.rate,
            idle: hello.idle,
            checked: trust.checked,
            faults: worker.account.faults,
        }
    }
}
