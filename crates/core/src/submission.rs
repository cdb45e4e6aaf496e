//! The submission: the bot that is handed to an arena. It turns observations into actions and uses
//! nothing else of the machine that it runs on.

use std::fmt;
use std::sync::Arc;

use crate::board::{Edge, Position};
use crate::bots::{BoardNetworks, EvaluatorSource, SearchPlayer};
use crate::net::{CanaryError, Isa, Network, Weights, WeightsError};
use crate::protocol::{LastTurn, Response, response};
use crate::search::Budget;
use crate::solver::Book;

/// A bot that plays the board of its network with the network, and any other board with rollouts.
pub struct Submission {
    player: SearchPlayer,
    last: LastTurn,
}

/// An error in the weights of a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubmissionError {
    /// The bytes are not a weights file, or it is damaged.
    Weights(WeightsError),
    /// The engine does not reproduce the output of training on this machine.
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
    /// Returns a bot with the weights of a weights file and a budget for each move, on an
    /// instruction set of this processor.
    ///
    /// # Errors
    /// Returns an error if the file is damaged, or the engine does not reproduce its canaries.
    pub fn new(weights: &[u8], budget: Budget, isa: Isa) -> Result<Submission, SubmissionError> {
        Ok(Submission { player: SearchPlayer::new(evaluators(weights, isa)?, budget), last: LastTurn::default() })
    }

    /// Returns the bot with a book, on which its solver relies.
    #[must_use]
    pub fn with_book(self, book: Arc<Book>) -> Submission {
        Submission { player: self.player.with_book(book), ..self }
    }

    /// Returns the action for an observation, both as JSON.
    ///
    /// Any bytes at all get a well-formed action, and a legal one if the edges can be read; see
    /// [`respond`](crate::protocol::respond).
    pub fn act(&mut self, observation: &[u8]) -> String {
        self.respond(observation).action
    }

    /// Returns the action for an observation, and what is wrong with the observation.
    pub fn respond(&mut self, observation: &[u8]) -> Response {
        response(observation, |position, nonce| self.choose(position, nonce))
    }

    /// Returns the edge to draw. A game does not depend on the one before; see
    /// [`LastTurn`].
    ///
    /// # Panics
    /// Panics if the position is over.
    pub fn choose(&mut self, position: &Position, nonce: u64) -> Edge {
        let player = self.player.player(position.board()).expect("rollouts play every board");
        if self.last.begins_game(position.state(), nonce) {
            player.clear();
        }
        player.decide(position).edge
    }
}

/// Returns the network of a weights file for its board, with rollouts for the others, or for every
/// board if it was trained on several. The engine has to reproduce the canaries.
pub(super) fn evaluators(weights: &[u8], isa: Isa) -> Result<EvaluatorSource, SubmissionError> {
    let weights = Weights::from_bytes(weights).map_err(SubmissionError::Weights)?;
    if !weights.other_boards.is_empty() {
        let networks = BoardNetworks::checked(weights, isa).map_err(SubmissionError::Canary)?;
        return Ok(EvaluatorSource::Boards(Arc::new(networks)));
    }
    let network = Network::checked(&weights, isa).map_err(SubmissionError::Canary)?;
    Ok(EvaluatorSource::NetworkOrRollouts(network))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Edges, State};
    use crate::net::{Architecture, Weights};
    use crate::protocol::{Json, format_observation, parse_action};

    fn bot(board: Board) -> Submission {
        let architecture = Architecture::new(16, 0, 4);
        let weights = Weights::sample(board, architecture).to_bytes();
        Submission::new(&weights, Budget::new(2, 50), Isa::fastest()).unwrap()
    }

    #[test]
    fn damaged_weights_are_refused() {
        let weights = Weights::sample(Board::new(2, 2).unwrap(), Architecture::new(16, 0, 4));
        let mut bytes = weights.to_bytes();
        bytes[100] ^= 1;
        assert!(matches!(Submission::new(&bytes, Budget::new(1, 0), Isa::Portable), Err(SubmissionError::Weights(_))));
    }

    /// Answers a hundred thousand observations, most of them damaged: each gets a well-formed
    /// action, and a legal one if the edges of a known board can be read.
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
            // Mostly the board of the network.
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
            // With its edges intact, an observation gets a legal action whatever else is damaged.
            let (value, _) = Json::salvage(&text);
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
    fn games_are_played_to_the_end_on_any_board() {
        let mut bot = bot(Board::new(3, 3).unwrap());
        for game in ["3x3", "2x4 H0,0", "1x3"] {
            let mut position = game.parse::<Position>().unwrap();
            while !position.is_over() {
                position.play(bot.choose(&position, 1)).unwrap();
            }
            assert_eq!(position.drawn(), Edges::EMPTY.union(position.board().all()));
        }
    }

    /// What the solver's table keeps of one game would carry the budget of the next further.
    #[test]
    fn games_that_begin_with_edges_drawn_do_not_depend_on_earlier_ones() {
        let board = Board::new(4, 4).unwrap();
        let weights = Weights::sample(board, Architecture::new(16, 0, 4)).to_bytes();
        let new = || Submission::new(&weights, Budget::new(4, 2000), Isa::Portable).unwrap();
        let mut other = new();
        for game in 0..10 {
            let drawn: Edges = (0..8).map(|index| Edge::new((game * 3 + index * 5) % 40)).collect();
            let play = |bot: &mut Submission| {
                let mut position = Position::from_state(State::from_drawn(board, drawn));
                let mut moves = Vec::new();
                while !position.is_over() {
                    moves.push(bot.choose(&position, game as u64));
                    position.play(moves[moves.len() - 1]).unwrap();
                }
                moves
            };
            assert_eq!(play(&mut other), play(&mut new()), "game {game}");
        }
    }
}
