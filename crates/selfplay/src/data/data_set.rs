//! A data set: shards of positions that the solver labeled, in a folder of their own.
//!
//! Labels depend on no network, so that they are made once and used by any number of runs.
//! `dataset.json` says what the folder holds. It is written anew after each shard, which is then whole.

use std::ffi::OsStr;
use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::data::shard::{Shard, ShardError};
use doublecross_core::board::Board;
use doublecross_core::net::checksum;
use doublecross_core::shell::shell_word;
use doublecross_files::{create_folders, read_regular, write_whole};
use doublecross_run::Config;
use doublecross_run::config::{GenerationConfig, LabeledConfig};
use doublecross_run::layout::LOCK;

/// The name of the file that says what a data set holds.
const CONTENTS: &str = "dataset.json";

/// The version of the format.
const FORMAT: &str = "doublecross labels 1";

/// The license of all data sets, which hold facts of the game.
const LICENSE: &str = "CC0-1.0";

/// The most bytes of the file that says what a data set holds.
const MAX_CONTENTS: u64 = 64 << 20;

/// The most bytes of a shard, far more than the labels of a million positions take.
const MAX_SHARD: u64 = 16 << 30;

/// A data set in its folder.
#[derive(Debug)]
pub struct DataSet {
    folder: PathBuf,
    contents: Contents,
}

/// The content of `dataset.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Contents {
    format: String,
    license: String,
    board: String,
    seed: u64,
    /// The number of positions that were labeled for each shard, beside those on walks from them.
    positions: usize,
    least_undrawn: usize,
    most_undrawn: usize,
    band_undrawn: usize,
    nodes: u64,
    table: usize,
    /// The number of samples of all shards.
    samples: usize,
    shards: Vec<ShardEntry>,
}

/// A shard of a data set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ShardEntry {
    file: String,
    samples: usize,
    /// The checksum at the file's end, in hexadecimal digits.
    checksum: String,
}

/// An error of a data set.
#[derive(Debug, Error)]
pub enum DataSetError {
    /// A folder is no data set.
    #[error(
        "{path} is no data set: {why} (`doublecross label` makes one; if it was moved, --set labeled.data=DIR names its place)"
    )]
    NotADataSet {
        /// The folder.
        path: String,
        /// The fault.
        why: String,
    },
    /// A folder holds labels that were made with other settings.
    #[error(
        "{path} holds labels with {key} = {found}, and {wanted} was asked for (--to another folder makes new ones)"
    )]
    OtherSettings {
        /// The folder.
        path: String,
        /// The setting.
        key: &'static str,
        /// Its value there.
        found: String,
        /// Its value here.
        wanted: String,
    },
    /// A data set is of another board than asked for.
    #[error("{path} holds labels on {found}, and the run is on {board}")]
    OtherBoard {
        /// The folder.
        path: String,
        /// The board of the labels.
        found: String,
        /// The board of the run.
        board: Board,
    },
    /// Labels were made with other settings than those that a run has learned from.
    #[error(
        "{path} has labels with {key} = {found}, and the run has learned from labels with {key} = {wanted} (name their folder: \
         --set labeled.data=DIR)"
    )]
    OtherLabels {
        /// The folder.
        path: String,
        /// The setting.
        key: &'static str,
        /// Its value there.
        found: String,
        /// Its value in the run.
        wanted: String,
    },
    /// A folder holds labels, to which samples of elsewhere are to be added.
    #[error("{path} holds labels of the solver, which are made again from its settings alone (name another folder)")]
    Labels {
        /// The folder.
        path: String,
    },
    /// A folder has no `dataset.json`, but other files.
    #[error("{path} is neither empty nor a data set (name another folder, or put back its dataset.json)")]
    NotEmpty {
        /// The folder.
        path: String,
    },
    /// A shard is another one than the data set lists.
    #[error(
        "{path} is not the shard that dataset.json lists (put back a copy, or make it again by the `doublecross label` that \
         made the others)"
    )]
    Changed {
        /// The file.
        path: String,
    },
    /// A file cannot be read.
    #[error(
        "cannot read {path}: {error} (put back a copy, or make it again by the `doublecross label` that made the others)"
    )]
    Read {
        /// The file.
        path: String,
        /// The operating system's error.
        error: io::Error,
    },
    /// A shard is damaged.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// A file cannot be written.
    #[error("cannot write {path}: {error}")]
    Write {
        /// The file.
        path: String,
        /// The operating system's error.
        error: io::Error,
    },
}

