//! Errors of runs.

use std::any::Any;
use std::collections::TryReserveError;
use std::io;
use std::path::Path;

use thiserror::Error;

use crate::ProcessorError;
use doublecross_core::board::Board;
use doublecross_core::shell::shell_word;
use doublecross_files::is_out_of_space;
use doublecross_run::checkpoint::CheckpointError;
use doublecross_run::config::{ConfigError, changeable_keys};
use doublecross_selfplay::{DataSetError, ShardError};

/// An error of a run that cannot start or continue.
#[derive(Debug, Error)]
pub enum RunError {
    /// A file of the run cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// The operating system's error.
        error: io::Error,
    },
    /// The config cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Games are to begin with positions of a book, and there is none of the board.
    #[error(
        "selfplay.book_share = {share}: there is no book of {board} (set it to 0, or train on a board with a book: {known})"
    )]
    NoBook {
        /// The value of the key.
        share: f64,
        /// The run's board.
        board: Board,
        /// The boards with a book.
        known: String,
    },
    /// There is no memory for the sizes in the config.
    #[error("{key}: no {bytes} bytes of memory for {purpose}: {error}")]
    Memory {
        /// The key that asks for most.
        key: &'static str,
        /// The memory that it asks for.
        bytes: u128,
        /// The things that it is for.
        purpose: String,
        /// The allocator's error.
        error: TryReserveError,
    },
    /// A checkpoint cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A shard cannot be used.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// The games of the generation that comes next are damaged.
    #[error(
        "{path} is not a whole game shard: {why}; the run has not learned from it yet, so remove it: its games are played again"
    )]
    UnlearnedShard {
        /// The file.
        path: String,
        /// The fault of the file.
        why: &'static str,
    },
    /// The labels that a run learns from cannot be used.
    #[error(transparent)]
    DataSet(#[from] DataSetError),
    /// The folder holds a run of another config.
    #[error(
        "{path} holds a run with other settings: {key} is {kept} there, and {asked} was asked for (resume it with \
         `doublecross train {path}` alone, or give --run another folder). Phases that have not begun may change, and these \
         keys:\n{}",
        changeable_keys()
    )]
    OtherRun {
        /// The run's folder.
        path: String,
        /// The first key that differs.
        key: String,
        /// Its value in the run.
        kept: String,
        /// Its value in the config given.
        asked: String,
    },
    /// The run has more generations than the config asks for.
    #[error(
        "{path} has {done} generations, and generations is {asked} (give it {done} or more, as in \
         `doublecross train {path} --set generations={done}`)"
    )]
    Longer {
        /// The run's folder.
        path: String,
        /// The number of generations that the run has.
        done: u64,
        /// The number of the config.
        asked: u64,
    },
    /// The config in the run's folder was changed in a key that may not change.
    #[error(
        "{path}/config.toml was changed: {key} is {asked} there, and {kept} in the run (put {kept} back, or train the \
         config that the run was started with, `doublecross train CONFIG --run {path}`, which writes the file again)"
    )]
    EditedConfig {
        /// The run's folder.
        path: String,
        /// The first key that differs.
        key: String,
        /// Its value in the run.
        kept: String,
        /// Its value in the folder's config.
        asked: String,
    },
    /// Another instruction set than the run's is asked for beside its config.
    #[error(
        "{path} is a run on the instruction set {own}, and DOUBLECROSS_ISA asks for {beside} (unset that, or give --run \
         another folder and --set isa={beside})"
    )]
    OtherIsa {
        /// The run's folder.
        path: String,
        /// The run's instruction set.
        own: &'static str,
        /// The one asked for.
        beside: &'static str,
    },
    /// The processor lacks the run's instruction set.
    #[error(
        "{path} is a run on the instruction set {isa}, which this processor lacks: it has {available} (resume the run on \
         a processor with {isa}, or start a new run in another folder with --from {path})"
    )]
    LacksIsaOfRun {
        /// The run's folder.
        path: String,
        /// The run's instruction set.
        isa: &'static str,
        /// Those of the processor.
        available: String,
    },
    /// The processor lacks the instruction set that the config of a new run names.
    #[error("isa = \"{isa}\" is not available on this processor (choose auto, {available})")]
    LacksIsa {
        /// The config's instruction set.
        isa: &'static str,
        /// Those of the processor.
        available: String,
    },
    /// The folder holds games or weights of a run, but not everything that resuming needs.
    #[error("{path} holds {found} ({hint})")]
    NotARun {
        /// The folder.
        path: String,
        /// The things that the folder holds and lacks.
        found: String,
        /// Advice for the user.
        hint: String,
    },
    /// The weights of the warm start are not those that the run started from, or not of its
    /// network.
    #[error("cannot start {path} from {weights}: {reason}")]
    Start {
        /// The run's folder.
        path: String,
        /// The weights given.
        weights: String,
        /// The reason.
        reason: String,
    },
    /// The samples of the warm start do not exist, or the run began without any.
    #[error("cannot begin {path} with the samples of {other}: {reason}")]
    Samples {
        /// The run's folder.
        path: String,
        /// The folder of the other run.
        other: String,
        /// The reason.
        reason: String,
    },
    /// Weights in the run are not those of its config's network.
    #[error("{path} is for {found}, and the run's config is for {expected}")]
    OtherNetwork {
        /// The file of the weights or the folder of the checkpoint.
        path: String,
        /// The board and the shape of the weights.
        found: String,
        /// The board and the shape of the config's network.
        expected: String,
    },
    /// There are games of later generations, but no checkpoint to resume from.
    #[error(
        "{path} has games of {generations} generations but no checkpoint (put checkpoints/ back, or start a new run in \
         another folder with --samples {path})"
    )]
    Lost {
        /// The run's folder.
        path: String,
        /// The number of generations with games.
        generations: u64,
    },
    /// There is a checkpoint, but not the games of its generation.
    #[error(
        "{path} has a checkpoint of generation {generation} but not its games (put shards/ back, or start a new run in \
         another folder with --from {path})"
    )]
    LostGames {
        /// The run's folder.
        path: String,
        /// The generation of the checkpoint.
        generation: u64,
    },
    /// The first games gave no training samples.
    #[error(
        "{games} games gave not one position to learn from, for one of these reasons: the solver settled all positions \
         (lower reach, or set selfplay.band_undrawn=0, which keeps those of a settled game), none was \
         searched in full (raise selfplay.games or selfplay.full_share), openings end too late (lower \
         selfplay.opening_edges), or all that remains belongs to the suite, which is never learned from (lower \
         suite.positions)"
    )]
    NoSamples {
        /// The number of games.
        games: u64,
    },
    /// No label of the first generation was settled, and there are no games.
    #[error(
        "not one position was labeled: the solver settled none (raise labeled.nodes, or lower labeled.most_undrawn), or \
         all belong to the suite, which is never learned from (lower suite.positions)"
    )]
    NoLabels,
    /// A loss or a weight is not a number.
    #[error(
        "learning diverged in generation {generation}: a loss or a weight is not a number (start a new run with a lower \
         learn.learning_rate, from the weights of the generation before if they are worth it: --from {path})"
    )]
    Diverged {
        /// The run's folder.
        path: String,
        /// The generation, which is not kept.
        generation: u64,
    },
    /// A run was begun without holding out positions that it is to be scored on.
    #[error(
        "{path} is a run that may have learned from positions that it is to be scored on (move it away, and it is trained \
         anew)"
    )]
    NotHeldOut {
        /// The run's folder.
        path: String,
    },
    /// Another process is working on the run.
    #[error("{path} is being worked on by another process (stop that one first)")]
    Busy {
        /// The run's folder.
        path: String,
    },
    /// The config asks for a GPU, and there is none.
    #[error(transparent)]
    Processor(#[from] ProcessorError),
    /// A worker on another machine has handed in games that the run learned from and that no player
    /// of its orders plays.
    #[error("generation {generation} holds games that were not played by its orders")]
    Fakes {
        /// The first generation that holds some.
        generation: u64,
    },
    /// The [context](crate::RunContext::stop) has ended the run.
    #[error("the run was ended and can be resumed")]
    Stopped,
    /// A thread that plays games has panicked.
    #[error("a thread that plays games has failed (resume the run: what was played before is kept)")]
    PlayerPanicked,
    /// The GPU, or its driver, has failed.
    #[error(
        "the GPU has failed: {reason} (resume the run: what was finished is kept; a smaller learn.batch takes less of the \
         GPU's memory, and --set resources.learn_device=cpu takes none)"
    )]
    GpuFailed {
        /// The reason that the driver gives.
        reason: String,
    },
    /// The worker threads cannot be started.
    #[error("cannot start the worker threads")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The thread that saves what is played cannot be started.
    #[error("cannot start a thread that saves games: {0}")]
    Saver(io::Error),
}

impl RunError {
    /// Returns the error of the shard of the generation that comes next.
    pub(super) fn of_unlearned(error: ShardError) -> RunError {
        match error {
            ShardError::Damaged { path, why } => RunError::UnlearnedShard { path, why },
            error => error.into(),
        }
    }

    /// Returns `true` if a file could not be written for want of space.
    pub fn is_out_of_space(&self) -> bool {
        match self {
            RunError::File { error, .. } | RunError::Checkpoint(CheckpointError::File { error, .. }) => {
                is_out_of_space(error)
            }
            _ => false,
        }
    }
}

/// Returns what a panic says.
pub(super) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no reason is known").into()
}

pub(super) fn file_error(path: &Path, error: io::Error) -> RunError {
    RunError::File { path: shell_word(path), error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    #[test]
    fn a_panic_says_what_it_said() {
        let full = "memory";
        let message = |panic: Box<dyn Any + Send>| panic_message(&*panic);
        assert_eq!(message(catch_unwind(|| panic!("out of {full}")).unwrap_err()), "out of memory");
        assert_eq!(message(catch_unwind(|| panic!("device lost")).unwrap_err()), "device lost");
        assert_eq!(message(Box::new(7)), "no reason is known");
    }
}
