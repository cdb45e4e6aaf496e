//! The submission: the bot that is handed to an arena. Observation in, action out, and nothing else of the machine it runs on.

use std::fmt;

use crate::board::{Edge, Position};
use crate::bots::{Knowledge, SearchPlayer};
use crate::net::{CanaryError, Isa, Network, Weights, WeightsError};
use crate::protocol::respond;
use crate::search::Budget;

/// A bot that plays a network's board with it, and any other board with rollouts.
pub struct Submission {
    player: SearchPlayer,
}

/// Why a bot cannot be made of a weights file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubmissionError {
    /// The file is foreign or damaged.
    Weights(WeightsError),
    /// The engine does not reproduce here what training computed.
    Canary(CanaryError),
}

impl fmt::Display for SubmissionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SubmissionError::Weights(error) => error.fmt(f),
            SubmissionError::Canary(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SubmissionError {}

impl Submission {
    /// A bot with the weights of a file and a budget for each move, on an instruction set of this processor.
    ///
    /// # Errors
    /// Returns an error if the file is damaged, or the engine does not reproduce the canaries that it keeps.
    pub fn new(weights: &[u8], budget: Budget, isa: Isa) -> Result<Submission, SubmissionError> {
        Ok(Submission { player: SearchPlayer::new(knowledge(weights, isa)?, budget) })
    }

    /// The action for an observation, both as JSON. Whatever the bytes are, the answer is a well-formed action, and a
    /// legal one wherever the edges can be read.
    pub fn act(&mut self, observation: &[u8]) -> String {
        respond(observation, |position, _| self.choose(position))
    }

    /// The edge to draw in a position that is not over.
    ///
    /// # Panics
    /// Panics if the position is over.
    pub fn choose(&mut self, position: &Position) -> Edge {
        let player = self.player.player(position.board()).expect("rollouts know every board");
        if position.drawn().is_empty() {
            player.clear();
        }
        player.decide(position).edge
    }
}

/// The network of a weights file on its board, rollouts elsewhere, once the engine has reproduced the file's canaries.
pub(super) fn knowledge(weights: &[u8], isa: Isa) -> Result<Knowledge, SubmissionError> {
    let weights = Weights::from_bytes(weights).map_err(SubmissionError::Weights)?;
    let network = Network::checked(&weights, isa).map_err(SubmissionError::Canary)?;
    Ok(Knowledge::NetworkOrRollouts(network))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Edges};
    use crate::net::Architecture;
    use crate::protocol::{Json, format_observation, parse_action};
    use crate::train::{initial_weights, with_canaries};

    fn bot(board: Board) -> Submission {
        let architecture = Architecture { channels: 16, blocks: 0, value_hidden: 4 };
        let weights = with_canaries(initial_weights(board, architecture, 1)).to_bytes();
        Submission::new(&weights, Budget::new(2, 50), Isa::fastest()).unwrap()
    }

    #[test]
    fn damaged_weights_make_no_bot() {
        let weights =
            initial_weights(Board::new(2, 2).unwrap(), Architecture { channels: 16, blocks: 0, value_hidden: 4 }, 1);
        let mut bytes = weights.to_bytes();
        bytes[100] ^= 1;
        assert!(matches!(Submission::new(&bytes, Budget::new(1, 0), Isa::Portable), Err(SubmissionError::Weights(_))));
    }

    /// A hundred thousand observations, most of them damaged in some way: always a well-formed action, and a legal one
    /// wherever the edges of a known board can be read.
    #[test]
    fn any_observation_is_answered() {
        let mut state = 1u64;
        let mut number = |below: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        let mut bot = bot(Board::new(3, 3).unwrap());
        let sizes = [(3, 3), (2, 2), (1, 1), (5, 5), (1, 8), (4, 2)];
        let pieces = [
            "null",
            "NaN",
            "-1",
            "1e999",
            "18446744073709551616",
            "0.5",
            "\"\\ud800\"",
            "[[[[[[[[",
            "{}",
            "true",
            "\u{feff}",
            "\"",
            "]",
            ",",
            "{\"h\":",
            "9999999999",
            "\0",
        ];
        let mut legal = 0;
        for _ in 0..100_000 {
            // Sizes of the network's own board most of the time.
            let (rows, cols) = sizes[number(12).saturating_sub(6)];
            let board = Board::new(rows, cols).unwrap();
            let mut position = Position::new(board);
            for _ in 0..number(board.edges() + 1) {
                let edge = position.undrawn().iter().nth(number(position.undrawn().len())).unwrap();
                position.play(edge).unwrap();
            }
            let mut text = format_observation(&position, number(2), number(1000) as u64).into_bytes();
            match number(8) {
                0 => text.truncate(number(text.len())),
                1 => text[number(1 << 20) % 60] = number(256) as u8,
                2..=4 => {
                    let (at, piece) = (number(text.len()), pieces[number(pieces.len())]);
                    let end = (at + number(4)).min(text.len());
                    text.splice(at..end, piece.bytes());
                }
                5 => text = text.iter().rev().copied().collect(),
                6 => {
                    let (from, to) = (number(text.len()), number(text.len()));
                    text.swap(from, to);
                }
                _ => {}
            }
            let action = bot.act(&text);
            let read = Json::parse(action.as_bytes()).unwrap();
            assert!(read.get("orient").as_text().is_some() && read.get("r").as_u64().is_some(), "{action}");
            // Whatever else is wrong: with the edges as they were, the action is legal.
            let value = Json::parse(&text).unwrap_or(Json::Null);
            let whole = Json::parse(format_observation(&position, 0, 0).as_bytes()).unwrap();
            if !position.is_over() && ["h", "v"].iter().all(|field| value.get(field) == whole.get(field)) {
                legal += 1;
                let edge = parse_action(board, &action).unwrap();
                assert!(position.undrawn().contains(edge), "{action} for {}", String::from_utf8_lossy(&text));
            }
        }
        assert!(legal > 15_000, "{legal}");
    }

    #[test]
    fn a_game_is_played_to_its_end_on_any_board() {
        let mut bot = bot(Board::new(3, 3).unwrap());
        for game in ["3x3", "2x4 H0,0", "1x3"] {
            let mut position = game.parse::<Position>().unwrap();
            while !position.is_over() {
                position.play(bot.choose(&position)).unwrap();
            }
            assert_eq!(position.drawn(), Edges::EMPTY.union(position.board().all()));
        }
    }
}
