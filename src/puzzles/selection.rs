//! The choice among found puzzles: an even share of levels, themes and boards, without repetition.

use std::collections::{BTreeMap, HashSet};

use crate::board::{Board, State};
use crate::bots::LEVELS;

use super::{Puzzle, Theme};

/// A puzzle with the game that it occurred in.
pub(super) struct Candidate {
    /// The index of the board and the number of the game.
    pub game: (usize, usize),
    pub puzzle: Puzzle,
}

/// A kind of puzzle within a level.
type Kind = (Theme, usize);

/// A selection in progress.
struct Selection<'a> {
    boards: &'a [Board],
    /// The games that a puzzle was taken from. A game gives one puzzle, since those of one game
    /// resemble each other.
    games: HashSet<(usize, usize)>,
    /// The positions that were taken, up to symmetries.
    positions: HashSet<State>,
    puzzles: Vec<Puzzle>,
}

/// Takes `count` puzzles, as many of each of these levels as far as there are.
///
/// Within a level, as many of each theme are taken as far as there are, and within a theme the boards
/// have shares that move to the larger boards from level to level ([`weight`]). Levels with few
/// candidates are served first. The puzzles are returned by level, then by the number of undrawn
/// edges.
pub(super) fn select(candidates: Vec<Candidate>, boards: &[Board], levels: &[usize], count: usize) -> Vec<Puzzle> {
    let mut by_level: BTreeMap<usize, BTreeMap<Kind, Vec<Candidate>>> = BTreeMap::new();
    for candidate in candidates {
        let kind = (candidate.puzzle.theme, candidate.game.0);
        by_level.entry(candidate.puzzle.level).or_default().entry(kind).or_default().push(candidate);
    }
    let mut selection =
        Selection { boards, games: HashSet::new(), positions: HashSet::new(), puzzles: Vec::with_capacity(count) };
    // The first levels get one more where the count is no multiple.
    let share = |index: usize| count / levels.len() + (index < count % levels.len()) as usize;
    let mut shares: Vec<(usize, usize)> = levels.iter().enumerate().map(|(i, &level)| (level, share(i))).collect();
    shares.sort_by_key(|(level, _)| by_level.get(level).map_or(0, |kinds| kinds.values().map(Vec::len).sum::<usize>()));
    for (level, share) in shares {
        selection.take(level, by_level.remove(&level).unwrap_or_default(), share);
    }
    let mut puzzles = selection.puzzles;
    puzzles.sort_by_cached_key(|puzzle| {
        let state = puzzle.position.state();
        (puzzle.level, state.undrawn().len(), state.board().boxes(), state.drawn(), puzzle.moves.clone())
    });
    puzzles
}

/// The weight of a board at a level: equal for all boards at the first level, and proportional to the
/// number of boxes at the last.
fn weight(board: Board, level: usize) -> usize {
    const EQUAL: usize = 10;
    EQUAL * LEVELS.len().saturating_sub(level) + board.boxes() * level.saturating_sub(1)
}

