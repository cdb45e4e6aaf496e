//! The files of a run's folder: its lock, its config, its suite, and the weights that it started
//! from.

use std::fs::{self, File, TryLockError, remove_file};
use std::io::ErrorKind::{InvalidInput, NotFound};
use std::path::{Path, PathBuf};

use super::error::{RunError, file_error};
use super::held_out::HELD_OUT;
use crate::learn::growth::{begin_on, grow};
use crate::run::scoring::Scoring;
use doublecross_core::board::Board;
use doublecross_core::net::{Architecture, Weights};
use doublecross_core::shell::shell_word;
use doublecross_files::{sync_folder, write_whole};
use doublecross_run::checkpoint::{Checkpoint, EMA_FILE, load_weights};
use doublecross_run::config::{Config, Conflict, GenerationConfig};
use doublecross_run::layout::suite_path;
use doublecross_run::layout::{LOCK, generation_of, shard_path};
use doublecross_run::observer::{Event, Observer};

/// The file of the weights that a run started from, if it did not start from fresh ones.
pub(super) const START: &str = "start.dxw";

/// The file of the run's resolved config.
const CONFIG: &str = "config.toml";

/// The file of the program's version, which is written before the config.
const VERSION: &str = "version.txt";

/// The names of everything else that a run keeps in its folder.
const OTHERS: [&str; 11] = [
    "fleet.json",
    "going-back",
    HELD_OUT,
    LABELS,
    LOCK,
    "shards",
    "checkpoints",
    "tensorboard",
    "progress.jsonl",
    "suite.tsv",
    START,
];

/// The file of the settings of the labels that come from a folder.
pub(super) const LABELS: &str = "labels.json";

/// Returns the path of the parts of a generation that is not whole yet.
pub(super) fn parts_path(folder: &Path, generation: u64) -> PathBuf {
    shard_path(folder, generation).with_extension("parts")
}

/// Returns the newest generation with games, or 0. Those of older ones may be gone, as the window needs
/// them no longer.
pub(super) fn played(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder.join("shards")).into_iter().flatten().flatten();
    entries.filter_map(|entry| generation_of(&entry.path())).max().unwrap_or(0)
}

/// Locks a folder for this process until the file is closed. A link is not followed.
///
/// # Errors
/// Returns an error if another process holds the lock, if the file cannot be created, or if it is
/// not a regular file.
pub fn lock(folder: &Path) -> Result<File, RunError> {
    let path = folder.join(LOCK);
    if fs::symlink_metadata(&path).is_ok_and(|file| !file.is_file()) {
        let error = std::io::Error::new(InvalidInput, "it is a link, or no file");
        return Err(file_error(&path, error));
    }
    let is_new = !path.exists();
    let file = File::options().create(true).append(true).open(&path).map_err(|error| file_error(&path, error))?;
    if is_new {
        // It shows to whom what follows belongs.
        sync_folder(folder).map_err(|error| file_error(folder, error))?;
    }
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(RunError::Busy { path: shell_word(folder) }),
        Err(TryLockError::Error(error)) => Err(file_error(&path, error)),
    }
}

/// Returns the config that a run with games keeps: that of its newest checkpoint, whose checksum
/// protects it, or else that of its folder.
///
/// # Errors
/// Returns an error if neither has a config, or if that cannot be used.
pub(super) fn kept_config(folder: &Path, checkpoint: Option<&Checkpoint>) -> Result<Config, RunError> {
    let path = folder.join(CONFIG);
    match checkpoint.map(|checkpoint| checkpoint.state.config.as_str()) {
        Some(text) => Ok(Config::parse(text, "the newest checkpoint's config", &[])?),
        None if path.exists() => Ok(Config::load(&path, &[])?),
        None => Err(RunError::NotARun {
            path: shell_word(folder),
            found: "games or weights of a run but not its config.toml".into(),
            hint: "put that back or give --run another folder".into(),
        }),
    }
}

/// Checks that the kept config of a run differs from this one in keys alone that
/// [may change](doublecross_run::Resume), and in phases that begin after `played` generations.
pub(super) fn check_config(folder: &Path, kept: &Config, config: &Config, played: u64) -> Result<(), RunError> {
    let Some(Conflict { key, kept, given }) = kept.conflict(config, played) else { return Ok(()) };
    let (path, key, kept, asked) = (shell_word(folder), key.to_string(), kept.to_string(), given.to_string());
    // The config in the folder is the one that was given, so it is no longer the run's own.
    let own = Config::load(&folder.join(CONFIG), &[]);
    if own.is_ok_and(|own| own.conflict(config, played).is_none()) {
        return Err(RunError::EditedConfig { path, key, kept, asked });
    }
    Err(RunError::OtherRun { path, key, kept, asked })
}