impl Contents {
    /// Returns the content of a data set without shards, whose samples are made elsewhere.
    fn of_board(board: Board) -> Contents {
        Contents {
            format: FORMAT.into(),
            license: LICENSE.into(),
            board: board.to_string(),
            seed: 0,
            positions: 0,
            least_undrawn: 0,
            most_undrawn: 0,
            band_undrawn: 0,
            nodes: 0,
            table: 0,
            samples: 0,
            shards: Vec::new(),
        }
    }

    /// Returns the content of a data set without shards, with the labels of a config.
    fn new(config: &Config) -> Contents {
        let GenerationConfig { selfplay, labeled, .. } = config.at(1);
        let LabeledConfig { positions, least_undrawn, most_undrawn, band_undrawn, nodes, .. } = labeled;
        Contents {
            seed: config.seed,
            positions,
            least_undrawn: least_undrawn.unwrap_or_default(),
            most_undrawn: most_undrawn.unwrap_or_default(),
            band_undrawn: band_undrawn.unwrap_or_default(),
            nodes,
            table: selfplay.table,
            ..Contents::of_board(config.board)
        }
    }

    /// Returns the first setting in which another data set differs, and the values of both.
    fn difference(&self, other: &Contents) -> Option<(&'static str, String, String)> {
        let numbers = |contents: &Contents| {
            let Contents { positions, least_undrawn, most_undrawn, band_undrawn, nodes, table, seed, .. } = *contents;
            [
                ("seed", seed),
                ("labeled.positions", positions as u64),
                ("labeled.least_undrawn", least_undrawn as u64),
                ("labeled.most_undrawn", most_undrawn as u64),
                ("labeled.band_undrawn", band_undrawn as u64),
                ("labeled.nodes", nodes),
                ("selfplay.table", table as u64),
            ]
        };
        if self.board != other.board {
            return Some(("board", self.board.clone(), other.board.clone()));
        }
        let pairs = numbers(self).into_iter().zip(numbers(other));
        let mut differing = pairs.filter(|((_, own), (_, other))| own != other);
        differing.next().map(|((key, own), (_, other))| (key, own.to_string(), other.to_string()))
    }
}

impl DataSet {
    /// Opens a data set.
    ///
    /// # Errors
    /// Returns an error if the folder holds none.
    pub fn open(folder: &Path) -> Result<DataSet, DataSetError> {
        let refused = |why: String| DataSetError::NotADataSet { path: shell_word(folder), why };
        let path = folder.join(CONTENTS);
        let bytes = read_regular(&path, MAX_CONTENTS).map_err(|error| refused(format!("{CONTENTS}: {error}")))?;
        let contents: Contents =
            serde_json::from_slice(&bytes).map_err(|error| refused(format!("{CONTENTS}: {error}")))?;
        if contents.format != FORMAT {
            return Err(refused(format!("its format is {}, not {FORMAT}", shell_word(&contents.format))));
        }
        if let Some((index, entry)) =
            (0..).zip(&contents.shards).find(|(index, entry)| entry.file != shard_name(*index))
        {
            let (file, name) = (shell_word(&entry.file), shard_name(index));
            return Err(refused(format!("{CONTENTS} lists {file} where {name} belongs")));
        }
        if contents.samples != contents.shards.iter().map(|entry| entry.samples).sum::<usize>() {
            return Err(refused(format!("{CONTENTS} has another number of samples than its shards")));
        }
        Ok(DataSet { folder: folder.into(), contents })
    }

    /// Opens the data set with the labels of a config, or returns `None` where it may begin.
    ///
    /// # Errors
    /// Returns an error if the folder holds other labels or other files.
    pub fn find(folder: &Path, config: &Config) -> Result<Option<DataSet>, DataSetError> {
        if !folder.join(CONTENTS).exists() {
            return DataSet::check_empty(folder).map(|()| None);
        }
        let found = DataSet::open(folder)?;
        match found.contents.difference(&Contents::new(config)) {
            Some((key, found, wanted)) => {
                Err(DataSetError::OtherSettings { path: shell_word(folder), key, found, wanted })
            }
            None => Ok(Some(found)),
        }
    }

    /// Opens the data set with the labels of a config, or begins it in a folder that has none. Phases of
    /// the config are left out.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be written or holds other labels.
    pub fn create(folder: &Path, config: &Config) -> Result<DataSet, DataSetError> {
        match DataSet::find(folder, config)? {
            Some(found) => Ok(found),
            None => DataSet::begin(folder, Contents::new(config)),
        }
    }

    /// Opens the data set in a folder, or begins one for samples of this board that are made elsewhere.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be written, or holds a data set of another board.
    pub fn open_or_begin(folder: &Path, board: Board) -> Result<DataSet, DataSetError> {
        if !folder.join(CONTENTS).exists() {
            return DataSet::begin(folder, Contents::of_board(board));
        }
        let found = DataSet::open(folder)?;
        found.check_board(board)?;
        Ok(found)
    }

