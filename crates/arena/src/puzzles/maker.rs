//! The making of puzzles: games, proofs, grades and the choice among them.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rayon::prelude::*;

use doublecross_core::board::Board;
use doublecross_core::bots::EvaluatorSource;

use super::Puzzle;
use super::candidate::{Finder, FoundPuzzles};
use super::selection::{Candidate, select};

/// The puzzles to make. They depend on these settings alone, whatever the number of threads is.
#[derive(Clone, Debug)]
pub struct PuzzleSettings {
    /// The boards, each once.
    pub boards: Vec<Board>,
    /// The levels that the puzzles should be of, in ascending order, from 1 on.
    pub levels: Vec<usize>,
    /// The number of puzzles.
    pub count: usize,
    /// The number of games to look for puzzles in, on each board.
    pub games: usize,
    /// The seed of the games.
    pub seed: u64,
    /// The solver's budget for the proof of a position, in nodes.
    pub nodes: u64,
}

/// Puzzles that were made.
#[derive(Clone, Debug)]
pub struct MadePuzzles {
    /// The puzzles, by level and then by the number of undrawn edges. They are fewer than asked for
    /// if the games did not give enough.
    pub puzzles: Vec<Puzzle>,
    /// The number of positions whose solution was settled.
    pub settled: usize,
    /// The number of puzzles among them, of all levels up to the last that was asked for.
    pub found: usize,
}

/// Makes puzzles from games between levels. The last level asks `evaluators` where it cannot settle a
/// position.
///
/// `progress` is called with the number of games that are over, from any thread.
pub fn make_puzzles(
    settings: &PuzzleSettings,
    evaluators: &EvaluatorSource,
    progress: &(dyn Fn(usize) + Sync),
) -> MadePuzzles {
    let (mut candidates, mut settled) = (Vec::new(), 0);
    let over = AtomicUsize::new(0);
    for (index, &board) in settings.boards.iter().enumerate() {
        let find = |finder: &mut Finder, number: usize| {
            let found = finder.find(number as u64);
            progress(over.fetch_add(1, Relaxed) + 1);
            found
        };
        // In the order of the games.
        let games: Vec<FoundPuzzles> =
            (0..settings.games).into_par_iter().map_init(|| Finder::new(settings, board, evaluators), find).collect();
        for (number, game) in games.into_iter().enumerate() {
            settled += game.settled;
            candidates.extend(game.puzzles.into_iter().map(|puzzle| Candidate { game: (index, number), puzzle }));
        }
    }
    let found = candidates.len();
    MadePuzzles { puzzles: select(candidates, &settings.boards, &settings.levels, settings.count), settled, found }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rayon::ThreadPoolBuilder;

    use super::*;
    use doublecross_core::bots::LEVELS;

    fn settings(sizes: &[(usize, usize)], count: usize, games: usize) -> PuzzleSettings {
        let boards = sizes.iter().map(|&(rows, cols)| Board::new(rows, cols).unwrap()).collect();
        PuzzleSettings { boards, levels: (1..=LEVELS.len()).collect(), count, games, seed: 1, nodes: 10_000 }
    }

    fn make(settings: &PuzzleSettings) -> MadePuzzles {
        make_puzzles(settings, &EvaluatorSource::Rollouts, &|_| ())
    }

    #[test]
    fn puzzles_do_not_depend_on_the_number_of_threads() {
        let settings = settings(&[(2, 3), (3, 3)], 24, 30);
        let of = |threads| ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| make(&settings));
        let (one, three) = (of(1), of(3));
        assert_eq!((&one.puzzles, one.settled, one.found), (&three.puzzles, three.settled, three.found));
        assert!(one.puzzles.len() > 10 && one.found > one.puzzles.len());
        let other = make(&PuzzleSettings { seed: 2, ..settings.clone() });
        assert_ne!(one.puzzles, other.puzzles);
    }

    #[test]
    fn puzzles_are_sorted_and_differ_up_to_symmetries() {
        let made = make(&settings(&[(2, 3), (3, 3)], 40, 60));
        let keys: Vec<_> = made.puzzles.iter().map(|p| (p.level, p.position.undrawn().len())).collect();
        assert!(keys.is_sorted(), "{keys:?}");
        let positions: HashSet<_> = made.puzzles.iter().map(|p| p.position.state().canonical().0).collect();
        assert_eq!(positions.len(), made.puzzles.len());
    }

    #[test]
    fn levels_have_equal_shares_as_far_as_there_are_puzzles() {
        let all = settings(&[(3, 3)], 10, 60);
        let levels: Vec<usize> = make(&all).puzzles.iter().map(|puzzle| puzzle.level).collect();
        // Levels 4 and 9 have none on so small a board, and the first ones make up for them.
        assert_eq!(levels, [1, 1, 2, 2, 3, 5, 6, 7, 8, 10]);
        let some = PuzzleSettings { levels: vec![1, 5], count: 5, ..all };
        let levels: Vec<usize> = make(&some).puzzles.iter().map(|puzzle| puzzle.level).collect();
        assert_eq!(levels, [1, 1, 1, 5, 5]);
    }
}
