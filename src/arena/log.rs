//! Logs of matches: one game on each line, as a JSON object (docs/protocol.md).

use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Game, GameRecord, Times};
use crate::board::{Board, Edge, MAX_EDGES, Position, TextError};
use crate::net::Isa;

/// A game as it is logged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedGame {
    /// The board, as in `5x5`.
    pub board: String,
    /// The names of the bots of seat 0 and seat 1.
    pub bots: [String; 2],
    /// The match's nonce.
    pub nonce: u64,
    /// The number of moves that were drawn before the bots were asked.
    pub opening: usize,
    /// The numbers of all edges, in the order in which they were drawn.
    pub moves: Vec<usize>,
    /// The number of boxes of each seat.
    pub scores: [usize; 2],
    /// The number of illegal or missing actions of each seat.
    pub faults: [usize; 2],
    /// The time that each seat took for all its moves, in seconds.
    pub seconds: [f64; 2],
    /// The time of each seat's longest move, in seconds.
    pub longest: [f64; 2],
    /// The instruction set that networks ran on, which logs of earlier versions lack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isa: Option<String>,
}

impl LoggedGame {
    /// Returns the logged form of a game between the bots `names`, whose networks ran on `isa`
    /// unless their names say otherwise.
    pub fn new(board: Board, names: [&str; 2], isa: Isa, game: &Game) -> LoggedGame {
        let GameRecord { moves, scores, faults } = &game.record;
        let Times { total, longest } = game.times;
        LoggedGame {
            board: board.to_string(),
            bots: [names[game.first], names[1 - game.first]].map(String::from),
            nonce: game.nonce,
            opening: game.opening,
            moves: moves.iter().map(|edge| edge.index()).collect(),
            scores: *scores,
            faults: *faults,
            seconds: total,
            longest,
            isa: Some(isa.name().into()),
        }
    }

    /// Replays the game by the rules, and returns its board and edges.
    ///
    /// # Errors
    /// Returns a description of the first error if the moves are not a whole game with this score.
    pub fn replay(&self) -> Result<(Board, Vec<Edge>), String> {
        let board: Board = self.board.parse().map_err(|error: TextError| error.to_string())?;
        let mut position = Position::new(board);
        let (mut moves, mut missable) = (Vec::new(), [0; 2]);
        for (turn, &index) in self.moves.iter().enumerate() {
            let edge = Edge::new(index.min(MAX_EDGES - 1));
            // On a fault the first undrawn edge is drawn.
            missable[position.mover()] += (turn >= self.opening && position.undrawn().lowest() == Some(edge)) as usize;
            if index >= MAX_EDGES || position.play(edge).is_err() {
                return Err(format!("move {} draws edge {index}, which cannot be drawn", turn + 1));
            }
            moves.push(edge);
        }
        if !position.is_over() {
            return Err(format!("ends after {} of {} moves", moves.len(), board.edges()));
        }
        if position.scores() != self.scores {
            return Err(format!("ends {:?}, but its scores are {:?}", position.scores(), self.scores));
        }
        if self.faults.iter().zip(missable).any(|(&faults, missable)| faults > missable) {
            return Err(format!("has {:?} faults where at most {missable:?} are possible", self.faults));
        }
        if self.opening > moves.len() {
            return Err(format!("an opening of {} moves is longer than the game", self.opening));
        }
        Ok((board, moves))
    }
}

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
pub type LogContents = (Vec<(usize, LoggedGame)>, Vec<(usize, String)>);

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
    for (index, line) in text.split(|&byte| byte == b'\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty())
    {
        match serde_json::from_slice(line) {
            Ok(game) => games.push((index + 1, game)),
            Err(error) => damaged.push((index + 1, error.to_string())),
        }
    }
    (games, damaged)
}
