//! A run's folder: who works on it, its config, and the weights that it started from.

use std::fs::{File, TryLockError, remove_file};
use std::io::ErrorKind::NotFound;
use std::path::{Path, PathBuf};

use super::error::{RunError, file_error};
use crate::board::Board;
use crate::net::{Architecture, Weights};
use crate::stderr::print_line;
use crate::train::checkpoint::{AVERAGE, load_weights};
use crate::train::config::{Config, SuiteConfig};
use crate::train::files::write_whole;
use crate::train::grow;
use crate::train::keys::first_difference;

/// The weights that a run started from, if not fresh ones.
pub(super) const START: &str = "start.dxw";

/// The run's config, as it was resolved.
const CONFIG: &str = "config.toml";

/// Where the games of a generation are.
pub(super) fn shard_path(folder: &Path, generation: u64) -> PathBuf {
    folder.join("shards").join(format!("gen-{generation:06}.shard"))
}

/// How many generations there are games of, from the first on without a gap.
pub(super) fn played(folder: &Path) -> u64 {
    (1..).take_while(|&generation| shard_path(folder, generation).exists()).count() as u64
}

/// Takes the run for this process, for as long as the file is open.
pub(super) fn lock(folder: &Path) -> Result<File, RunError> {
    let path = folder.join("lock");
    let file = File::create(&path).map_err(|error| file_error(&path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(RunError::Busy { path: folder.display().to_string() }),
        Err(TryLockError::Error(error)) => Err(file_error(&path, error)),
    }
}

/// Checks that nothing in the config of a run that is there differs but how long it goes on, on what, when it is scored and
/// what is played when it ends.
pub(super) fn check_config(folder: &Path, config: &Config) -> Result<(), RunError> {
    let path = folder.join(CONFIG);
    if !path.exists() {
        return Err(RunError::NotARun {
            path: folder.display().to_string(),
            found: "games or weights of a run but not its config.toml",
            hint: "put that back or give --run another folder".into(),
        });
    }
    let old = Config::load_kept(&path)?;
    let Config { threads, generations, minutes, finish, .. } = config.clone();
    let mut comparable = Config { threads, generations, minutes, finish, ..old };
    (comparable.suite.every, comparable.suite.simulations) = (config.suite.every, config.suite.simulations);
    if comparable.suite.positions == 0 || config.suite.positions == 0 {
        // Then the other keys say nothing.
        comparable.suite = SuiteConfig { positions: comparable.suite.positions, ..config.suite.clone() };
    }
    comparable.learn.device = config.learn.device;
    (comparable.selfplay.device, comparable.selfplay.at_once) = (config.selfplay.device, config.selfplay.at_once);
    match first_difference(&comparable, config) {
        Some((key, kept, asked)) => Err(RunError::OtherRun {
            path: folder.display().to_string(),
            key,
            kept: kept.to_string(),
            asked: asked.to_string(),
        }),
        None => Ok(()),
    }
}

/// Refuses a folder of weights alone, as in `checkpoints/`: a new run would take the place of their config and curve.
pub(super) fn check_empty(folder: &Path) -> Result<(), RunError> {
    if !folder.join(AVERAGE).exists() {
        return Ok(());
    }
    Err(RunError::NotARun {
        path: folder.display().to_string(),
        found: "weights but neither the games nor the checkpoint of a run that could go on",
        hint: format!("to learn on from them give --run another folder and --from {}", folder.display()),
    })
}

/// Writes the config, and the version of the program that goes by it.
pub(super) fn write_config(folder: &Path, config: &Config) -> Result<(), RunError> {
    let version = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"), "\n");
    write_whole(&folder.join("version.txt"), version.as_bytes())
        .and_then(|()| write_whole(&folder.join(CONFIG), config.to_toml().as_bytes()))
        .map_err(|error| file_error(folder, error))
}

/// An error when the weights at `path` are not of the config's board and network.
pub(super) fn check_network(path: &Path, weights: &Weights, config: &Config, board: Board) -> Result<(), RunError> {
    if (weights.board, weights.architecture) == (board, config.architecture()) {
        return Ok(());
    }
    let of = |board: Board, architecture: Architecture| format!("{board} with {}", shape(architecture));
    Err(RunError::OtherNetwork {
        path: path.display().to_string(),
        found: of(weights.board, weights.architecture),
        expected: of(board, config.architecture()),
    })
}

/// Refuses weights to start from that cannot be read.
pub(super) fn check_start(folder: &Path, from: &Path) -> Result<(), RunError> {
    load_weights(from).map(drop).map_err(|error| cannot_start(folder, from, &error.to_string()))
}

fn cannot_start(folder: &Path, from: &Path, reason: &str) -> RunError {
    RunError::Start { path: folder.display().to_string(), weights: from.display().to_string(), reason: reason.into() }
}

/// The weights that a run starts from when they are not fresh. The run keeps them, so that it can be resumed when the
/// checkpoint that they came from has gone on or away. Others are refused where there are games already.
pub(super) fn start_weights(
    folder: &Path,
    config: &Config,
    board: Board,
    from: Option<&Path>,
    has_games: bool,
) -> Result<Option<Weights>, RunError> {
    let kept_path = folder.join(START);
    let kept = if kept_path.exists() { Some(load_weights(&kept_path)?) } else { None };
    // Where nothing has been played others take their place.
    if let Some(kept) = kept.as_ref().filter(|_| has_games || from.is_none()) {
        check_network(&kept_path, kept, config, board)?;
    }
    let Some(from) = from else { return Ok(kept) };
    let refused = |reason: &str| cannot_start(folder, from, reason);
    let given = match (load_weights(from), &kept) {
        // What the run keeps is enough to go on.
        (Err(_), Some(_)) if has_games => return Ok(kept),
        (given, _) => given.map_err(|error| refused(&error.to_string()))?,
    };
    let given = as_configured(from, given, config, board);
    check_network(from, &given, config, board).map_err(|error| refused(&error.to_string()))?;
    match kept {
        Some(kept) if kept == given => Ok(Some(kept)),
        Some(_) if has_games => Err(refused("the run there started from other weights; resume it without --from")),
        None if has_games => Err(refused("the run there started from fresh weights; resume it without --from")),
        _ => Ok(Some(given)),
    }
}

/// Weights as the config's network, where that is a larger one on the same board.
fn as_configured(path: &Path, weights: Weights, config: &Config, board: Board) -> Weights {
    let (small, large) = (weights.architecture, config.architecture());
    match grow(&weights, large, config.seed) {
        Some(grown) if weights.board == board && small != large => {
            print_line(format_args!("{} grows from {} to {}", path.display(), shape(small), shape(large)));
            grown
        }
        _ => weights,
    }
}

fn shape(Architecture { channels, blocks, value_hidden }: Architecture) -> String {
    format!("{channels} channels, {blocks} blocks and {value_hidden} hidden units")
}

/// Keeps the weights that a run starts from.
pub(super) fn write_start(folder: &Path, start: &Weights) -> Result<(), RunError> {
    let path = folder.join(START);
    write_whole(&path, &start.to_bytes()).map_err(|error| file_error(&path, error))
}

/// Keeps the positions that the run is scored on, for `doublecross eval`. Without any, none of an attempt that came to
/// nothing are left.
pub(super) fn write_suite(folder: &Path, text: Option<&str>) -> Result<(), RunError> {
    let path = folder.join("suite.tsv");
    let written = match text {
        Some(text) => write_whole(&path, text.as_bytes()),
        None => remove_file(&path).or_else(|error| if error.kind() == NotFound { Ok(()) } else { Err(error) }),
    };
    written.map_err(|error| file_error(&path, error))
}
