//! The files of the page.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use thiserror::Error;

use crate::export::{WasmError, wasm_module};
use crate::net::{Weights, WeightsError};

/// The files named, with their bytes.
macro_rules! files {
    ($($name:literal),* $(,)?) => { &[$(($name, include_bytes!(concat!("site/", $name)) as &[u8])),*] };
}

/// Every file of the page that is the same for all bots.
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

/// The bots of the page, which name a training run's progress too.
const BOTS: &str = "bots.json";

/// Where the progress of a training run is found.
const PROGRESS: &str = "run/progress.jsonl";

/// What a module plays when the arena's border is used; the page gives its own budget with each question.
const BUDGET: (u32, u32) = (200, 50_000);

/// One file of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path from the page's folder, with `/` between the parts.
    pub path: String,
    /// What it holds.
    pub bytes: Cow<'static, [u8]>,
}

impl File {
    /// Its media type.
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

/// Why there is no page.
#[derive(Debug, Error)]
pub enum SiteError {
    /// The file is no weights file.
    #[error("{name}: {error}")]
    Weights {
        /// What the bot was called.
        name: String,
        /// What is wrong.
        error: WeightsError,
    },
    /// The network does not fit into a module.
    #[error("{name}: {error}")]
    Module {
        /// What the bot was called.
        name: String,
        /// What is wrong.
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
    /// A page with a bot for each weights file, by name; the first plays the boards that no other is made for.
    ///
    /// # Errors
    /// When a weights file is damaged.
    pub fn new(bots: &[(String, Cow<'_, [u8]>)], run: Option<&Path>) -> Result<Site, SiteError> {
        let mut files: Vec<File> =
            FILES.iter().map(|&(path, bytes)| File { path: path.into(), bytes: Cow::Borrowed(bytes) }).collect();
        let mut listed: Vec<Value> = Vec::new();
        for (number, (name, weights)) in bots.iter().enumerate() {
            let read = Weights::from_bytes(weights);
            let board = read.map_err(|error| SiteError::Weights { name: name.clone(), error })?.board;
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

    /// The file at a path, the page itself at the empty one; what a run in progress has written is read anew each time.
    /// No other file of the machine has a path.
    pub fn file(&self, path: &str) -> Option<Cow<'_, File>> {
        let path = if path.is_empty() { "index.html" } else { path };
        if let Some(progress) = self.run.as_ref().filter(|_| path == PROGRESS) {
            // A run that has not written yet has an empty curve.
            let bytes = Cow::Owned(fs::read(progress).unwrap_or_default());
            return Some(Cow::Owned(File { path: path.into(), bytes }));
        }
        self.files.iter().find(|file| file.path == path).map(Cow::Borrowed)
    }

    /// Writes every file into a folder, a run's progress as it stands, and gives their paths with their sizes.
    ///
    /// # Errors
    /// When the folder or a file cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<Vec<(PathBuf, usize)>> {
        let mut written = Vec::new();
        let progress = self.run.as_ref().and_then(|_| self.file(PROGRESS));
        for file in self.files.iter().chain(progress.as_deref()) {
            let path = folder.join(&file.path);
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(&path, &file.bytes)?;
            written.push((path, file.bytes.len()));
        }
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pretrained::PRETRAINED;

    fn site(run: Option<&Path>) -> Site {
        let bots: Vec<_> =
            PRETRAINED.iter().map(|((r, c), weights)| (format!("{r}x{c}"), Cow::Borrowed(*weights))).collect();
        Site::new(&bots, run).unwrap()
    }

    #[test]
    fn no_file_is_forgotten() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page/site");
        let mut files: Vec<String> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        files.sort();
        let mut listed: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
        listed.sort_unstable();
        assert_eq!(files, listed);
    }

    #[test]
    fn every_listed_bot_is_there() {
        let site = site(None);
        let list: Value = serde_json::from_slice(&site.file(BOTS).unwrap().bytes).unwrap();
        assert_eq!(list["bots"].as_array().unwrap().len(), PRETRAINED.len());
        for bot in list["bots"].as_array().unwrap() {
            let module = site.file(bot["module"].as_str().unwrap()).unwrap();
            assert_eq!((module.media_type(), &module.bytes[..4]), ("application/wasm", &b"\0asm"[..]));
        }
        assert_eq!(list["run"], Value::Null);
        assert!(site.file(PROGRESS).is_none());
    }

    #[test]
    fn nothing_else_has_a_path() {
        let site = site(None);
        assert_eq!(site.file("").unwrap().path, "index.html");
        for path in ["Cargo.toml", "../Cargo.toml", "/etc/passwd", "bots", "bots/", "bots/../index.html", "."] {
            assert!(site.file(path).is_none(), "{path}");
        }
    }

    #[test]
    fn a_run_is_read_as_it_grows_and_written_as_it_stands() {
        let scratch = tempfile::tempdir().unwrap();
        let site = site(Some(scratch.path()));
        assert_eq!(site.file(PROGRESS).unwrap().bytes.len(), 0);
        fs::write(scratch.path().join("progress.jsonl"), "{}\n").unwrap();
        assert_eq!(&*site.file(PROGRESS).unwrap().bytes, b"{}\n");
        let written = site.write(&scratch.path().join("page")).unwrap();
        assert_eq!(written.len(), FILES.len() + PRETRAINED.len() + 2);
        assert!(written.iter().all(|(path, size)| fs::metadata(path).unwrap().len() == *size as u64));
    }
}