    /// Checks that a data set may begin in a folder, which has no other files.
    ///
    /// # Errors
    /// Returns an error if it has some.
    pub fn check_empty(folder: &Path) -> Result<(), DataSetError> {
        // A beginning that was cut off may have left these.
        let is_left = |name: &OsStr| {
            name == LOCK || name.to_str().and_then(|name| name.strip_suffix(".partial")) == Some(CONTENTS)
        };
        let is_other = |entry: std::io::Result<DirEntry>| entry.is_ok_and(|entry| !is_left(&entry.file_name()));
        if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.any(is_other)) {
            return Err(DataSetError::NotEmpty { path: shell_word(folder) });
        }
        Ok(())
    }

    fn begin(folder: &Path, contents: Contents) -> Result<DataSet, DataSetError> {
        DataSet::check_empty(folder)?;
        create_folders(folder).map_err(|error| DataSetError::Write { path: shell_word(folder), error })?;
        let data_set = DataSet { folder: folder.into(), contents };
        data_set.write_contents()?;
        Ok(data_set)
    }

    /// Returns the settings that the labels were made with, as the text that [`DataSet::check_settings`] reads.
    pub fn settings(&self) -> String {
        let contents = Contents { samples: 0, shards: Vec::new(), ..self.contents.clone() };
        format!("{}\n", serde_json::json!(contents))
    }

    /// Checks that the labels were made with these settings. A text that is none is not compared.
    ///
    /// # Errors
    /// Returns an error if they were made with others.
    pub fn check_settings(&self, settings: &str) -> Result<(), DataSetError> {
        let Ok(kept) = serde_json::from_str::<Contents>(settings) else { return Ok(()) };
        match kept.difference(&self.contents) {
            None => Ok(()),
            Some((key, wanted, found)) => {
                Err(DataSetError::OtherLabels { path: shell_word(&self.folder), key, found, wanted })
            }
        }
    }

    /// Checks that the samples were made elsewhere, so that others may be added.
    ///
    /// # Errors
    /// Returns an error if they are labels, which follow from their settings.
    pub fn check_made_elsewhere(&self) -> Result<(), DataSetError> {
        match self.contents.positions {
            0 => Ok(()),
            _ => Err(DataSetError::Labels { path: shell_word(&self.folder) }),
        }
    }

    /// Returns the number of shards.
    pub fn shards(&self) -> usize {
        self.contents.shards.len()
    }

    /// Returns the number of samples.
    pub fn samples(&self) -> usize {
        self.contents.samples
    }

    /// Checks that a run on this board can learn from the data set, and that all its files are those that
    /// were written.
    ///
    /// # Errors
    /// Returns an error if it is of another board, if it has no shard, or if a shard cannot be read or is
    /// another one.
    pub fn check(&self, board: Board) -> Result<(), DataSetError> {
        self.check_board(board)?;
        if self.contents.shards.is_empty() {
            let path = shell_word(&self.folder);
            return Err(DataSetError::NotADataSet { path, why: "it has no shard yet".into() });
        }
        (0..self.shards()).try_for_each(|index| self.read(index).map(drop))
    }

    /// Reads the file of a shard, which is the one that was written.
    fn read(&self, index: usize) -> Result<Vec<u8>, DataSetError> {
        let path = self.folder.join(shard_name(index));
        let name = || shell_word(&path);
        let bytes = read_regular(&path, MAX_SHARD).map_err(|error| DataSetError::Read { path: name(), error })?;
        let is_listed = digest(&bytes) == self.contents.shards[index].checksum;
        if is_listed { Ok(bytes) } else { Err(DataSetError::Changed { path: name() }) }
    }

    fn check_board(&self, board: Board) -> Result<(), DataSetError> {
        if self.contents.board == board.to_string() {
            return Ok(());
        }
        let (path, found) = (shell_word(&self.folder), self.contents.board.clone());
        Err(DataSetError::OtherBoard { path, found, board })
    }

    /// Returns the board, as it is written in `dataset.json`.
    pub fn board(&self) -> &str {
        &self.contents.board
    }

    /// Reads the shard for a generation, counted from 1. After the last shard comes the first again.
    ///
    /// # Errors
    /// Returns an error if the shard cannot be read, or is not the one that was written.
    ///
    /// # Panics
    /// Panics if there are no shards.
    pub fn shard_of(&self, generation: u64) -> Result<Shard, DataSetError> {
        let index = (generation.max(1) - 1) as usize % self.shards();
        let name = shell_word(self.folder.join(shard_name(index)));
        let shard = Shard::from_bytes(&self.read(index)?, &name)?;
        let is_listed = shard.board.to_string() == self.contents.board
            && shard.samples.len() == self.contents.shards[index].samples;
        if is_listed { Ok(shard) } else { Err(DataSetError::Changed { path: name }) }
    }

    /// Returns the generations whose shards are missing or other ones than were written.
    pub fn damaged(&self) -> Vec<u64> {
        (0..self.shards()).filter(|&index| self.read(index).is_err()).map(|index| index as u64 + 1).collect()
    }

    /// Puts back the shard of a generation.
    ///
    /// # Errors
    /// Returns an error if it is not the one that was there, or if the file cannot be written.
    ///
    /// # Panics
    /// Panics if there was no shard of this generation.
    pub fn put_back(&self, generation: u64, shard: &Shard) -> Result<(), DataSetError> {
        let index = generation as usize - 1;
        let (path, bytes) = (self.folder.join(shard_name(index)), shard.to_bytes());
        if digest(&bytes) != self.contents.shards[index].checksum {
            return Err(DataSetError::Changed { path: shell_word(&path) });
        }
        write_whole(&path, &bytes).map_err(|error| DataSetError::Write { path: shell_word(&path), error })
    }

    /// Adds a shard.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written.
    pub fn push(&mut self, shard: &Shard) -> Result<(), DataSetError> {
        let file = shard_name(self.shards());
        let (path, bytes) = (self.folder.join(&file), shard.to_bytes());
        write_whole(&path, &bytes).map_err(|error| DataSetError::Write { path: shell_word(&path), error })?;
        let samples = shard.samples.len();
        self.contents.samples += samples;
        self.contents.shards.push(ShardEntry { file, samples, checksum: digest(&bytes) });
        self.write_contents()
    }

    fn write_contents(&self) -> Result<(), DataSetError> {
        let path = self.folder.join(CONTENTS);
        let text = serde_json::to_string_pretty(&self.contents).expect("numbers and names can be written as JSON");
        let written = write_whole(&path, format!("{text}\n").as_bytes());
        written.map_err(|error| DataSetError::Write { path: shell_word(&path), error })
    }
}

