//! The files of the page.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use flate2::Compression;
use flate2::read::GzEncoder;
use serde_json::{Value, json};
use thiserror::Error;

use super::followed_run::{FollowedRun, Progress};
use crate::export::{WasmError, wasm_module};
use doublecross::built_in::built_in;
use doublecross_core::board::Board;
use doublecross_core::mix::checksum;
use doublecross_core::net::{Architecture, Weights, WeightsError};
use doublecross_files::OutputFolder;
use doublecross_run::initial_weights;

/// The name and the bytes of each file of the page that does not depend on the bots.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// The name of the networks that the program brings with it.
const PRETRAINED: &str = "pretrained";

/// The name of the network that plays the boards that no other was trained for.
const OTHERS: &str = "others";

/// The name of the module for bots that play without a network.
const LEVELS: &str = "levels";

/// The path of the list of bots, which also lists the training runs.
const BOTS: &str = "bots.json";

/// The path of the list of files with their checksums, from which a browser sees what it has to load anew.
const LIST: &str = "files.json";

/// The most boxes along a side of the page's boards, as in rules.js.
const LONGEST_SIDE: usize = 9;

/// The fewest bytes of a file that is worth compressing.
const MIN_COMPRESSED: usize = 1000;

/// The extensions of files that are compressed already.
const COMPRESSED: [&str; 2] = ["png", "woff2"];

/// Simulations and solver nodes of the modules as bots of an arena. The page itself sends a budget
/// with each question.
const BUDGET: (u32, u32) = (200, 50_000);

/// A file of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path within the page's folder, with `/` between its parts.
    pub path: String,
    /// The contents.
    pub bytes: Cow<'static, [u8]>,
    checksum: OnceLock<u64>,
    gzip: OnceLock<Vec<u8>>,
}

impl File {
    pub(super) fn new(path: impl Into<String>, bytes: impl Into<Cow<'static, [u8]>>) -> File {
        File { path: path.into(), bytes: bytes.into(), checksum: OnceLock::new(), gzip: OnceLock::new() }
    }

    /// The checksum of the contents, computed on first use.
    pub fn checksum(&self) -> u64 {
        *self.checksum.get_or_init(|| checksum(&self.bytes))
    }

    /// Returns `true` if the file is worth compressing.
    pub fn is_compressible(&self) -> bool {
        self.bytes.len() >= MIN_COMPRESSED && !COMPRESSED.contains(&self.extension())
    }

    fn extension(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or_default()
    }

    /// The contents compressed by gzip, computed on first use.
    pub fn gzip(&self) -> &[u8] {
        self.gzip.get_or_init(|| {
            let mut compressed = Vec::new();
            // Reading from memory and writing to it cannot fail.
            let _ = GzEncoder::new(&*self.bytes, Compression::default()).read_to_end(&mut compressed);
            compressed
        })
    }

    /// The media type, by the extension of the path.
    pub fn media_type(&self) -> &'static str {
        match self.extension() {
            "html" => "text/html; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            "json" => "application/json",
            "png" => "image/png",
            "svg" => "image/svg+xml",
            "txt" => "text/plain; charset=utf-8",
            "wasm" => "application/wasm",
            "webmanifest" => "application/manifest+json",
            "woff2" => "font/woff2",
            _ => "application/octet-stream",
        }
    }
}

/// An error in a bot of the page.
#[derive(Debug, Error)]
pub enum SiteError {
    /// The bytes are not a weights file, or it is damaged.
    #[error("{name}: {error}")]
    Weights {
        /// The name of the bot.
        name: String,
        /// The error.
        error: WeightsError,
    },
    /// The bot's board is not one of the page.
    #[error("{name}: it plays {board}; the page has boards of up to {LONGEST_SIDE} boxes along a side")]
    Board {
        /// The name of the bot.
        name: String,
        /// The board.
        board: Board,
    },
    /// The module cannot be written.
    #[error("{name}: {error}")]
    Module {
        /// The name of the bot.
        name: String,
        /// The error.
        error: WasmError,
    },
}

/// The page with its bots, and training runs to watch.
#[derive(Debug)]
pub struct Site {
    files: Vec<Arc<File>>,
    /// The progress of each run.
    progress: Vec<Progress>,
}

