//! Logs of matches: one game on each line, as a JSON object (docs/protocol.md).

use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::{LoggedGame, LoggedGameError};
use crate::protocol::numbered_lines;

/// Appends games to a log. If the last line of the log was cut short, it is ended first, so that no
/// other line is damaged.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn append_log(path: &Path, games: &[LoggedGame]) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().create(true).read(true).append(true).open(path)?;
    let mut lines = String::new();
    if file.seek(SeekFrom::End(0))? > 0 {
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        lines.extend((last != *b"\n").then_some('\n'));
    }
    for game in games {
        lines += &(serde_json::to_string(game)? + "\n");
    }
    file.write_all(lines.as_bytes())
}

/// The games of a log, and the errors in damaged lines, each with its line number from 1 on.
pub type LogContents = (Vec<(usize, LoggedGame)>, Vec<(usize, LoggedGameError)>);

/// Reads a log. Damaged lines are passed over and reported.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn read_log(path: &Path) -> io::Result<LogContents> {
    Ok(parse_log(&fs::read(path)?))
}

/// Reads the text of a log, as [`read_log`] does.
///
/// ```
/// use doublecross::arena::parse_log;
/// let (games, damaged) = parse_log(b"{\"board\":\"2x2\",\n\nno game\n");
/// assert!(games.is_empty());
/// assert_eq!(damaged.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 3]);
/// ```
pub fn parse_log(text: &[u8]) -> LogContents {
    let (mut games, mut damaged) = (Vec::new(), Vec::new());
    for (number, line) in numbered_lines(text) {
        match LoggedGame::parse(line) {
            Ok(game) => games.push((number, game)),
            Err(error) => damaged.push((number, error)),
        }
    }
    (games, damaged)
}
