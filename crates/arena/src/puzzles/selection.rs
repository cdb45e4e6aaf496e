//! The choice among found puzzles: an even share of levels, themes and boards, without repetition.

use std::collections::{BTreeMap, HashSet};

use doublecross_core::board::{Board, State};
use doublecross_core::bots::LEVELS;

use super::{Puzzle, Theme};

/// A puzzle with the game that it occurred in.
pub(super) struct Candidate {
    /// The index of the board and the number of the game.
    pub game: (usize, usize),
    pub puzzle: Puzzle,
}

/// A kind of puzzle within a level.
type Kind = (Theme, usize);

/// The games and positions that puzzles were taken from so far.
#[derive(Default)]
struct Taken {
    /// The games that a puzzle was taken from. A game gives one puzzle, since those of one game
    /// resemble each other.
    games: HashSet<(usize, usize)>,
    /// The positions that were taken, up to symmetries.
    positions: HashSet<State>,
}

/// The candidates of a level that are left, and the numbers of those that were taken.
struct Pool<'a> {
    level: usize,
    boards: &'a [Board],
    kinds: BTreeMap<Kind, Vec<Candidate>>,
    taken: usize,
    taken_of_theme: BTreeMap<Theme, usize>,
    taken_of_board: Vec<usize>,
}

/// Takes `count` puzzles of these levels, or as many as there are.
///
/// As many of each level are taken as far as there are, and within a level as many of each theme.
/// The boards of a level have shares that move to the larger boards from level to level
/// ([`weight`]). The puzzles are returned by level, then by the number of undrawn edges.
pub(super) fn select(candidates: Vec<Candidate>, boards: &[Board], levels: &[usize], count: usize) -> Vec<Puzzle> {
    let mut pools: Vec<Pool> = levels.iter().map(|&level| Pool::new(level, boards)).collect();
    for candidate in candidates {
        if let Some(pool) = pools.iter_mut().find(|pool| pool.level == candidate.puzzle.level) {
            pool.kinds.entry((candidate.puzzle.theme, candidate.game.0)).or_default().push(candidate);
        }
    }
    pools.iter_mut().for_each(Pool::shuffle);
    let (mut puzzles, mut taken) = (Vec::new(), Taken::default());
    while puzzles.len() < count {
        // The first of those with the fewest.
        let Some(pool) = pools.iter_mut().filter(|pool| !pool.kinds.is_empty()).min_by_key(|pool| pool.taken) else {
            break;
        };
        puzzles.extend(pool.take(&mut taken));
    }
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

impl Pool<'_> {
    fn new(level: usize, boards: &[Board]) -> Pool<'_> {
        let (kinds, taken_of_theme) = (BTreeMap::new(), BTreeMap::new());
        Pool { level, boards, kinds, taken: 0, taken_of_theme, taken_of_board: vec![0; boards.len()] }
    }

    /// Puts the candidates of each kind into an order that prefers no part of a game.
    fn shuffle(&mut self) {
        let hash = |candidate: &Candidate| candidate.puzzle.position.state().canonical().0.drawn().hash();
        self.kinds.values_mut().for_each(|candidates| candidates.sort_by_cached_key(hash));
    }

    /// Takes a puzzle, or returns `None` if none is left.
    fn take(&mut self, taken: &mut Taken) -> Option<Puzzle> {
        loop {
            let kind = self.next_kind()?;
            let candidate = self.kinds.get_mut(&kind).and_then(Vec::pop);
            self.kinds.retain(|_, candidates| !candidates.is_empty());
            if let Some(puzzle) = candidate.and_then(|candidate| taken.accept(candidate)) {
                self.taken += 1;
                *self.taken_of_theme.entry(kind.0).or_default() += 1;
                self.taken_of_board[kind.1] += 1;
                return Some(puzzle);
            }
        }
    }

    /// Returns the kind to take from: a theme of which the fewest were taken, and then the board that
    /// is the farthest from its share.
    fn next_kind(&self) -> Option<Kind> {
        let of_theme = |theme: Theme| self.taken_of_theme.get(&theme).copied().unwrap_or(0);
        // The shares taken / weight are compared without rounding.
        let share = |a: usize, b: usize| self.taken_of_board[a] * weight(self.boards[b], self.level);
        let order = |a: &&Kind, b: &&Kind| {
            let themes = of_theme(a.0).cmp(&of_theme(b.0)).then(a.0.cmp(&b.0));
            themes.then(share(a.1, b.1).cmp(&share(b.1, a.1))).then(a.1.cmp(&b.1))
        };
        self.kinds.keys().min_by(order).copied()
    }
}

impl Taken {
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
    use doublecross_core::board::{Edges, Position};

    /// A candidate at a level with a theme, from a game on a board, whose position has these edges
    /// drawn.
    fn candidate(boards: &[Board], game: (usize, usize), level: usize, theme: Theme, drawn: &[usize]) -> Candidate {
        let board = boards[game.0];
        let moves: Vec<_> = drawn.iter().map(|&index| board.all().iter().nth(index).unwrap()).collect();
        let mut position = Position::new(board);
        for &edge in &moves {
            position.play(edge).unwrap();
        }
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
                    all.push(candidate(&boards, (board, number), LEVELS.len(), theme, &drawn));
                }
            }
        }
        let taken = select(all, &boards, &[LEVELS.len()], 10);
        let count = |is_meant: &dyn Fn(&&Puzzle) -> bool| taken.iter().filter(is_meant).count();
        assert_eq!([count(&|p| p.theme == Theme::Open), count(&|p| p.theme == Theme::Safe)], [5, 5]);
        // At the last level as many as there are boxes: 4 to 16.
        assert_eq!([count(&|p| p.position.board() == boards[0]), count(&|p| p.position.board() == boards[1])], [2, 8]);
    }

    #[test]
    fn a_count_that_is_no_multiple_favors_the_first_levels() {
        let boards = boards();
        let one = |game, level| candidate(&boards, (1, game), level, Theme::Safe, &[game]);
        let all = (0..20).map(|game| one(game, 1 + game % 2)).collect();
        let levels: Vec<usize> = select(all, &boards, &[1, 2], 3).iter().map(|puzzle| puzzle.level).collect();
        assert_eq!(levels, [1, 1, 2]);
    }

    #[test]
    fn levels_with_enough_make_up_for_those_without() {
        let boards = boards();
        let one = |game, level| candidate(&boards, (1, game), level, Theme::Safe, &[game]);
        let all = [one(0, 1), one(1, 2), one(2, 2), one(5, 2), one(6, 4)].into();
        let levels: Vec<usize> = select(all, &boards, &[1, 2, 3], 4).iter().map(|puzzle| puzzle.level).collect();
        assert_eq!(levels, [1, 2, 2]);
    }
}