impl Site {
    /// Returns a page with the networks of these weights files, and with the progress of the training
    /// runs. `given` are networks to play against, by their names: the page opens with the first one
    /// as the opponent. The levels are played, and positions analyzed, by the `pretrained` networks of
    /// their boards, and on boards that no network was trained for by that of `others`.
    ///
    /// # Errors
    /// Returns an error if a weights file is damaged or for a board that the page does not have.
    pub fn new(
        given: &[(String, Vec<u8>)],
        pretrained: &[&[u8]],
        others: &[u8],
        runs: &[FollowedRun],
    ) -> Result<Site, SiteError> {
        let mut files: Vec<File> = FILES.iter().map(|&(path, bytes)| File::new(path, bytes)).collect();
        let mut listed: Vec<Value> = Vec::new();
        let own = given.iter().map(|(name, weights)| (&**name, &**weights, true));
        let networks = own.chain(pretrained.iter().map(|&weights| (PRETRAINED, weights, false)));
        for (number, (name, weights, is_given)) in networks.enumerate() {
            let weights = read(name, weights)?;
            let board = weights.board;
            if board.rows().max(board.cols()) > LONGEST_SIDE {
                return Err(SiteError::Board { name: name.into(), board });
            }
            let file = module(name, &weights, format!("bots/{}-{board}.wasm", number + 1))?;
            for board in std::iter::once(&board).chain(&weights.other_boards) {
                let board = board.to_string();
                listed.push(json!({ "board": board, "module": file.path, "name": name, "given": is_given }));
            }
            files.push(file);
        }
        let levels = module(LEVELS, &smallest_weights(), format!("bots/{LEVELS}.wasm"))?;
        let plays_others = module(OTHERS, &read(OTHERS, others)?, format!("bots/{OTHERS}.wasm"))?;
        let progress: Vec<Progress> =
            (1..).zip(runs).map(|(number, run)| Progress::new(run.path(number), run.progress())).collect();
        let watched: Vec<Value> = (runs.iter().zip(&progress))
            .map(|(run, progress)| json!({ "name": run.name, "progress": progress.path }))
            .collect();
        let list = json!({
            "bots": listed, "others": plays_others.path, "levels": levels.path, "runs": watched
        });
        let list = list.to_string();
        files.extend([plays_others, levels]);
        files.push(File::new(BOTS, list.into_bytes()));
        files.push(list_of(&files));
        Ok(Site { files: files.into_iter().map(Arc::new).collect(), progress })
    }

    /// Returns the file at a path within the page's folder, or the page itself for the empty path, or `None` if
    /// there is no such file.
    ///
    /// The progress of a training run is as it stands on disk. No other file of the machine can be
    /// reached.
    ///
    /// # Errors
    /// Returns an error if the progress is not a regular file, is too long or cannot be read.
    pub fn file(&self, path: &str) -> io::Result<Option<Arc<File>>> {
        let path = if path.is_empty() { "index.html" } else { path };
        if let Some(progress) = self.progress.iter().find(|progress| progress.path == path) {
            return progress.file().map(Some);
        }
        Ok(self.files.iter().find(|file| file.path == path).cloned())
    }

    /// The paths of all files within the page's folder.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| &*file.path).chain(self.progress.iter().map(|progress| &*progress.path))
    }

    /// Writes all files to a folder, with the progress of the training runs as it stands, and returns
    /// their paths and sizes in bytes.
    ///
    /// # Errors
    /// Returns an error if the folder or a file cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<Vec<(PathBuf, usize)>> {
        let progress = self.progress.iter().map(Progress::file).collect::<io::Result<Vec<_>>>()?;
        let folder = OutputFolder::create(folder)?;
        let files = self.files.iter().chain(&progress);
        files.map(|file| Ok((folder.write(&file.path, &file.bytes)?, file.bytes.len()))).collect()
    }
}

/// Returns the list of these files, with a version that changes with any of them.
fn list_of(files: &[File]) -> File {
    let sum = |file: &File| format!("{:016x}", file.checksum());
    let files: serde_json::Map<String, Value> =
        files.iter().map(|file| (file.path.clone(), sum(file).into())).collect();
    let version = checksum(Value::from(files.clone()).to_string().as_bytes());
    let list = json!({ "version": format!("{version:016x}"), "files": files });
    File::new(LIST, list.to_string().into_bytes())
}

/// Reads the weights file of a bot.
fn read(name: &str, weights: &[u8]) -> Result<Weights, SiteError> {
    Weights::from_bytes(weights).map_err(|error| SiteError::Weights { name: name.into(), error })
}

