//! Logs of matches: one game on each line, as a JSON object (docs/protocol.md).

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::logged_game::begins_game;
use super::{LoggedGame, LoggedGameError};
use doublecross_core::protocol::{Lines, numbered_lines, trim_line};
use doublecross_files::AppendFile;

/// The time after which games in a log are on the disk.
const SYNC_INTERVAL: Duration = Duration::from_secs(10);

/// The most lines without a game that may stand before the first game of a log.
const LINES_BEFORE: usize = 100;

/// A log to which the games of a match are appended. Several matches may append to the same one.
#[derive(Debug)]
pub struct MatchLog {
    file: AppendFile,
    /// When the log was last synced.
    synced: Instant,
}

impl MatchLog {
    /// Opens a log or creates it. A pipe or a device is a log that holds nothing.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written, or holds something else.
    pub fn open(path: &Path) -> io::Result<MatchLog> {
        let log = MatchLog::open_any(path)?;
        log.file.readable().map_or(Ok(()), check)?;
        Ok(log)
    }

    /// Opens a log or creates it, whatever it holds.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn open_any(path: &Path) -> io::Result<MatchLog> {
        Ok(MatchLog { file: AppendFile::open(path)?, synced: Instant::now() })
    }

    /// Appends games. They are on the disk at most ten seconds before further ones.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written. It is as it was before then.
    pub fn append(&mut self, games: &[LoggedGame]) -> io::Result<()> {
        let mut lines = String::new();
        for game in games {
            lines += &(serde_json::to_string(game)? + "\n");
        }
        self.file.append(lines.as_bytes())?;
        if self.synced.elapsed() < SYNC_INTERVAL { Ok(()) } else { self.sync() }
    }

    /// Waits until all games are on the disk.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn sync(&mut self) -> io::Result<()> {
        self.synced = Instant::now();
        self.file.sync()
    }
}

/// Checks that a file may be appended to: that it has a game, or nothing but lines that were cut
/// short.
fn check(file: &File) -> io::Result<()> {
    let mut other = None;
    for (line, number) in Lines(io::BufReader::new(file)).zip(1..=LINES_BEFORE) {
        let line = line?;
        let line = trim_line(&line.bytes);
        match LoggedGame::parse(line) {
            Ok(_) => return Ok(()),
            // A power cut may leave anything in the place of a line's end.
            Err(LoggedGameError::CutShort | LoggedGameError::Json(_))
                if line.is_empty() || begins_game(line) || is_torn(line) => {}
            Err(_) => drop(other.get_or_insert(number)),
        }
    }
    match other {
        None => Ok(()),
        Some(number) => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("line {number} is no game (name a log of matches, or a new file)"),
        )),
    }
}

/// Returns `true` if bytes of a line that may have been a game are lost: there are zeros in their place.
fn is_torn(line: &[u8]) -> bool {
    matches!(line.first(), Some(b'{' | 0)) && line.contains(&0)
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

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = r#"{"board":"1x1","bots":["a","b"],"nonce":0,"opening":0,"moves":[0,1,2,3],"scores":[0,1],"faults":[0,0],"seconds":[0.0,0.0],"longest":[0.0,0.0]}"#;

    /// Returns the lines of a log of this text after a game was appended, or `None` if it is refused.
    fn appended(text: &str) -> Option<Vec<String>> {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("log");
        fs::write(&path, text).unwrap();
        let mut log = match MatchLog::open(&path) {
            Err(error) => {
                assert_eq!(
                    (error.kind(), fs::read_to_string(&path).unwrap()),
                    (io::ErrorKind::InvalidInput, text.into())
                );
                return None;
            }
            log => log.unwrap(),
        };
        log.append(&[LoggedGame::parse(GAME.as_bytes()).unwrap()]).unwrap();
        log.sync().unwrap();
        Some(fs::read_to_string(&path).unwrap().lines().map(String::from).collect())
    }

    #[test]
    fn a_log_goes_on_after_a_line_that_was_cut_short_at_any_byte() {
        for length in 0..GAME.len() {
            let torn = &GAME[..length];
            let expected: Vec<&str> = [torn, GAME].into_iter().filter(|line| !line.is_empty()).collect();
            assert_eq!(appended(torn).unwrap(), expected, "{torn}");
            assert_eq!(appended(&format!("{GAME}\n{torn}")).unwrap().last().unwrap(), GAME);
        }
        // As an earlier match left it.
        assert_eq!(appended(&format!("{}\n{GAME}\n", &GAME[..40])).unwrap().len(), 3);
    }

    #[test]
    fn what_is_no_log_is_left_alone() {
        for text in ["mine", "{\"seed\": 1}", "{\"board\":\"2x2\"}\n", "# a comment\n", "\n\nmine\n"] {
            assert_eq!(appended(text), None, "{text}");
        }
        assert_eq!(appended("damaged\n".repeat(3).as_str()), None);
        assert_eq!(appended(&format!("damaged\n{GAME}\n")).unwrap().len(), 3);
    }
}
