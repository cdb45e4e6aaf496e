//! The log of a proof: an append-only file of lemmas.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use doublecross_core::board::Board;
use doublecross_core::solver::Lemma;

use super::log_file;
use super::log_file::{OpenLog, Source};
use super::{Contradiction, DamagedLines, LemmaSet, Origin, format_lemma, parse_lemma};
use doublecross_core::shell::shell_word;

/// An error of a log.
#[derive(Debug, Error)]
pub enum LogError {
    /// The log cannot be read.
    #[error("cannot read {path}: {error}")]
    Read {
        /// The path of the log.
        path: String,
        /// The cause.
        error: io::Error,
    },
    /// The log cannot be written.
    #[error("cannot write {path}: {error}")]
    Write {
        /// The path of the log.
        path: String,
        /// The cause.
        error: io::Error,
    },
    /// The file is not a log that can be written to.
    #[error(
        "{path} is no log to write to: it is compressed, or no log of a proof (name a new file, or an uncompressed log)"
    )]
    Foreign {
        /// The path of the file.
        path: String,
    },
    /// Another process writes to the log.
    #[error("{path} is in use by another proof; wait for it, or give this one another log and merge them later")]
    Busy {
        /// The path of the log.
        path: String,
    },
    /// A lemma is of another board.
    #[error("{origin}: {found} is not a position of {expected}")]
    Board {
        /// The place of the lemma.
        origin: Origin,
        /// The position.
        found: String,
        /// The board of the proof.
        expected: String,
    },
    /// Two lemmas contradict each other.
    #[error(transparent)]
    Contradiction(#[from] Box<Contradiction>),
}

/// A log that this process alone writes to.
///
/// Lines that are damaged are left out and counted, as each line is true or not for itself.
///
/// ```no_run
/// use doublecross_core::board::State;
/// use doublecross_proof::ProofLog;
/// use doublecross_core::solver::Solver;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let state: State = "3x4".parse()?;
/// let mut solver = Solver::new(state.board(), 1 << 20);
/// let mut log = ProofLog::open("3x4.log".as_ref(), state.board())?;
/// log.lemmas().by_work().iter().for_each(|lemma| solver.handle().add_lemma(lemma));
/// solver.handle().keep_lemmas(10_000);
/// assert_eq!(solver.margin(state, u64::MAX), Some(0));
/// log.append(&solver.handle().take_lemmas())?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ProofLog {
    path: PathBuf,
    file: OpenLog,
    /// The number of lines.
    lines: usize,
    damaged: DamagedLines,
    lemmas: LemmaSet,
    /// The lines from which on another machine's lemmas stand there, and its name.
    sources: Vec<(usize, String)>,
    /// The machines whose lemmas are not wanted any more, with the lines that say so.
    banned: Vec<(usize, String)>,
}

/// The lemmas that were appended, and those that were not.
#[derive(Debug, Default)]
pub struct Appended {
    /// Those that the log has now and had not before, as it has them.
    pub lemmas: Vec<Lemma>,
    /// The reasons for which others were left out.
    pub contradictions: Vec<Contradiction>,
}

/// The start of a comment that names the machine of the lemmas behind it.
const SOURCE: &str = "# by ";

/// The start of a comment that names a machine whose lemmas were taken out, and are not wanted any
/// more.
const BANNED: &str = "# banned ";

impl ProofLog {
    /// Opens or creates a log, and reads its lemmas. A pipe or a device is a log without any.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read or written, is in use, holds lemmas of another
    /// board, or contradicts itself.
    pub fn open(path: &Path, board: Board) -> Result<ProofLog, LogError> {
        let file = log_file::open(path)?;
        let (damaged, lemmas) = (DamagedLines::default(), LemmaSet::new(board));
        let (sources, banned) = (Vec::new(), Vec::new());
        let mut log = ProofLog { path: path.into(), file, lines: 0, damaged, lemmas, sources, banned };
        log.read()?;
        Ok(log)
    }

    fn read(&mut self) -> Result<(), LogError> {
        let Some(file) = self.file.readable() else { return Ok(()) };
        let source = Source::Locked(file, &self.path);
        self.lemmas = LemmaSet::new(self.lemmas.board());
        (self.lines, self.damaged) = self.lemmas.read_lines(source)?;
        self.sources.clear();
        self.banned.clear();
        let (sources, banned) = (&mut self.sources, &mut self.banned);
        log_file::for_each_comment(source, &mut |text, line| {
            if let Some(name) = text.strip_prefix(SOURCE) {
                sources.push((line, name.into()));
            } else if let Some(name) = text.strip_prefix(BANNED) {
                banned.push((line, name.into()));
            }
        })
    }

    /// Returns what the log says.
    pub fn lemmas(&self) -> &LemmaSet {
        &self.lemmas
    }

    /// Returns the number of lines.
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// Returns the lines that were left out when the log was opened.
    pub fn damaged(&self) -> &DamagedLines {
        &self.damaged
    }

    /// Appends the lemmas that say more than the log does, and returns their number.
    ///
    /// # Errors
    /// Returns an error if the log cannot be written, or a lemma contradicts it. The others are
    /// appended.
    pub fn append(&mut self, lemmas: &[Lemma]) -> Result<usize, LogError> {
        let Appended { lemmas, contradictions } = self.append_of("", lemmas)?;
        match contradictions.into_iter().next() {
            None => Ok(lemmas.len()),
            Some(contradiction) => Err(Box::new(contradiction).into()),
        }
    }

