//! The boards that one run learns from.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use doublecross_core::board::Board;

/// The largest share of a board.
const MOST: u32 = 100;

/// The boards of a run with their shares of its generations, as in `3x3:1 4x4:2 5x5:3`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Mixture {
    /// At least one.
    boards: Vec<(Board, u32)>,
}

impl Mixture {
    /// Returns the boards.
    pub fn boards(&self) -> impl Iterator<Item = Board> {
        self.boards.iter().map(|&(board, _)| board)
    }

    /// Returns the board of a generation, counted from 1.
    ///
    /// At each generation the board comes that is farthest behind its share.
    pub fn board_of(&self, generation: u64) -> Board {
        let total: i64 = self.boards.iter().map(|&(_, share)| i64::from(share)).sum();
        let mut behind = vec![0; self.boards.len()];
        let mut next = 0;
        // After so many generations as the sum of the shares, all are where they began.
        for _ in 0..=generation.saturating_sub(1) % total as u64 {
            behind.iter_mut().zip(&self.boards).for_each(|(behind, &(_, share))| *behind += i64::from(share));
            let most = *behind.iter().max().expect("there should be a board");
            next = behind.iter().position(|&behind| behind == most).expect("the most should be among them");
            behind[next] -= total;
        }
        self.boards[next].0
    }
}

impl fmt::Display for Mixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.boards.iter().map(|(board, share)| format!("{board}:{share}")).collect();
        f.write_str(&parts.join(" "))
    }
}

impl From<Mixture> for String {
    fn from(mixture: Mixture) -> String {
        mixture.to_string()
    }
}

impl TryFrom<String> for Mixture {
    type Error = MixtureError;

    fn try_from(text: String) -> Result<Mixture, MixtureError> {
        text.parse()
    }
}

impl FromStr for Mixture {
    type Err = MixtureError;

    fn from_str(text: &str) -> Result<Mixture, MixtureError> {
        let mut boards: Vec<(Board, u32)> = Vec::new();
        for part in text.split([' ', ',', '\t', '\n']).filter(|part| !part.is_empty()) {
            let refused = |problem: &str| MixtureError(format!("{part:?} {problem}, as in 3x3:1"));
            let (board, share) = part.split_once(':').ok_or_else(|| refused("is not a board with its share"))?;
            let board: Board = board.parse().map_err(|_| refused("does not name a board of at most 180 edges"))?;
            let share = share.parse().ok().filter(|share| (1..=MOST).contains(share));
            let share = share.ok_or_else(|| refused(&format!("has no share from 1 to {MOST}")))?;
            if boards.iter().any(|&(other, _)| other == board) {
                return Err(MixtureError(format!("{board} is in it twice")));
            }
            boards.push((board, share));
        }
        if boards.is_empty() {
            return Err(MixtureError("it names no board (none takes the key away)".into()));
        }
        Ok(Mixture { boards })
    }
}

/// The reason why a text is no [`Mixture`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct MixtureError(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_are_spread_by_their_shares() {
        let mixture: Mixture = "3x3:1 4x4:2  5x5:3".parse().unwrap();
        assert_eq!(mixture.to_string(), "3x3:1 4x4:2 5x5:3");
        let boards: Vec<String> = (1..=12).map(|generation| mixture.board_of(generation).to_string()).collect();
        assert_eq!(boards[..6], ["5x5", "4x4", "3x3", "5x5", "4x4", "5x5"]);
        assert_eq!(boards[..6], boards[6..]);
        assert_eq!("3x3:1, 4x4:2, 5x5:3".parse(), Ok(mixture));
    }

    #[test]
    fn what_is_no_mixture_is_refused_with_its_reason() {
        for (text, expected) in [
            ("3x3", "\"3x3\" is not a board with its share, as in 3x3:1"),
            ("3x3:0", "\"3x3:0\" has no share from 1 to 100"),
            ("3x3:101", "has no share"),
            ("3x3:x", "has no share"),
            ("30x30:1", "does not name a board of at most 180 edges"),
            ("3x3:1 4x4:1 3x3:2", "3x3 is in it twice"),
            (" ", "it names no board"),
        ] {
            let error = text.parse::<Mixture>().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
