//! The bot that is handed in: observation in, action out, and nothing else of the machine it runs on.

use std::fmt;
use std::sync::Arc;

use crate::board::{Board, Edge, Position};
use crate::net::{CanaryError, Network, Path, Weights, WeightsError};
use crate::search::{Budget, Cached, Evaluator, Player, evaluator_for};
use crate::wire::respond;

/// A bot that plays a network's board with it, and any other board with rollouts.
pub struct HandedIn {
    network: Arc<Network>,
    path: Path,
    budget: Budget,
    player: Option<(Board, AnyPlayer)>,
}

type AnyPlayer = Player<Cached<Box<dyn Evaluator>>>;

/// Why a bot cannot be made of a weights file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandedInError {
    /// The file is foreign or damaged.
    Weights(WeightsError),
    /// The engine does not say here what training said.
    Canary(CanaryError),
}

impl fmt::Display for HandedInError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HandedInError::Weights(error) => error.fmt(f),
            HandedInError::Canary(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for HandedInError {}

impl HandedIn {
    /// A bot with the weights of a file and a budget for each move, on the fastest path there is.
    ///
    /// # Errors
    /// When the file is damaged, or the engine does not give the answers that it keeps.
    pub fn new(weights: &[u8], budget: Budget) -> Result<HandedIn, HandedInError> {
        HandedIn::with_path(weights, budget, fastest_path())
    }

    /// The same on a path from [`Path::available`].
    ///
    /// # Errors
    /// As [`HandedIn::new`].
    pub fn with_path(weights: &[u8], budget: Budget, path: Path) -> Result<HandedIn, HandedInError> {
        Ok(HandedIn { network: checked_network(weights, path)?, path, budget, player: None })
    }

    /// The action for an observation, both as JSON. Whatever the bytes are, the answer is a well-formed action, and a
    /// legal one wherever the edges can be read.
    pub fn act(&mut self, observation: &[u8]) -> String {
        respond(observation, |position, _| self.choose(position))
    }

    /// The edge to draw in a position that is not over.
    ///
    /// # Panics
    /// When the position is over.
    pub fn choose(&mut self, position: &Position) -> Edge {
        let board = position.board();
        let (network, path, budget) = (&self.network, self.path, &self.budget);
        let player = kept(&mut self.player, board, || budget.player(board, evaluator_for(board, network, path)));
        if position.drawn().is_empty() {
            player.forget();
        }
        player.decide(position).edge
    }
}

/// The last path that this processor has.
pub(super) fn fastest_path() -> Path {
    Path::available().last().copied().unwrap_or(Path::Portable)
}

/// The network of a weights file, once the engine has given the answers that the file keeps.
pub(super) fn checked_network(weights: &[u8], path: Path) -> Result<Arc<Network>, HandedInError> {
    let weights = Weights::from_bytes(weights).map_err(HandedInError::Weights)?;
    Network::checked(&weights, path).map_err(HandedInError::Canary)
}

/// What is kept for a board, made anew for another.
pub(super) fn kept<T>(place: &mut Option<(Board, T)>, board: Board, make: impl FnOnce() -> T) -> &mut T {
    if place.as_ref().is_none_or(|(known, _)| *known != board) {
        *place = Some((board, make()));
    }
    let Some((_, kept)) = place else { unreachable!("it was just put there") };
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Edges, parse_game};
    use crate::net::Architecture;
    use crate::train::{initial_weights, with_canaries};
    use crate::wire::{Json, format_observation, parse_action};

    fn bot(board: Board) -> HandedIn {
        let architecture = Architecture { channels: 16, blocks: 0, value_hidden: 4 };
        let weights = with_canaries(initial_weights(board, architecture, 1)).to_bytes();
        HandedIn::new(&weights, Budget::new(2, 50)).unwrap()
    }

    #[test]
    fn damaged_weights_make_no_bot() {
        let weights =
            initial_weights(Board::new(2, 2).unwrap(), Architecture { channels: 16, blocks: 0, value_hidden: 4 }, 1);
        let mut bytes = weights.to_bytes();
        bytes[100] ^= 1;
        assert!(matches!(HandedIn::new(&bytes, Budget::new(1, 0)), Err(HandedInError::Weights(_))));
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
            let mut position = parse_game(game).unwrap();
            while !position.is_over() {
                position.play(bot.choose(&position)).unwrap();
            }
            assert_eq!(position.drawn(), Edges::EMPTY.union(position.board().all()));
        }
    }
}
