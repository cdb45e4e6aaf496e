//! The notations of players: edges as cells of the lattice of dots, edges and boxes, as on Little Golem, and as pairs of
//! dots.
//!
//! Columns are letters from the left, and rows numbers from the bottom, so that on 5x5 `b11` and `a6-b6` are `H0,0`,
//! and `a10` and `a5-a6` are `V0,0`.

use super::{Board, Edge, Orientation, Position, TextError};

/// The letters that name columns.
const LETTERS: usize = 26;

impl Board {
    /// Returns the cell of an edge in the lattice, as in `b11`; `None` on boards of more than 12 columns, for which there
    /// are too few letters.
    ///
    /// ```
    /// use doublecross_core::board::Board;
    /// let board: Board = "5x5".parse()?;
    /// assert_eq!(board.cell(board.parse_edge("H0,0")?).as_deref(), Some("b11"));
    /// # Ok::<(), doublecross_core::board::TextError>(())
    /// ```
    pub fn cell(self, edge: Edge) -> Option<String> {
        let (orientation, row, col) = self.coordinates(edge);
        let (column, number) = match orientation {
            Orientation::Horizontal => (2 * col + 1, 2 * (self.rows() - row) + 1),
            Orientation::Vertical => (2 * col, 2 * (self.rows() - row)),
        };
        (2 * self.cols() < LETTERS).then(|| format!("{}{number}", (b'a' + column as u8) as char))
    }

    /// Returns the cells of moves one after the other, as in `b11d9g6`; `None` where [`Board::cell`] is.
    pub fn cells(self, moves: &[Edge]) -> Option<String> {
        moves.iter().map(|&edge| self.cell(edge)).collect()
    }

    /// Returns the two dots of an edge, as in `a6-b6`; `None` on boards of more than 25 columns, for which there are too
    /// few letters.
    pub fn dots(self, edge: Edge) -> Option<String> {
        let (orientation, row, col) = self.coordinates(edge);
        let dot = |row: usize, col: usize| format!("{}{}", (b'a' + col as u8) as char, self.rows() + 1 - row);
        let ends = match orientation {
            Orientation::Horizontal => [dot(row, col), dot(row, col + 1)],
            Orientation::Vertical => [dot(row + 1, col), dot(row, col)],
        };
        (self.cols() < LETTERS).then(|| ends.join("-"))
    }

    /// Returns the turns of a game by the dots of their edges, as in `1. a3-b3 2. a2-a3 3. a2-b2, b1-b2`; `None` where
    /// [`Board::dots`] is, or if an edge is drawn twice.
    pub fn turns(self, moves: &[Edge]) -> Option<String> {
        let (mut position, mut turns) = (Position::new(self), Vec::<String>::new());
        let mut goes_on = false;
        for &edge in moves {
            let dots = self.dots(edge)?;
            match turns.last_mut().filter(|_| goes_on) {
                Some(turn) => *turn += &format!(", {dots}"),
                None => turns.push(format!("{}. {dots}", turns.len() + 1)),
            }
            goes_on = position.play(edge).ok()? > 0;
        }
        Some(turns.join(" "))
    }

    /// Returns the edges of a word of a game: one as in `H2,3`, or in a notation of players, in which a number and a dot
    /// may come before them: cells without a space between them, or pairs of dots with commas between them.
    pub(super) fn parse_moves(self, word: &str) -> Result<Vec<Edge>, TextError> {
        if word.starts_with(['H', 'V']) {
            return Ok(vec![self.parse_edge(word)?]);
        }
        let mut edges = Vec::new();
        for part in word.split(',').map(without_number).filter(|part| !part.is_empty()) {
            let found = match part.split_once('-') {
                Some((one, other)) => self.between(one, other).map(|edge| vec![edge]),
                None => points(part).and_then(|cells| cells.into_iter().map(|cell| self.in_cell(cell)).collect()),
            };
            edges.extend(found.ok_or_else(|| TextError::Edge { text: part.into(), board: self })?);
        }
        Ok(edges)
    }

    /// Returns the edge in a cell of the lattice.
    fn in_cell(self, (column, number): Point) -> Option<Edge> {
        let orientation = match (column % 2, number % 2) {
            (1, 1) => Orientation::Horizontal,
            (0, 0) => Orientation::Vertical,
            _ => return None,
        };
        self.edge(orientation, self.rows().checked_sub(number / 2)?, column / 2)
    }

    /// Returns the edge between two dots.
    fn between(self, one: &str, other: &str) -> Option<Edge> {
        let dot = |text| points(text).filter(|points| points.len() == 1).map(|points| points[0]);
        let [low, high] = {
            let mut dots = [dot(one)?, dot(other)?];
            dots.sort();
            dots
        };
        let row = (self.rows() + 1).checked_sub(high.1)?;
        match (high.0 - low.0, high.1.checked_sub(low.1)?) {
            (1, 0) => self.edge(Orientation::Horizontal, row, low.0),
            (0, 1) => self.edge(Orientation::Vertical, row, low.0),
            _ => None,
        }
    }
}