/// Returns the name of the file of a shard.
fn shard_name(index: usize) -> String {
    format!("labels-{:06}.shard", index + 1)
}

/// Returns the checksum of a shard's bytes without the checksum at their end, in hexadecimal digits.
fn digest(bytes: &[u8]) -> String {
    format!("{:016x}", checksum(&bytes[..bytes.len().saturating_sub(8)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::labeled::label_positions;

    fn config(set: &[&str]) -> Config {
        let set: Vec<String> = set.iter().map(|text| text.to_string()).collect();
        Config::parse("board = \"2x3\"\nlabeled.positions = 20\nlabeled.nodes = 100000", "data", &set).unwrap()
    }

    fn shard(config: &Config, generation: u64) -> Shard {
        label_positions(config, generation, &|| ())
    }

    #[test]
    fn shards_come_back_in_their_order_and_again() {
        let folder = tempfile::tempdir().unwrap();
        let config = config(&[]);
        let mut data_set = DataSet::create(folder.path(), &config).unwrap();
        let shards = [1, 2].map(|generation| shard(&config, generation));
        assert!(shards[0] != shards[1] && !shards[0].samples.is_empty());
        shards.iter().for_each(|shard| data_set.push(shard).unwrap());
        let again = DataSet::create(folder.path(), &config).unwrap();
        again.check_settings(&data_set.settings()).unwrap();
        assert_eq!((again.shards(), again.samples()), (2, shards.iter().map(|shard| shard.samples.len()).sum()));
        for (generation, index) in [(1, 0), (2, 1), (3, 0), (8, 1)] {
            assert_eq!(again.shard_of(generation).unwrap(), shards[index]);
        }
        again.check(config.board).unwrap();
        let error = again.check("3x3".parse().unwrap()).unwrap_err();
        assert!(matches!(error, DataSetError::OtherBoard { .. }), "{error}");
    }

    #[test]
    fn a_beginning_that_was_cut_off_is_begun_again() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("dataset.json.partial"), "{").unwrap();
        DataSet::create(folder.path(), &config(&[])).unwrap();
        let other = tempfile::tempdir().unwrap();
        std::fs::write(other.path().join("notes.txt"), "mine").unwrap();
        assert!(matches!(DataSet::create(other.path(), &config(&[])), Err(DataSetError::NotEmpty { .. })));
    }

    #[test]
    fn samples_of_elsewhere_have_a_data_set_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let config = config(&[]);
        let mut data_set = DataSet::open_or_begin(folder.path(), config.board).unwrap();
        data_set.push(&shard(&config, 1)).unwrap();
        let again = DataSet::open_or_begin(folder.path(), config.board).unwrap();
        assert_eq!((again.shards(), again.board()), (1, "2x3"));
        let error = DataSet::open_or_begin(folder.path(), "2x2".parse().unwrap()).unwrap_err();
        assert!(matches!(error, DataSetError::OtherBoard { .. }), "{error}");
        let error = DataSet::create(folder.path(), &config).unwrap_err();
        assert!(matches!(error, DataSetError::OtherSettings { key: "seed", .. }), "{error}");
    }

    #[test]
    fn a_generation_of_a_run_has_the_same_labels() {
        use crate::{Orders, Session, play_all};
        let config = config(&["learn.edge_loss=1", "network.channels=16", "network.blocks=0", "selfplay.games=1"]);
        let weights = doublecross_run::initial_weights(config.board, config.network.architecture(), 1);
        let orders = Orders::new(&config, 3, weights, Vec::new(), &doublecross_proof::Books::default());
        let labeled = play_all(Session::new(orders)).items.into_iter().skip(1);
        let samples: Vec<crate::Sample> = labeled.flat_map(|item| item.samples).collect();
        assert_eq!(samples, shard(&config, 3).samples);
    }

    #[test]
    fn other_settings_and_damage_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let config = config(&[]);
        let mut data_set = DataSet::create(folder.path(), &config).unwrap();
        let error = data_set.check(config.board).unwrap_err();
        assert!(matches!(error, DataSetError::NotADataSet { .. }), "{error}");
        data_set.push(&shard(&config, 1)).unwrap();
        let refused = |set: &str| match DataSet::create(folder.path(), &self::config(&[set])) {
            Err(DataSetError::OtherSettings { key, .. }) => key,
            other => panic!("{set}: {other:?}"),
        };
        for (set, key) in [
            ("seed=2", "seed"),
            ("board=2x2", "board"),
            ("labeled.positions=9", "labeled.positions"),
            ("labeled.nodes=9", "labeled.nodes"),
            ("labeled.least_undrawn=8", "labeled.least_undrawn"),
            ("labeled.band_undrawn=3", "labeled.band_undrawn"),
            ("selfplay.table=9", "selfplay.table"),
        ] {
            assert_eq!(refused(set), key);
        }
        // Another whole shard in its place.
        shard(&config, 2).write(&folder.path().join(shard_name(0))).unwrap();
        assert!(matches!(data_set.shard_of(1), Err(DataSetError::Changed { .. })));
        assert!(matches!(data_set.check(config.board), Err(DataSetError::Changed { .. })));
        std::fs::write(folder.path().join(shard_name(0)), "none").unwrap();
        assert!(matches!(data_set.shard_of(1), Err(DataSetError::Changed { .. })));
        std::fs::remove_file(folder.path().join(shard_name(0))).unwrap();
        assert!(matches!(data_set.check(config.board), Err(DataSetError::Read { .. })));
        assert_eq!(data_set.damaged(), [1]);
        assert!(matches!(data_set.put_back(1, &shard(&config, 2)), Err(DataSetError::Changed { .. })));
        data_set.put_back(1, &shard(&config, 1)).unwrap();
        assert!(data_set.damaged().is_empty() && data_set.check(config.board).is_ok());
        let contents = std::fs::read_to_string(folder.path().join(CONTENTS)).unwrap();
        for (from, to) in [("labels-000001", "../labels-000001"), ("\"samples\": ", "\"samples\": 9")] {
            std::fs::write(folder.path().join(CONTENTS), contents.replacen(from, to, 1)).unwrap();
            assert!(matches!(DataSet::open(folder.path()), Err(DataSetError::NotADataSet { .. })), "{to}");
        }
        let samples = contents.replace("\"samples\": ", "\"samples\": 9");
        std::fs::write(folder.path().join(CONTENTS), samples).unwrap();
        assert!(matches!(DataSet::open(folder.path()).unwrap().shard_of(1), Err(DataSetError::Changed { .. })));
        std::fs::write(folder.path().join(CONTENTS), "{}").unwrap();
        assert!(matches!(DataSet::open(folder.path()), Err(DataSetError::NotADataSet { .. })));
        // Shards without it are not overwritten.
        std::fs::remove_file(folder.path().join(CONTENTS)).unwrap();
        assert!(matches!(DataSet::create(folder.path(), &config), Err(DataSetError::NotEmpty { .. })));
    }
}