/// Checks that the config with which a run is resumed keeps what has begun: of the generations up to
/// the newest checkpoint by the `kept` config, and of `played` ones that were not learned from yet by
/// the folder's, which was written before they were played, or by the `kept` one if that is gone.
pub(super) fn check_resumed(
    folder: &Path,
    kept: &Config,
    config: &Config,
    checkpoint: Option<&Checkpoint>,
    played: u64,
) -> Result<(), RunError> {
    let Some(done) = checkpoint.map(|checkpoint| checkpoint.state.generation) else {
        return check_config(folder, kept, config, played);
    };
    check_config(folder, kept, config, done)?;
    if played <= done {
        return Ok(());
    }
    let path = folder.join(CONFIG);
    match path.exists() {
        true => check_config(folder, &Config::load(&path, &[])?, config, played),
        false => check_config(folder, kept, config, played),
    }
}

/// Returns the config of all games of a run: that of the newest checkpoint, or that of the folder
/// where it agrees with it and games are newer.
pub(super) fn config_of_games(folder: &Path, checkpoint: Option<&Checkpoint>) -> Result<Config, RunError> {
    let kept = kept_config(folder, checkpoint)?;
    let Some(done) = checkpoint.map(|checkpoint| checkpoint.state.generation) else { return Ok(kept) };
    match Config::load(&folder.join(CONFIG), &[]) {
        Ok(own) if played(folder) > done && kept.conflict(&own, done).is_none() => Ok(own),
        _ => Ok(kept),
    }
}

/// Checks that the folder of a new run holds nothing that the run would overwrite or mix with its
/// own: neither weights alone, as in `checkpoints/`, nor anything else that no run has written.
///
/// # Errors
/// Returns an error if it does.
pub(super) fn check_empty(folder: &Path) -> Result<(), RunError> {
    let path = shell_word(folder);
    if folder.join(EMA_FILE).exists() {
        let hint = format!("to learn on from them, give --run another folder and --from {}", shell_word(folder));
        let found = "weights but neither the games nor the checkpoint of a run that could go on".into();
        return Err(RunError::NotARun { path, found, hint });
    }
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == NotFound => return Ok(()),
        entries => {
            entries.and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(|error| file_error(folder, error))?
        }
    };
    let names = entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let is_run = is_run(folder);
    let mut foreign: Vec<String> = names.filter(|name| !is_own(name, is_run)).collect();
    if foreign.is_empty() {
        return Ok(());
    }
    foreign.sort();
    let count = foreign.len();
    foreign.truncate(3);
    let more = if count > 3 { format!(" and {} more", count - 3) } else { String::new() };
    let found = format!("files of which none is a run's: {}{more}", foreign.join(", "));
    Err(RunError::NotARun { path, found, hint: "give --run a new or an empty folder".into() })
}

/// Returns `true` for the name of a file that a run without games may have left in a folder, which has
/// a run's file if `is_run`, or a hidden one.
fn is_own(name: &str, is_run: bool) -> bool {
    let name = name.strip_suffix(".partial").unwrap_or(name);
    let is_of_run = [CONFIG, VERSION].contains(&name) || OTHERS.contains(&name) || is_other_suite(name);
    // A run makes its folder of shards before anything else.
    name == "shards" || name.starts_with('.') || (is_run && is_of_run)
}

/// Returns `true` if a folder has a file that only a run writes: its version, or its config as the
/// program writes it. Others may have a `config.toml` or a `lock` too, which are not to be replaced.
fn is_run(folder: &Path) -> bool {
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    let config = read(CONFIG);
    let is_config = || Config::parse(&config, CONFIG, &[]).is_ok_and(|parsed| parsed.to_toml() == config);
    let is_lock = || !folder.join(CONFIG).exists() && fs::metadata(folder.join(LOCK)).is_ok_and(|lock| lock.len() == 0);
    read(VERSION).starts_with("doublecross") || (!config.is_empty() && is_config()) || is_lock()
}

/// Returns `true` for the name of a suite on another board of a run of several: `suite-RxC.tsv`.
fn is_other_suite(name: &str) -> bool {
    let board = name.strip_prefix("suite-").and_then(|rest| rest.strip_suffix(".tsv"));
    // As the run writes it.
    board.is_some_and(|text| text.parse().is_ok_and(|board: Board| board.to_string() == text))
}

/// Checks that the games of a run's newest checkpoint are there.
///
/// # Errors
/// Returns an error if they are not.
pub(super) fn check_games(folder: &Path, generation: u64) -> Result<(), RunError> {
    if shard_path(folder, generation).exists() {
        return Ok(());
    }
    Err(RunError::LostGames { path: shell_word(folder), generation })
}

/// Writes the config and the version of the program.
pub(super) fn write_config(folder: &Path, config: &Config) -> Result<(), RunError> {
    let version = concat!("doublecross ", env!("CARGO_PKG_VERSION"), "\n");
    write_whole(&folder.join(VERSION), version.as_bytes())
        .and_then(|()| write_whole(&folder.join(CONFIG), config.to_toml().as_bytes()))
        .map_err(|error| file_error(folder, error))
}

