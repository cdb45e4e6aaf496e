//! The file of puzzles: a JSON object with one puzzle on each line (docs/puzzles.md).

use serde::{Deserialize, Serialize};
use thiserror::Error;

use doublecross_core::board::TextError;

use super::fragment::{FragmentError, parse_fragment, to_fragment};
use super::{Puzzle, Theme};

/// The version of the format.
const FORMAT: u32 = 1;

/// An error in a file of puzzles.
#[derive(Debug, Error)]
pub enum PuzzleFileError {
    /// The text is not JSON, or a field is missing or of another type.
    #[error("it is not a file of puzzles: {0}")]
    Json(#[from] serde_json::Error),
    /// The version of the format is another one.
    #[error("its format is {0}: this program reads format {FORMAT} (use the program that made it)")]
    Format(u32),
    /// The game of a puzzle cannot be played.
    #[error("puzzle {number}: its game cannot be played: {error}")]
    Game {
        /// The number of the puzzle, from 1 on.
        number: usize,
        /// The reason.
        error: FragmentError,
    },
    /// An edge of a puzzle's solution cannot be read.
    #[error("puzzle {number}: {error}")]
    Edge {
        /// The number of the puzzle, from 1 on.
        number: usize,
        /// The reason.
        error: TextError,
    },
}

/// A puzzle as it stands in the file.
#[derive(Serialize, Deserialize)]
struct PuzzleLine {
    game: String,
    edges: Vec<String>,
    margin: i32,
    next: i32,
    level: usize,
    theme: Theme,
}

#[derive(Deserialize)]
struct Version {
    format: u32,
}

#[derive(Deserialize)]
struct Contents {
    puzzles: Vec<PuzzleLine>,
}

impl PuzzleLine {
    fn new(puzzle: &Puzzle) -> PuzzleLine {
        let board = puzzle.position.board();
        let &Puzzle { edges, margin, next, level, theme, .. } = puzzle;
        let edges = edges.iter().map(|edge| board.edge_name(edge)).collect();
        PuzzleLine { game: to_fragment(board, &puzzle.moves), edges, margin, next, level, theme }
    }

    fn puzzle(self, number: usize) -> Result<Puzzle, PuzzleFileError> {
        let (moves, position) = parse_fragment(&self.game).map_err(|error| PuzzleFileError::Game { number, error })?;
        let edges = self.edges.iter().map(|name| position.board().parse_edge(name)).collect::<Result<_, _>>();
        let edges = edges.map_err(|error| PuzzleFileError::Edge { number, error })?;
        let PuzzleLine { margin, next, level, theme, .. } = self;
        Ok(Puzzle { moves, position, edges, margin, next, level, theme })
    }
}

/// Returns the text of a file with these puzzles, in their order.
pub fn to_text(puzzles: &[Puzzle]) -> String {
    let line = |puzzle| serde_json::to_string(&PuzzleLine::new(puzzle)).unwrap_or_default();
    let lines: Vec<String> = puzzles.iter().map(line).collect();
    let puzzles = if lines.is_empty() { String::new() } else { format!("\n{}\n", lines.join(",\n")) };
    format!("{{\"format\":{FORMAT},\"puzzles\":[{puzzles}]}}\n")
}

/// Reads the text of a file of puzzles. Their solutions are not checked.
///
/// # Errors
/// Returns an error if the text is not such a file, or if a game cannot be played.
pub fn parse(text: &[u8]) -> Result<Vec<Puzzle>, PuzzleFileError> {
    // The version comes first: another one may have other fields.
    let Version { format } = serde_json::from_slice(text)?;
    if format != FORMAT {
        return Err(PuzzleFileError::Format(format));
    }
    let Contents { puzzles } = serde_json::from_slice(text)?;
    (1..).zip(puzzles).map(|(number, line)| line.puzzle(number)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::any_position;
    use super::*;
    use doublecross_core::board::Edges;
    use proptest::prelude::*;

    fn any_puzzle() -> impl Strategy<Value = Puzzle> {
        let theme = prop::sample::select(Theme::ALL.to_vec());
        (any_position(24), any::<u64>(), -9..9, -9..9, 1..9usize, theme).prop_map(
            |((moves, position), word, margin, next, level, theme)| {
                let all = position.board().all();
                let edges = Edges::from_bytes(&word.to_le_bytes()).intersection(all);
                Puzzle { moves, position, edges, margin, next, level, theme }
            },
        )
    }

    proptest! {
        #[test]
        fn files_are_read_as_they_were_written(puzzles in prop::collection::vec(any_puzzle(), 0..4)) {
            let text = to_text(&puzzles);
            prop_assert_eq!(text.lines().count(), if puzzles.is_empty() { 1 } else { puzzles.len() + 2 });
            prop_assert_eq!(parse(text.as_bytes()).unwrap(), puzzles);
        }

        #[test]
        fn damage_never_panics(puzzle in any_puzzle(), at: prop::sample::Index, byte: u8) {
            let mut text = to_text(&[puzzle]).into_bytes();
            let at = at.index(text.len());
            text[at] = byte;
            let _ = parse(&text);
            let _ = parse(&text[..at]);
        }
    }

    #[test]
    fn a_line_has_the_documented_form() {
        let text = "{\"format\":1,\"puzzles\":[\n{\"game\":\"1x2/00010203\",\"edges\":[\"V0,1\"],\"margin\":2,\
                    \"next\":-2,\"level\":5,\"theme\":\"open\"}\n]}\n";
        assert_eq!(to_text(&parse(text.as_bytes()).unwrap()), text);
    }

    #[test]
    fn faults_are_told_apart() {
        let line = |game: &str, edge: &str, rest: &str| {
            format!(
                "{{\"format\":1,\"puzzles\":[\n{{\"game\":\"{game}\",\"edges\":[\"{edge}\"],\"margin\":1,{rest}}}\n]}}"
            )
        };
        let rest = "\"next\":-1,\"level\":1,\"theme\":\"safe\"";
        for text in [
            String::new(),
            "[]".into(),
            "{\"puzzles\":[]}".into(),
            line("1x2/00", "V0,1", "\"next\":-1,\"level\":1"),
            line("1x2/00", "V0,1", &rest.replace("safe", "odd")),
        ] {
            assert!(matches!(parse(text.as_bytes()), Err(PuzzleFileError::Json(_))), "{text}");
        }
        let error = |text: &str| parse(text.as_bytes()).unwrap_err();
        assert!(matches!(error("{\"format\":2,\"riddles\":[]}"), PuzzleFileError::Format(2)));
        let found = error(&line("1x2/0000", "V0,1", rest));
        let is_second_move = |error: &FragmentError| matches!(error, FragmentError::Move { number: 2, .. });
        assert!(matches!(&found, PuzzleFileError::Game { number: 1, error } if is_second_move(error)), "{found:?}");
        let found = error(&line("1x2/00", "V0,9", rest));
        assert!(matches!(&found, PuzzleFileError::Edge { number: 1, error: TextError::Edge { .. } }), "{found:?}");
    }
}
