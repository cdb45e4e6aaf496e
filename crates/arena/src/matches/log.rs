//! Logs of matches: one game on each line, as a JSON object (docs/protocol.md).

use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::{LoggedGame, LoggedGameError};
use doublecross_core::protocol::{Lines, numbered_lines, trim_line};

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

/// Checks that a file may be appended to: that it does not exist, is empty, or begins with a game.
///
/// # Errors
/// Returns an error if it is something else or cannot be read.
pub fn check_log(path: &Path) -> io::Result<()> {
    let file = match fs::File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file?,
    };
    for line in Lines(io::BufReader::new(file)) {
        let line = line?;
        match trim_line(&line.bytes) {
            [] => {}
            line if LoggedGame::parse(line).is_ok() => return Ok(()),
            _ => {
                return Err(io::Error::other(
                    "its first line is not a game of a match (give a new file, or a match log)",
                ));
            }
        }
    }
    Ok(())
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
/// use doublecross_arena::parse_log;
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