    /// Appends lemmas of another machine, or of this one if the name is empty, that say more than
    /// the log does and do not contradict it. A comment says whose they are.
    ///
    /// # Errors
    /// Returns an error if the log cannot be written.
    pub fn append_of(&mut self, machine: &str, lemmas: &[Lemma]) -> Result<Appended, LogError> {
        let name: std::sync::Arc<str> = shell_word(&self.path).into();
        let mut appended = Appended::default();
        let is_other = self.sources.last().map_or("", |(_, name)| name) != machine;
        let mut text = if is_other { format!("{SOURCE}{machine}\n") } else { String::new() };
        let first = self.lines + usize::from(is_other);
        for lemma in lemmas {
            let lemma = Lemma { state: lemma.state.canonical().0, ..*lemma };
            let origin = Origin { log: name.clone(), line: first + appended.lemmas.len() + 1 };
            match self.lemmas.add(&lemma, &origin) {
                Ok(true) => {
                    text += &format_lemma(&lemma);
                    text.push('\n');
                    appended.lemmas.push(lemma);
                }
                Ok(false) => {}
                Err(contradiction) => appended.contradictions.push(contradiction),
            }
        }
        if !appended.lemmas.is_empty() {
            self.file.append(&text).map_err(|error| LogError::Write { path: shell_word(&self.path), error })?;
            if is_other {
                self.sources.push((self.lines + 1, machine.into()));
            }
            self.lines = first + appended.lemmas.len();
        }
        Ok(appended)
    }

    /// Returns the machine that the lemma on a line is of, or an empty name.
    pub fn source_of(&self, line: usize) -> &str {
        let sources = self.sources.iter().take_while(|(first, _)| *first <= line);
        sources.last().map_or("", |(_, name)| name)
    }

    /// Returns the machines that were [banned](ProofLog::ban), each once.
    pub fn banned(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.banned.iter().map(|(_, name)| name.as_str())
    }

    /// Returns `true` if a machine was [banned](ProofLog::ban).
    pub fn is_banned(&self, machine: &str) -> bool {
        self.banned().any(|name| name == machine)
    }

    /// Takes everything out of the log that was appended since the first lemma of a machine, and
    /// returns the number of lines. They are kept in a file beside the log, whose name ends with
    /// `.refused`. A comment in the log says whose lemmas are not wanted any more.
    ///
    /// # Errors
    /// Returns an error if the log or the other file cannot be written.
    pub fn ban(&mut self, machine: &str) -> Result<usize, LogError> {
        let failed = |error| LogError::Write { path: shell_word(&self.path), error };
        let line = |name: &str| format!("{BANNED}{name}\n");
        let (first, file) = match (self.sources.iter().find(|(_, name)| name == machine), &mut self.file) {
            (Some(&(first, _)), OpenLog::File(file)) => (first, file),
            (_, file) => {
                file.append(&line(machine)).map_err(failed)?;
                self.lines += 1;
                self.banned.push((self.lines, machine.into()));
                return Ok(0);
            }
        };
        // The comments of earlier bans that are taken out with it come back.
        let earlier = self.banned.iter().filter(|(at, name)| *at >= first && name != machine);
        let bans: String = earlier.map(|(_, name)| line(name)).chain([line(machine)]).collect();
        let cut = self.lines + 1 - first;
        log_file::cut(file, &self.path, first, &bans).map_err(failed)?;
        self.read()?;
        Ok(cut)
    }

    /// Waits until the log is on the disk.
    ///
    /// # Errors
    /// Returns an error if the log cannot be written.
    pub fn sync(&self) -> Result<(), LogError> {
        self.file.sync().map_err(|error| LogError::Write { path: shell_word(&self.path), error })
    }
}

impl LemmaSet {
    /// Adds the lemmas of a log, decompressed if it is gzip, and returns its damaged
    /// lines.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read, holds lemmas of another board, or contradicts
    /// what is known.
    pub fn read(&mut self, path: &Path) -> Result<DamagedLines, LogError> {
        self.read_lines(Source::Path(path)).map(|(_, damaged)| damaged)
    }

    /// Does the same, and returns the number of lines too.
    fn read_lines(&mut self, source: Source) -> Result<(usize, DamagedLines), LogError> {
        let mut damaged = DamagedLines::default();
        let lines = log_file::for_each_line(source, &mut |text, origin| {
            let lemma = match parse_lemma(text) {
                Ok(lemma) => lemma,
                Err(error) => {
                    damaged.add(origin, error);
                    return Ok(());
                }
            };
            if lemma.state.board() != self.board() {
                let (found, expected) = (lemma.state.to_string(), self.board().to_string());
                return Err(LogError::Board { origin, found, expected });
            }
            self.add(&lemma, &origin).map_err(|contradiction| LogError::from(Box::new(contradiction)))?;
            Ok(())
        })?;
        Ok((lines, damaged))
    }
}

/// Returns the board of a log, or `None` if it has no line that can be read.
///
/// # Errors
/// Returns an error if the log cannot be read.
pub fn board_of(path: &Path) -> Result<Option<Board>, LogError> {
    let mut board = None;
    log_file::for_each_line(Source::Path(path), &mut |text, _| {
        board = board.or_else(|| parse_lemma(text).ok().map(|lemma| lemma.state.board()));
        Ok(())
    })?;
    Ok(board)
}
