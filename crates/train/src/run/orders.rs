//! The orders of a run's generations, from the files in its folder alone.

use std::path::Path;

use super::earlier::earlier_shards;
use super::error::RunError;
use super::folder::START;
use doublecross_core::board::State;
use doublecross_core::net::{Architecture, Weights};
use doublecross_proof::Books;
use doublecross_run::config::Config;
use doublecross_run::initial_weights;
use doublecross_run::layout::shard_path;
use doublecross_run::{checkpoint, load_weights};
use doublecross_selfplay::{Orders, Shard};

/// Returns the orders of a generation of the run in `folder`.
///
/// They follow from the checkpoint of the generation before, or of as many before that as self-play
/// is ahead of learning, and, where games begin with its positions, from the last shard until then of
/// the generation's board.
///
/// # Errors
/// Returns an error if one of these files cannot be read.
pub(super) fn orders(folder: &Path, config: &Config, generation: u64, books: &Books) -> Result<Orders, RunError> {
    let board = config.board_of(generation);
    let base = weights_of(config, generation);
    let weights = weights_after(folder, config, base)?.on(board);
    let last = if has_starts(config, generation) { last_shard(folder, config, generation)? } else { None };
    // There is most to learn where the solver did not settle the games.
    let unsettled = last.iter().flat_map(|shard| &shard.samples).filter(|sample| !sample.margin.is_exact());
    let starts: Vec<State> = unsettled.map(|sample| sample.state).collect();
    Ok(Orders::new(config, generation, weights, starts, books))
}

/// Returns the generation after which a generation's games are played with the weights.
pub(super) fn weights_of(config: &Config, generation: u64) -> u64 {
    generation.saturating_sub(1 + config.selfplay.lag)
}

/// Returns the generation of the run whose games a generation's begin with positions of, if they do.
pub(super) fn starts_of(config: &Config, generation: u64) -> Option<u64> {
    if !has_starts(config, generation) {
        return None;
    }
    let board = config.board_of(generation);
    (1..=weights_of(config, generation)).rev().find(|&earlier| config.board_of(earlier) == board)
}

/// Returns `true` if games of a generation begin with positions of games before.
fn has_starts(config: &Config, generation: u64) -> bool {
    config.at(generation).selfplay.start_share > 0.0
}

/// Returns the last shard of games on a generation's board before its weights, which may be of an earlier run.
fn last_shard(folder: &Path, config: &Config, generation: u64) -> Result<Option<Shard>, RunError> {
    let board = config.board_of(generation);
    if let Some(earlier) = starts_of(config, generation) {
        return Ok(Some(Shard::read_of(&shard_path(folder, earlier), earlier, board)?));
    }
    for shard in earlier_shards(folder, &config.boards()) {
        let shard = shard?;
        if shard.board == board {
            return Ok(Some(shard));
        }
    }
    Ok(None)
}

/// Returns the network that a run began with. A run of an earlier program may have fewer input
/// planes than a new one.
fn first_architecture(folder: &Path, config: &Config) -> Architecture {
    let sizes = config.at(1).architecture();
    load_weights(&checkpoint::folder(folder, 1)).map_or(sizes, |first| first.architecture.resized(sizes))
}

/// Returns the weights to play with after a generation.
fn weights_after(folder: &Path, config: &Config, generation: u64) -> Result<Weights, RunError> {
    let start = folder.join(START);
    Ok(match generation {
        0 if start.exists() => load_weights(&start)?,
        0 => initial_weights(config.board, first_architecture(folder, config), config.seed),
        generation => load_weights(&checkpoint::folder(folder, generation))?,
    })
}
