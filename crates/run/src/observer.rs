//! The reports of a run or a measurement to whoever started it. Nothing in this module prints.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{Phase, Record};
use doublecross_core::board::Board;
use doublecross_core::net::Architecture;

/// Receives the reports of a run or a measurement.
///
/// `()` is an observer that ignores them all.
///
/// ```
/// use doublecross_run::{Event, Observer};
/// struct Losses;
///
/// impl Observer for Losses {
///     fn report(&self, event: Event<'_>) {
///         if let Event::GenerationFinished { record, .. } = event {
///             println!("{}: {}", record.generation, record.policy_loss);
///         }
///     }
/// }
/// ```
pub trait Observer: Send + Sync {
    /// Receives one report. Worker threads call this while they work, so it should return soon.
    fn report(&self, event: Event<'_>);
}

impl Observer for () {
    fn report(&self, _: Event<'_>) {}
}

/// A piece of work whose progress is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Playing the games of a generation.
    Games {
        /// The generation.
        generation: u64,
    },
    /// Labeling positions for a generation with the solver.
    Labeling {
        /// The generation.
        generation: u64,
    },
    /// Learning from a generation's training samples.
    Learning {
        /// The generation.
        generation: u64,
    },
    /// Solving the positions of the run's suite.
    SolvingSuite,
    /// Scoring weights on the positions of the run's suite.
    ScoringSuite,
    /// Playing games of a run again.
    Verifying,
    /// Rounds of a measurement.
    Measuring,
}

/// A report.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A task has come this far. The first report of a task has `done` at 0; later ones may come
    /// out of order.
    Progress {
        /// The task.
        task: Task,
        /// The games, positions, samples or rounds that are done.
        done: usize,
        /// The number of them in all.
        total: usize,
    },
    /// A phase begins.
    PhaseBegun {
        /// The number of the phase, from 1.
        number: usize,
        /// The phase.
        phase: &'a Phase,
    },
    /// A task has ended.
    Ended(Task),
    /// Games and labeled positions of a generation that is not whole were in the run's folder.
    GamesKept {
        /// The generation.
        generation: u64,
        /// The number of games and labeled positions.
        count: usize,
    },
    /// The weights of a warm start are of another board.
    OtherBoard {
        /// The path of the weights.
        path: &'a Path,
        /// The board of the weights.
        from: Board,
        /// The board of the run.
        to: Board,
    },
    /// The weights of a warm start were grown to the config's network.
    Grown {
        /// The path of the weights.
        path: &'a Path,
        /// The shape of the weights.
        from: Architecture,
        /// The shape of the config's network.
        to: Architecture,
    },
    /// The run's suite on a board is shorter than the config asks.
    ShortSuite {
        /// The board.
        board: Board,
        /// The number of positions that the config asks for.
        asked: usize,
        /// The number of positions that the board gave.
        found: usize,
        /// The number of these that the solver settled.
        settled: usize,
    },
    /// A generation gave no training samples.
    NoSamples {
        /// The generation.
        generation: u64,
    },
    /// Lines of `progress.jsonl` were missing or differed from the records of the checkpoints.
    ProgressRestored {
        /// The number of lines that were restored from checkpoints.
        restored: usize,
        /// The number of lines that no checkpoint has any more.
        lost: usize,
    },
    /// A resumed run goes on for more or fewer generations than before, which changes its learning
    /// rate.
    Extended {
        /// The number of generations before.
        before: u64,
        /// The number of generations from now on.
        after: u64,
        /// The learning rates of the next generation before and from now on.
        learning_rates: [f64; 2],
        /// The number of generations of its course before.
        course: u64,
    },
    /// TensorBoard's files can no longer be written. The run continues without them.
    TensorBoardLost,
    /// A generation has ended, and its checkpoint is written.
    GenerationFinished {
        /// The figures of the generation.
        record: &'a Record,
        /// The number of generations that the config asks for.
        generations: u64,
    },
}

/// The progress of one task, counted and reported. Dropping it reports the task's end.
pub struct Progress<'a> {
    observer: &'a dyn Observer,
    task: Task,
    total: usize,
    done: AtomicUsize,
}

impl<'a> Progress<'a> {
    /// Begins a task of `total` games, positions, samples or rounds.
    pub fn new(observer: &'a dyn Observer, task: Task, total: usize) -> Progress<'a> {
        observer.report(Event::Progress { task, done: 0, total });
        Progress { observer, task, total, done: AtomicUsize::new(0) }
    }

    /// Reports that `count` more are done.
    pub fn advance(&self, count: usize) {
        let done = self.done.fetch_add(count, Ordering::Relaxed) + count;
        self.observer.report(Event::Progress { task: self.task, done, total: self.total });
    }

    /// Reports that so many are done, which may be fewer than before.
    pub fn set(&self, done: usize) {
        self.done.store(done, Ordering::Relaxed);
        self.observer.report(Event::Progress { task: self.task, done, total: self.total });
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        self.observer.report(Event::Ended(self.task));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn progress_is_counted_and_its_end_reported() {
        #[derive(Default)]
        struct Log(Mutex<Vec<String>>);
        impl Observer for Log {
            fn report(&self, event: Event<'_>) {
                self.0.lock().unwrap().push(match event {
                    Event::Progress { task: Task::Measuring, done, total } => format!("{done}/{total}"),
                    Event::Ended(Task::Measuring) => "ended".into(),
                    event => panic!("{event:?}"),
                });
            }
        }
        let log = Log::default();
        let progress = Progress::new(&log, Task::Measuring, 5);
        progress.advance(2);
        progress.advance(3);
        progress.set(4);
        drop(progress);
        assert_eq!(*log.0.lock().unwrap(), ["0/5", "2/5", "5/5", "4/5", "ended"]);
    }
}