/// Checks that the weights at `path` are those of a board and of a generation's network.
///
/// # Errors
/// Returns an error if they are not.
pub(super) fn check_network(
    path: &Path,
    weights: &Weights,
    board: Board,
    config: &GenerationConfig,
) -> Result<(), RunError> {
    let expected = weights.architecture.resized(config.architecture());
    if (weights.board, weights.architecture) == (board, expected) {
        return Ok(());
    }
    let of = |board: Board, architecture: Architecture| format!("{board} with {architecture}");
    Err(RunError::OtherNetwork {
        path: shell_word(path),
        found: of(weights.board, weights.architecture),
        expected: of(board, expected),
    })
}

fn cannot_start(folder: &Path, from: &Path, reason: &str) -> RunError {
    RunError::Start { path: shell_word(folder), weights: shell_word(from), reason: reason.into() }
}

/// Returns the weights that a run starts from, or `None` if they are fresh.
///
/// The run keeps a copy, so that it can be resumed after their checkpoint has changed or was
/// deleted.
///
/// # Errors
/// Returns an error if the weights cannot be read or are of a larger network than the config's, or
/// if the run has games and started from others.
pub(super) fn start_weights(
    folder: &Path,
    config: &Config,
    from: Option<&Path>,
    has_games: bool,
    observer: &dyn Observer,
) -> Result<Option<Weights>, RunError> {
    let kept_path = folder.join(START);
    let kept = if kept_path.exists() { Some(load_weights(&kept_path)?) } else { None };
    // A run without games may replace them.
    if let Some(kept) = kept.as_ref().filter(|_| has_games || from.is_none()) {
        check_network(&kept_path, kept, config.board, &config.at(1))?;
    }
    let Some(from) = from else { return Ok(kept) };
    let refused = |reason: &str| cannot_start(folder, from, reason);
    let given = match (load_weights(from), &kept) {
        // The run's copy suffices.
        (Err(_), Some(_)) if has_games => return Ok(kept),
        (given, _) => given.map_err(|error| refused(&error.to_string()))?,
    };
    let given = as_configured(from, &given, config, observer).ok_or_else(|| {
        refused(&format!(
            "it has {}, and the config's network, with {}, is smaller (raise network.channels, network.blocks or \
             network.value_hidden)",
            given.architecture,
            config.at(1).architecture()
        ))
    })?;
    match kept {
        Some(kept) if kept == given => Ok(Some(kept)),
        Some(_) if has_games => Err(refused("the run there started from other weights (resume it without --from)")),
        None if has_games => Err(refused("the run there started from fresh weights (resume it without --from)")),
        _ => Ok(Some(given)),
    }
}

/// Returns the weights as the config's run begins with them: for its board, and grown to its
/// network, or `None` if that is smaller.
fn as_configured(path: &Path, weights: &Weights, config: &Config, observer: &dyn Observer) -> Option<Weights> {
    let board = config.board;
    let is_of_board = weights.board == board;
    let on_board = if is_of_board { weights.clone() } else { begin_on(weights, board) };
    let small = weights.architecture;
    let large = Architecture { block: small.block, ..config.at(1).architecture() };
    let begun = grow(&on_board, large, config.seed)?;
    if !is_of_board {
        observer.report(Event::OtherBoard { path, from: weights.board, to: board });
    }
    if small != large {
        observer.report(Event::Grown { path, from: small, to: large });
    }
    Some(begun)
}

/// Writes the weights that a run starts from.
pub(super) fn write_start(folder: &Path, start: &Weights) -> Result<(), RunError> {
    let path = folder.join(START);
    write_whole(&path, &start.to_bytes()).map_err(|error| file_error(&path, error))
}

/// Writes the run's suites for `doublecross eval`, and removes those of an earlier attempt that it
/// does not have.
pub(super) fn write_suites(folder: &Path, own: Board, scoring: &Option<Scoring>) -> Result<(), RunError> {
    let texts: Vec<(PathBuf, String)> =
        (scoring.iter().flat_map(Scoring::texts)).map(|(board, text)| (suite_path(folder, own, board), text)).collect();
    let error = |error| file_error(folder, error);
    for entry in fs::read_dir(folder).map_err(error)? {
        let entry = entry.map_err(error)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_suite = name == "suite.tsv" || is_other_suite(&name);
        if is_suite && texts.iter().all(|(path, _)| *path != entry.path()) {
            remove_file(entry.path()).map_err(|error| file_error(&entry.path(), error))?;
        }
    }
    for (path, text) in texts {
        write_whole(&path, text.as_bytes()).map_err(|error| file_error(&path, error))?;
    }
    Ok(())
}