/// A column from 0 and a row from 1, from the bottom.
type Point = (usize, usize);

/// Returns the points of a text such as `b11d9`, or `None` if it is not of that form.
fn points(mut text: &str) -> Option<Vec<Point>> {
    let mut points = Vec::new();
    while let Some(letter) = text.bytes().next() {
        let digits = text.bytes().skip(1).take_while(u8::is_ascii_digit).count();
        let number = text.get(1..=digits)?;
        let number = number.parse().ok().filter(|_| !number.starts_with('0'))?;
        points.push((letter.is_ascii_lowercase().then(|| (letter - b'a') as usize)?, number));
        text = &text[1 + digits..];
    }
    Some(points)
}

/// Returns a move without its number, as in `11.j3`.
fn without_number(text: &str) -> &str {
    match text.split_once('.') {
        Some((number, rest)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => rest,
        _ => text,
    }
}

/// Returns the board and the moves of a link to a game, as in `https://example.org/dnb/board#5,b11d9`; `None` if the
/// text is not a link.
pub(super) fn parse_link(text: &str) -> Option<Result<(Board, &str), TextError>> {
    let (_, game) = text.split_once('#')?;
    let (size, moves) = game.split_once(',').unwrap_or((game, ""));
    Some(format!("{size}x{size}").parse().map(|board| (board, moves)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::parse_game;
    use proptest::prelude::*;

    /// Two complete games of players on 5x5 and 7x7, with the same moves in this program's names.
    const GAMES: &str = include_str!("../../tests/data/players-games.tsv");

    #[test]
    fn games_of_players_are_those_of_their_names() {
        for line in GAMES.lines().filter(|line| !line.starts_with('#')) {
            let [board, cells, moves, score] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let expected: Position = format!("{board} {moves}").parse().unwrap();
            let [first, second] = expected.scores();
            assert_eq!(format!("{first}-{second}"), score);
            let side = expected.board().rows();
            let link = format!("https://example.org/dnb/board#{side},{cells}");
            for text in [format!("{board} {cells}"), link] {
                assert_eq!(text.parse(), Ok(expected.clone()), "{text}");
            }
            let edges: Vec<Edge> = moves.split(' ').map(|name| expected.board().parse_edge(name).unwrap()).collect();
            assert_eq!(expected.board().cells(&edges).as_deref(), Some(cells));
            let turns = expected.board().turns(&edges).unwrap();
            assert_eq!(parse_game(&format!("{board} {turns}")), Ok((expected.board(), edges)));
        }
    }

    #[test]
    fn numbers_and_pairs_of_dots_are_read() {
        for (text, expected) in [
            ("2x2 1.b5 2. a4, c2", "2x2 H0,0 V0,0 V1,1"),
            ("2x2 1. a3-b3 2. a2-a3,b1-b2 3. c1-b1", "2x2 H0,0 V0,0 V1,1 H2,1"),
            ("1x3 1. a1-a2 b3", "1x3 V0,0 H0,0"),
            ("2x2", "2x2"),
        ] {
            let expected: Position = expected.parse().unwrap();
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_turn_holds_the_edges_that_a_player_draws_in_a_row() {
        let turns = |text: &str| parse_game(text).map(|(board, moves)| board.turns(&moves)).unwrap();
        let game = "1. a1-b1 2. a2-b2 3. a1-a2 4. b1-b2, b1-c1 5. b2-c2";
        assert_eq!(turns(&format!("1x2 {game}")).as_deref(), Some(game));
        assert_eq!(turns("1x2").as_deref(), Some(""));
        assert_eq!(turns("1x2 b3b3"), None);
        assert_eq!(turns("1x26 H0,0"), None);
    }

    #[test]
    fn what_is_no_edge_is_an_error() {
        let edge = |text: &str| TextError::Edge { text: text.into(), board: "2x2".parse().unwrap() };
        for word in [
            "b2", "a1", "b6", "f1", "b", "b05x", "b0", "b05", "B5", "5", "a1-b2", "a1-a1", "a3-a4", "a1b1-b1", "-",
            "é1",
        ] {
            assert_eq!(format!("2x2 {word}").parse::<Position>(), Err(edge(word)), "{word}");
        }
        assert!(matches!("x#,b5".parse::<Position>(), Err(TextError::Board { .. })));
        assert!(matches!("2x2 b5b5".parse::<Position>(), Err(TextError::Move { index: 1, .. })));
        let wide: Board = "2x13".parse().unwrap();
        assert_eq!(wide.cell(Edge::new(0)), None);
    }

    proptest! {
        #[test]
        fn cells_and_dots_name_each_edge(rows in 1..10usize, cols in 1..10usize) {
            let board = Board::new(rows, cols).unwrap();
            for edge in board.all() {
                let dots = board.dots(edge).unwrap();
                let (one, other) = dots.split_once('-').unwrap();
                for word in [board.cell(edge).unwrap(), format!("{other}-{one}"), dots.clone()] {
                    prop_assert_eq!(board.parse_moves(&word), Ok(vec![edge]));
                }
            }
        }
    }
}