/// Returns weights that take up little room, for a module whose network nobody asks.
fn smallest_weights() -> Weights {
    let board = Board::new(1, 1).expect("there should be such a board");
    initial_weights(board, Architecture::new(16, 0, 4), 0)
}

/// Returns the file of a bot's module at a path of the page.
fn module(name: &str, weights: &Weights, path: String) -> Result<File, SiteError> {
    let book = built_in().books.of(weights.board).map(AsRef::as_ref);
    let module = wasm_module(&weights.to_bytes(), book, BUDGET.0, BUDGET.1);
    let module = module.map_err(|error| SiteError::Module { name: name.into(), error })?;
    Ok(File::new(path, module))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::followed_run::MAX_PROGRESS;
    use super::*;
    use doublecross::built_in::{NETWORK_OF_OTHERS, NETWORKS};

    fn followed(folder: &Path) -> FollowedRun {
        FollowedRun { name: "mine".into(), folder: folder.into() }
    }

    fn site(runs: &[FollowedRun]) -> Site {
        Site::new(&[], &NETWORKS, NETWORK_OF_OTHERS, runs).unwrap()
    }

    #[test]
    fn every_listed_bot_has_a_module() {
        let site = site(&[]);
        let list: Value = serde_json::from_slice(&site.file(BOTS).unwrap().unwrap().bytes).unwrap();
        assert_eq!(list["bots"].as_array().unwrap().len(), NETWORKS.len());
        let modules = list["bots"].as_array().unwrap().iter().map(|bot| &bot["module"]);
        for module in modules.chain([&list["others"], &list["levels"]]) {
            let module = site.file(module.as_str().unwrap()).unwrap().unwrap();
            assert_eq!((module.media_type(), &module.bytes[..4]), ("application/wasm", &b"\0asm"[..]));
        }
        let size = |path: &str| site.file(path).unwrap().unwrap().bytes.len();
        assert!(size("bots/levels.wasm") < 600_000 && size("bots/others.wasm") > 2_000_000);
        assert_eq!(list["runs"], json!([]));
        assert!(site.paths().all(|path| !path.starts_with("runs/")));
    }

    #[test]
    fn the_list_of_files_changes_with_any_of_them() {
        let list = |site: &Site| -> Value { serde_json::from_slice(&site.file(LIST).unwrap().unwrap().bytes).unwrap() };
        let first = site(&[]);
        let (known, again) = (list(&first), list(&site(&[])));
        assert_eq!(known, again);
        let paths: Vec<&str> = first.paths().filter(|&path| path != LIST).collect();
        let listed = known["files"].as_object().unwrap();
        assert!(listed.len() == paths.len() && paths.iter().all(|&path| listed.contains_key(path)));
        // The list of bots is another one, and so the version.
        let scratch = tempfile::tempdir().unwrap();
        let other = list(&site(&[followed(scratch.path())]));
        assert_eq!(listed["index.html"], other["files"]["index.html"]);
        assert_ne!((&listed["bots.json"], &known["version"]), (&other["files"]["bots.json"], &other["version"]));
    }

    #[test]
    fn no_other_file_can_be_reached() {
        let site = site(&[]);
        assert_eq!(site.file("").unwrap().unwrap().path, "index.html");
        for path in ["Cargo.toml", "../Cargo.toml", "/etc/passwd", "bots", "bots/", "bots/../index.html", "."] {
            assert!(site.file(path).unwrap().is_none(), "{path}");
        }
    }

    #[test]
    fn the_progress_of_a_run_is_read_anew_and_written() {
        let scratch = tempfile::tempdir().unwrap();
        let run = followed(scratch.path());
        let (site, path) = (site(std::slice::from_ref(&run)), run.path(1));
        assert_eq!(site.file(&path).unwrap().unwrap().bytes.len(), 0);
        fs::write(scratch.path().join("progress.jsonl"), "{}\n").unwrap();
        assert_eq!(&*site.file(&path).unwrap().unwrap().bytes, b"{}\n");
        // Of another run.
        assert_ne!(followed(&scratch.path().join("other")).path(1), path);
        let written = site.write(&scratch.path().join("page")).unwrap();
        assert_eq!(written.len(), FILES.len() + NETWORKS.len() + 5);
        assert!(written.iter().all(|(path, size)| fs::metadata(path).unwrap().len() == *size as u64));
    }

    #[test]
    fn several_runs_are_listed_by_name_and_each_has_its_own_progress() {
        let scratch = tempfile::tempdir().unwrap();
        let runs = ["slow", "fast"].map(|name| FollowedRun { name: name.into(), folder: scratch.path().join(name) });
        for run in &runs {
            fs::create_dir(&run.folder).unwrap();
            fs::write(run.progress(), &run.name).unwrap();
        }
        let site = site(&runs);
        let list: Value = serde_json::from_slice(&site.file(BOTS).unwrap().unwrap().bytes).unwrap();
        let listed = list["runs"].as_array().unwrap();
        assert_eq!(listed.len(), runs.len());
        for (run, listed) in runs.iter().zip(listed) {
            let file = site.file(listed["progress"].as_str().unwrap()).unwrap().unwrap();
            assert_eq!((listed["name"].as_str(), &*file.bytes), (Some(&*run.name), run.name.as_bytes()));
        }
        let page = scratch.path().join("page");
        site.write(&page).unwrap();
        assert_eq!(fs::read(page.join(runs[1].path(2))).unwrap(), b"fast");
    }

    #[cfg(unix)]
    #[test]
    fn only_a_regular_file_is_read_as_progress() {
        let scratch = tempfile::tempdir().unwrap();
        let run = followed(scratch.path());
        let (site, progress, path) = (site(std::slice::from_ref(&run)), run.progress(), run.path(1));
        std::os::unix::fs::symlink("/etc/passwd", &progress).unwrap();
        assert_eq!(site.file(&path).unwrap_err().to_string(), "it is a link");
        assert!(site.write(&scratch.path().join("page")).is_err() && !scratch.path().join("page").exists());
        fs::remove_file(&progress).unwrap();
        fs::File::create(&progress).unwrap().set_len(MAX_PROGRESS + 1).unwrap();
        assert!(run.check().unwrap_err().to_string().contains("more than 16777216 bytes"));
        fs::remove_file(&progress).unwrap();
        fs::create_dir(&progress).unwrap();
        assert_eq!(site.file(&path).unwrap_err().to_string(), "it is not a regular file");
    }

    #[test]
    fn given_networks_stand_beside_the_pretrained_ones() {
        let architecture = Architecture::new(16, 1, 8);
        let board = |rows, cols| Board::new(rows, cols).unwrap();
        let weights = initial_weights(board(3, 3), architecture, 1);
        let several = Weights { other_boards: vec![board(2, 2), board(2, 3)], ..weights.clone() };
        let given = [("several".to_string(), several.to_bytes()), ("one".to_string(), weights.to_bytes())];
        let site = Site::new(&given, &NETWORKS[..1], NETWORK_OF_OTHERS, &[]).unwrap();
        let list: Value = serde_json::from_slice(&site.file(BOTS).unwrap().unwrap().bytes).unwrap();
        let bot = |board: &str, module: &str, name: &str, is_given: bool| {
            assert!(site.file(module).unwrap().is_some());
            json!({ "board": board, "module": module, "name": name, "given": is_given })
        };
        let expected = [
            bot("3x3", "bots/1-3x3.wasm", "several", true),
            bot("2x2", "bots/1-3x3.wasm", "several", true),
            bot("2x3", "bots/1-3x3.wasm", "several", true),
            bot("3x3", "bots/2-3x3.wasm", "one", true),
            bot("5x5", "bots/3-5x5.wasm", "pretrained", false),
        ];
        assert_eq!(list["bots"].as_array().unwrap()[..], expected);
        assert_eq!(list["others"], "bots/others.wasm");
        let damaged = Site::new(&[("mine".into(), b"no weights".to_vec())], &[], NETWORK_OF_OTHERS, &[]);
        assert!(matches!(damaged, Err(SiteError::Weights { name, .. }) if name == "mine"));
    }

    #[test]
    fn boards_that_the_page_lacks_are_refused() {
        let architecture = Architecture::new(16, 1, 8);
        let bot = |rows, cols| {
            let weights = initial_weights(Board::new(rows, cols).unwrap(), architecture, 1).to_bytes();
            Site::new(&[("long".into(), weights)], &[], NETWORK_OF_OTHERS, &[])
        };
        assert!(bot(1, 9).is_ok());
        assert!(bot(1, 10).unwrap_err().to_string().starts_with("long: it plays 1x10; the page has boards"));
    }
}
