//! The files of the page.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use thiserror::Error;

use crate::board::Board;
use crate::export::{WasmError, wasm_module};
use crate::net::{Weights, WeightsError};
use crate::output_folder::OutputFolder;
use crate::train::files::read_regular;

/// Pairs of the name and the bytes of each file.
macro_rules! files {
    ($($name:literal),* $(,)?) => { &[$(($name, include_bytes!(concat!("site/", $name)) as &[u8])),*] };
}

/// The files of the page that do not depend on the bots.
const FILES: &[(&str, &[u8])] = files![
    "analysis-panel.js",
    "analysis.js",
    "board-view.js",
    "board.css",
    "bots.js",
    "chart.js",
    "dom.js",
    "driver.js",
    "geometry.js",
    "icon.svg",
    "index.html",
    "keys.js",
    "log.js",
    "main.js",
    "notation.js",
    "overlay.js",
    "panels.css",
    "play-panel.js",
    "progress.js",
    "puzzles.json",
    "results.js",
    "review-panel.js",
    "rules.js",
    "scores-panel.js",
    "stage.js",
    "strengths.js",
    "style.css",
    "table.js",
    "theme.js",
    "training-panel.js",
    "watch-panel.js",
    "words.js",
    "worker.js",
];

/// The path of the list of bots, which also says whether there is a training run.
const BOTS: &str = "bots.json";

/// The path of the progress of a training run.
const PROGRESS: &str = "run/progress.jsonl";

/// The most bytes of a run's progress: twenty thousand generations have fewer.
const MAX_PROGRESS: u64 = 16 << 20;

/// The most boxes along a side of the page's boards, as in rules.js.
const LONGEST_SIDE: usize = 9;

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
}

