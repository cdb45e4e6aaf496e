//! Games between levels, and the puzzles that occur in them.

use rand::{Rng, RngExt};

use crate::random::{Purpose, stream};
use doublecross_core::board::{Board, Edge, Position};
use doublecross_core::bots::{EvaluatorSource, LEVELS, LevelBot};

use super::grader::Grader;
use super::prover::{Prover, Verdict};
use super::{Puzzle, PuzzleSettings, Theme};

/// A finder of puzzles in games on one board.
pub(super) struct Finder {
    board: Board,
    seed: u64,
    nodes: u64,
    /// The levels without a network, so that the games are the same on every machine.
    players: Vec<LevelBot>,
    grader: Grader,
    prover: Prover,
}

/// The puzzles of one game.
pub(super) struct FoundPuzzles {
    pub puzzles: Vec<Puzzle>,
    /// The number of positions that were settled, from the end of the game on.
    pub settled: usize,
}

impl Finder {
    pub fn new(settings: &PuzzleSettings, board: Board, evaluators: &EvaluatorSource) -> Finder {
        let players = LEVELS
            .iter()
            .filter(|level| !level.searches())
            .map(|level| LevelBot::new(level, EvaluatorSource::Nothing))
            .collect();
        let last = settings.levels.iter().copied().max().unwrap_or(0);
        let (grader, prover) = (Grader::new(evaluators, last), Prover::new(board));
        Finder { board, seed: settings.seed, nodes: settings.nodes, players, grader, prover }
    }

    /// Plays the game with this number and returns its puzzles, those of the end first.
    ///
    /// Positions are looked at from the end of the game on, until one is not settled within the
    /// budget: those before it have more edges left.
    pub fn find(&mut self, number: u64) -> FoundPuzzles {
        let moves = self.play(number);
        let mut found = FoundPuzzles { puzzles: Vec::new(), settled: 0 };
        let mut positions = vec![Position::new(self.board)];
        for &edge in &moves {
            let Some(mut next) = positions.last().cloned() else { break };
            if next.play(edge).is_err() {
                break;
            }
            positions.push(next);
        }
        for (count, position) in positions.into_iter().enumerate().rev().filter(|(_, position)| !position.is_over()) {
            let solution = match self.prover.verdict(&position, self.nodes) {
                Verdict::Unsettled => break,
                Verdict::NoPuzzle => None,
                Verdict::Puzzle(solution) => Some(solution),
            };
            found.settled += 1;
            let Some(solution) = solution else { continue };
            // One that no level finds is left out, since its difficulty is unknown.
            let Some(level) = self.grader.level(&position, solution.edges) else { continue };
            let theme = Theme::of(position.state(), solution.edges);
            found.puzzles.push(Puzzle {
                moves: moves[..count].to_vec(),
                position,
                edges: solution.edges,
                margin: solution.margin,
                next: solution.next,
                level,
                theme,
            });
        }
        found
    }

    /// Plays a game between two random levels and returns its moves.
    fn play(&mut self, number: u64) -> Vec<Edge> {
        let board = self.board;
        let mut rng = stream(self.seed, (board.rows() << 8 | board.cols()) as u64, number, Purpose::Puzzles);
        let seats = [(); 2].map(|()| (rng.random_range(0..self.players.len()), rng.next_u64()));
        let (mut position, mut moves) = (Position::new(board), Vec::new());
        while !position.is_over() {
            let (level, nonce) = seats[position.mover()];
            let edge = self.players[level].choose(&position, nonce);
            if position.play(edge).is_err() {
                break;
            }
            moves.push(edge);
        }
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::answer;
    use super::*;
    use crate::puzzles::distinct_moves;

    fn finder(board: Board, seed: u64) -> Finder {
        let settings = PuzzleSettings {
            boards: vec![board],
            levels: (1..=LEVELS.len()).collect(),
            count: 1,
            games: 1,
            seed,
            nodes: 10_000,
        };
        Finder::new(&settings, board, &EvaluatorSource::Rollouts)
    }

    #[test]
    fn puzzles_of_games_have_one_winning_move() {
        let board = Board::new(2, 3).unwrap();
        let mut finder = finder(board, 7);
        let mut checked = 0;
        for number in 0..60 {
            let FoundPuzzles { puzzles, settled } = finder.find(number);
            assert_eq!(settled, board.edges(), "so small a board is settled");
            for puzzle in puzzles.iter().filter(|puzzle| puzzle.position.undrawn().len() <= 11) {
                let mut position = Position::new(board);
                for &edge in &puzzle.moves {
                    position.play(edge).unwrap();
                }
                assert_eq!(position, puzzle.position);
                assert_eq!(answer(&position), (puzzle.edges, puzzle.margin, Some(puzzle.next)));
                assert!(puzzle.margin > 0 && puzzle.next <= 0);
                assert!(distinct_moves(position.state()).contains(&puzzle.edges));
                checked += 1;
            }
        }
        assert!(checked > 20, "{checked}");
    }

    #[test]
    fn a_game_depends_on_its_number_alone() {
        let board = Board::new(3, 3).unwrap();
        let [mut one, mut other] = [1, 1].map(|seed| finder(board, seed));
        other.find(1);
        assert_eq!(one.find(2).puzzles, other.find(2).puzzles);
        assert_ne!(one.play(2), finder(board, 2).play(2));
    }
}
