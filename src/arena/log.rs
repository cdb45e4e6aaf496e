//! The log of matches: a JSON object a line, written at once and read with care.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Game, GameRecord, Times};
use crate::board::{Board, Edge, MAX_EDGES, Position, TextError};
use crate::net::Isa;

/// One game as it is logged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedGame {
    /// The board, as `5x5`.
    pub board: String,
    /// The bots of seat 0 and seat 1, as they were named.
    pub bots: [String; 2],
    /// The match's nonce.
    pub nonce: u64,
    /// How many of the moves were drawn before the bots were asked.
    pub opening: usize,
    /// Every edge in the order drawn, by its number.
    pub moves: Vec<usize>,
    /// Boxes of each seat.
    pub scores: [usize; 2],
    /// Illegal or missing actions of each seat.
    pub faults: [usize; 2],
    /// How long each seat took, in seconds.
    pub seconds: [f64; 2],
    /// The longest move of each seat, in seconds.
    pub longest: [f64; 2],
    /// The instruction set that networks ran on; logs of before do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isa: Option<String>,
}

impl LoggedGame {
    /// A game between bots of these names, whose networks ran on this instruction set unless told another.
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

    /// The board and the edges, if the moves are a whole game by the rules with this score.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn replay(&self) -> Result<(Board, Vec<Edge>), String> {
        let board: Board = self.board.parse().map_err(|error: TextError| error.to_string())?;
        let mut position = Position::new(board);
        let (mut moves, mut missable) = (Vec::new(), [0; 2]);
        for (turn, &index) in self.moves.iter().enumerate() {
            let edge = Edge::new(index.min(MAX_EDGES - 1));
            // A fault draws the first undrawn edge.
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
            return Err(format!("ends {:?}, not {:?} as it says", position.scores(), self.scores));
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

/// Appends games to a log. A last line that was cut short is ended first, so that it spoils no other.
///
/// # Errors
/// When the file cannot be written.
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

/// A log's games with their line numbers, and what is wrong with the lines that are none.
pub type ReadLog = (Vec<(usize, LoggedGame)>, Vec<(usize, String)>);

/// Reads a log. Damaged lines are passed over and reported.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn read_log(path: &Path) -> io::Result<ReadLog> {
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
pub fn parse_log(text: &[u8]) -> ReadLog {
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