impl File {
    /// The media type, by the extension of the path.
    pub fn media_type(&self) -> &'static str {
        match self.path.rsplit('.').next() {
            Some("html") => "text/html; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("json") => "application/json",
            Some("svg") => "image/svg+xml",
            Some("wasm") => "application/wasm",
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

/// The page with its bots, and a training run to watch.
#[derive(Clone, Debug)]
pub struct Site {
    files: Vec<File>,
    run: Option<PathBuf>,
}

impl Site {
    /// Returns a page with a bot for each weights file, given with its name, and with the progress
    /// of the training run in the folder `run`. The page offers the bots of each board in this order. The first
    /// bot also plays the boards that none was trained for, without its network.
    ///
    /// # Errors
    /// Returns an error if a weights file is damaged or for a board that the page does not have.
    pub fn new(bots: &[(String, Cow<'_, [u8]>)], run: Option<&Path>) -> Result<Site, SiteError> {
        let mut files: Vec<File> =
            FILES.iter().map(|&(path, bytes)| File { path: path.into(), bytes: Cow::Borrowed(bytes) }).collect();
        let mut listed: Vec<Value> = Vec::new();
        for (number, (name, weights)) in bots.iter().enumerate() {
            let read = Weights::from_bytes(weights);
            let board = read.map_err(|error| SiteError::Weights { name: name.clone(), error })?.board;
            if board.rows().max(board.cols()) > LONGEST_SIDE {
                return Err(SiteError::Board { name: name.clone(), board });
            }
            let module = wasm_module(weights, BUDGET.0, BUDGET.1);
            let module = module.map_err(|error| SiteError::Module { name: name.clone(), error })?;
            let path = format!("bots/{}-{board}.wasm", number + 1);
            listed.push(json!({ "board": board.to_string(), "module": path, "name": name }));
            files.push(File { path, bytes: Cow::Owned(module) });
        }
        let list = json!({ "bots": listed, "run": run.map(|_| PROGRESS) }).to_string();
        files.push(File { path: BOTS.into(), bytes: Cow::Owned(list.into_bytes()) });
        Ok(Site { files, run: run.map(|folder| folder.join("progress.jsonl")) })
    }

    /// Returns the file at a path within the page's folder, or the page itself for the empty path, or `None` if
    /// there is no such file.
    ///
    /// The progress of a training run is read from disk each time. No other file of the machine can
    /// be reached.
    ///
    /// # Errors
    /// Returns an error if the progress is not a regular file, is too long or cannot be read.
    pub fn file(&self, path: &str) -> io::Result<Option<Cow<'_, File>>> {
        let path = if path.is_empty() { "index.html" } else { path };
        if let Some(progress) = self.run.as_ref().filter(|_| path == PROGRESS) {
            let bytes = match read_regular(progress, MAX_PROGRESS) {
                // A run that has not written its progress yet has an empty one.
                Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
                read => read?,
            };
            return Ok(Some(Cow::Owned(File { path: path.into(), bytes: Cow::Owned(bytes) })));
        }
        Ok(self.files.iter().find(|file| file.path == path).map(Cow::Borrowed))
    }

    /// Checks that the progress of the training run can be read, if there is one.
    ///
    /// # Errors
    /// Returns the error of [`file`](Site::file).
    pub fn check_progress(&self) -> io::Result<()> {
        self.file(PROGRESS).map(|_| ())
    }

    /// Writes all files to a folder, with the progress of a training run as it stands, and returns
    /// their paths and sizes in bytes.
    ///
    /// # Errors
    /// Returns an error if the folder or a file cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<Vec<(PathBuf, usize)>> {
        let progress = self.run.as_ref().map_or(Ok(None), |_| self.file(PROGRESS))?;
        let folder = OutputFolder::create(folder)?;
        let files = self.files.iter().chain(progress.as_deref());
        files.map(|file| Ok((folder.write(&file.path, &file.bytes)?, file.bytes.len()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::pretrained::PRETRAINED;

    fn site(run: Option<&Path>) -> Site {
        let bots: Vec<_> =
            PRETRAINED.iter().map(|((r, c), weights)| (format!("{r}x{c}"), Cow::Borrowed(*weights))).collect();
        Site::new(&bots, run).unwrap()
    }

    #[test]
    fn every_file_of_the_folder_is_listed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page/site");
        let mut files: Vec<String> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        files.sort();
        let mut listed: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
        listed.sort_unstable();
        assert_eq!(files, listed);
    }

    #[test]
    fn every_listed_bot_has_a_module() {
        let site = site(None);
        let list: Value = serde_json::from_slice(&site.file(BOTS).unwrap().unwrap().bytes).unwrap();
        assert_eq!(list["bots"].as_array().unwrap().len(), PRETRAINED.len());
        for bot in list["bots"].as_array().unwrap() {
            let module = site.file(bot["module"].as_str().unwrap()).unwrap().unwrap();
            assert_eq!((module.media_type(), &module.bytes[..4]), ("application/wasm", &b"\0asm"[..]));
        }
        assert_eq!(list["run"], Value::Null);
        assert!(site.file(PROGRESS).unwrap().is_none());
    }

    #[test]
    fn no_other_file_can_be_reached() {
        let site = site(None);
        assert_eq!(site.file("").unwrap().unwrap().path, "index.html");
        for path in ["Cargo.toml", "../Cargo.toml", "/etc/passwd", "bots", "bots/", "bots/../index.html", "."] {
            assert!(site.file(path).unwrap().is_none(), "{path}");
        }
    }

    #[test]
    fn the_progress_of_a_run_is_read_anew_and_written() {
        let scratch = tempfile::tempdir().unwrap();
        let site = site(Some(scratch.path()));
        assert_eq!(site.file(PROGRESS).unwrap().unwrap().bytes.len(), 0);
        fs::write(scratch.path().join("progress.jsonl"), "{}\n").unwrap();
        assert_eq!(&*site.file(PROGRESS).unwrap().unwrap().bytes, b"{}\n");
        let written = site.write(&scratch.path().join("page")).unwrap();
        assert_eq!(written.len(), FILES.len() + PRETRAINED.len() + 2);
        assert!(written.iter().all(|(path, size)| fs::metadata(path).unwrap().len() == *size as u64));
    }

    #[cfg(unix)]
    #[test]
    fn only_a_regular_file_is_read_as_progress() {
        let scratch = tempfile::tempdir().unwrap();
        let (site, progress) = (site(Some(scratch.path())), scratch.path().join("progress.jsonl"));
        std::os::unix::fs::symlink("/etc/passwd", &progress).unwrap();
        assert_eq!(site.file(PROGRESS).unwrap_err().to_string(), "it is a link");
        assert!(site.write(&scratch.path().join("page")).is_err() && !scratch.path().join("page").exists());
        fs::remove_file(&progress).unwrap();
        fs::File::create(&progress).unwrap().set_len(MAX_PROGRESS + 1).unwrap();
        assert!(site.check_progress().unwrap_err().to_string().contains("more than 16777216 bytes"));
        fs::remove_file(&progress).unwrap();
        fs::create_dir(&progress).unwrap();
        assert_eq!(site.file(PROGRESS).unwrap_err().to_string(), "it is not a regular file");
    }

    #[test]
    fn boards_that_the_page_lacks_are_refused() {
        use crate::net::Architecture;
        use crate::train::initial_weights;
        let architecture = Architecture { channels: 16, blocks: 1, value_hidden: 8 };
        let bot = |rows, cols| {
            let weights = initial_weights(Board::new(rows, cols).unwrap(), architecture, 1).to_bytes();
            Site::new(&[("long".into(), Cow::Owned(weights))], None)
        };
        assert!(bot(1, 9).is_ok());
        assert!(bot(1, 10).unwrap_err().to_string().starts_with("long: it plays 1x10; the page has boards"));
    }
}