impl Selection<'_> {
    /// Takes `share` puzzles of a level, or as many as there are.
    fn take(&mut self, level: usize, mut kinds: BTreeMap<Kind, Vec<Candidate>>, share: usize) {
        // The order of a hash prefers no part of a game. The last one is taken first.
        let hash = |candidate: &Candidate| candidate.puzzle.position.state().canonical().0.drawn().hash();
        kinds.values_mut().for_each(|candidates| candidates.sort_by_key(hash));
        let (mut themes, mut boards) = (BTreeMap::<Theme, usize>::new(), vec![0; self.boards.len()]);
        for _ in 0..share {
            let taken = loop {
                kinds.retain(|_, candidates| !candidates.is_empty());
                let rank = |theme: Theme| (themes.get(&theme).copied().unwrap_or(0), theme);
                // Shares are compared without rounding.
                let share = |a: usize, b: usize| boards[a] * weight(self.boards[b], level);
                let order = |a: &&Kind, b: &&Kind| {
                    rank(a.0).cmp(&rank(b.0)).then(share(a.1, b.1).cmp(&share(b.1, a.1))).then(a.1.cmp(&b.1))
                };
                let Some(&kind) = kinds.keys().min_by(order) else { return };
                if let Some(puzzle) = kinds.get_mut(&kind).and_then(Vec::pop).and_then(|c| self.accept(c)) {
                    self.puzzles.push(puzzle);
                    break kind;
                }
            };
            *themes.entry(taken.0).or_default() += 1;
            boards[taken.1] += 1;
        }
    }

    /// Returns the puzzle of a candidate unless its game or a mirror image was taken.
    fn accept(&mut self, Candidate { game, puzzle }: Candidate) -> Option<Puzzle> {
        if self.games.contains(&game) || !self.positions.insert(puzzle.position.state().canonical().0) {
            return None;
        }
        self.games.insert(game);
        Some(puzzle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Edges, Position};

    /// A candidate at a level with a theme, from a game on a board, whose position has these edges
    /// drawn.
    fn candidate(boards: &[Board], game: (usize, usize), level: usize, theme: Theme, drawn: &[usize]) -> Candidate {
        let board = boards[game.0];
        let moves: Vec<_> = drawn.iter().map(|&index| board.all().iter().nth(index).unwrap()).collect();
        let mut position = Position::new(board);
        moves.iter().for_each(|&edge| drop(position.play(edge).unwrap()));
        let puzzle = Puzzle { moves, position, edges: Edges::EMPTY, margin: 1, next: -1, level, theme };
        Candidate { game, puzzle }
    }

    fn boards() -> [Board; 2] {
        [(2, 2), (4, 4)].map(|(rows, cols)| Board::new(rows, cols).unwrap())
    }

    #[test]
    fn games_and_mirror_images_are_taken_once() {
        let boards = boards();
        // H0,0 and H0,1 of 2x2 are mirror images; the last two are of one game.
        let all = [((0, 0), 0), ((0, 1), 1), ((1, 2), 5), ((1, 2), 7)];
        let all = all.map(|(game, edge)| candidate(&boards, game, 1, Theme::Safe, &[edge]));
        let taken = select(all.into(), &boards, &[1], 4);
        assert_eq!(taken.iter().map(|puzzle| puzzle.position.board()).collect::<Vec<_>>(), boards);
    }

    #[test]
    fn themes_and_boards_have_their_shares() {
        let boards = boards();
        let pair = |a: usize, b: usize| (0..16).flat_map(move |i| (i + 1..16).map(move |j| [a + i, b + j]));
        let mut all = Vec::new();
        for (number, drawn) in pair(0, 0).enumerate() {
            for board in 0..2 {
                let drawn = drawn.map(|index| index % boards[board].edges());
                if drawn[0] != drawn[1] {
                    let theme = if number % 5 == 0 { Theme::Open } else { Theme::Safe };
                    all.push(candidate(&boards, (board, number), 8, theme, &drawn));
                }
            }
        }
        let taken = select(all, &boards, &[8], 10);
        let count = |is_meant: &dyn Fn(&&Puzzle) -> bool| taken.iter().filter(is_meant).count();
        assert_eq!([count(&|p| p.theme == Theme::Open), count(&|p| p.theme == Theme::Safe)], [5, 5]);
        // At the last level as many as there are boxes: 4 to 16.
        assert_eq!([count(&|p| p.position.board() == boards[0]), count(&|p| p.position.board() == boards[1])], [2, 8]);
    }

    #[test]
    fn a_count_that_is_no_multiple_favours_the_first_levels() {
        let boards = boards();
        let one = |game, level| candidate(&boards, (1, game), level, Theme::Safe, &[game]);
        let all = (0..30).map(|game| one(game, 1 + game % 2)).collect();
        let levels: Vec<usize> = select(all, &boards, &[1, 2], 3).iter().map(|puzzle| puzzle.level).collect();
        assert_eq!(levels, [1, 1, 2]);
    }
}
