//! Grades of puzzles: the first level that finds the winning move.

use doublecross_core::board::{Edges, Position};
use doublecross_core::bots::{EvaluatorSource, LEVELS, LevelBot};

/// The bots to grade puzzles by, each with the number of its level.
///
/// They are those that do not search, and the last one, which settles what it is asked. The choice
/// of a level between them may depend on the instruction set that its network runs on.
pub(super) struct Grader(Vec<(usize, LevelBot)>);

/// The number of times that a level plays a position, with the nonces from 0 on.
const TRIALS: u64 = 16;

/// The number of trials in which a level that finds the move plays it: three of four. A player who
/// chooses between two edges by chance gets there in 4 % of the positions, and in 31 % if there were
/// only four trials.
const FOUND: u64 = 12;

/// Returns `true` if puzzles may be of the level with this number, from 1 on.
pub fn has_puzzles(level: usize) -> bool {
    level == LEVELS.len() || level.checked_sub(1).and_then(|at| LEVELS.get(at)).is_some_and(|level| !level.searches())
}

impl Grader {
    /// Creates a grader by the levels up to `last`, of which the searching one asks `evaluators`.
    pub fn new(evaluators: &EvaluatorSource, last: usize) -> Grader {
        let levels = (1..).zip(&LEVELS).take(last);
        let levels = levels.filter(|&(number, _)| has_puzzles(number));
        Grader(levels.map(|(number, level)| (number, LevelBot::new(level, evaluators.clone()))).collect())
    }

    /// Returns the number of the first level that finds one of these edges, from 1 on, or `None` if
    /// none does. Higher levels need not find it too.
    pub fn level(&mut self, position: &Position, edges: Edges) -> Option<usize> {
        self.0.iter_mut().find_map(|(number, bot)| finds(bot, position, edges).then_some(*number))
    }
}

/// Returns `true` if a bot plays one of these edges in at least [`FOUND`] of its trials.
fn finds(bot: &mut LevelBot, position: &Position, edges: Edges) -> bool {
    let (mut found, mut missed) = (0, 0);
    // It ends as soon as the trials that are left can change nothing.
    while found < FOUND && missed <= TRIALS - FOUND {
        match edges.contains(bot.choose(position, found + missed)) {
            true => found += 1,
            false => missed += 1,
        }
    }
    found == FOUND
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(text: &str, edge: &str, last: usize) -> Option<usize> {
        let position: Position = text.parse().unwrap();
        let edges = Edges::EMPTY.with(position.board().parse_edge(edge).unwrap());
        Grader::new(&EvaluatorSource::Rollouts, last).level(&position, edges)
    }

    #[test]
    fn the_grade_is_the_first_level_that_finds_the_move() {
        // The last chain is taken by all.
        assert_eq!(level("1x3 H0,0 H0,1 H0,2 H1,0 H1,1 H1,2 V0,0 V0,1", "V0,2", 10), Some(1));
        // The Counter finds the move that declines the last two before another chain of three, the Controller often.
        let opened = "2x3 H0,0 H0,1 H0,2 H1,0 H1,1 H1,2 H2,0 H2,1 H2,2 V0,0 V0,1";
        assert_eq!(level(opened, "V0,3", 10), Some(6));
        assert_eq!(level(opened, "V0,3", 4), None);
        // No level opens the second chain instead.
        assert_eq!(level(opened, "V1,0", 10), None);
    }
}
