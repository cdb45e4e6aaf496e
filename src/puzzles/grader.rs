//! Grades of puzzles: the first level that finds the winning move.

use crate::board::{Edges, Position};
use crate::bots::{Knowledge, LEVELS, LevelBot};

/// The bots of all levels, to grade puzzles by.
pub(super) struct Grader(Vec<LevelBot>);

/// The number of times that a level plays a position, with the nonces from 0 on.
const TRIALS: u64 = 16;

/// The number of trials in which a level that finds the move plays it: three of four. A player who
/// chooses between two edges by chance gets there in 4 % of the positions, and in 31 % if there were
/// only four trials.
const FOUND: u64 = 12;

impl Grader {
    /// Creates a grader by the levels up to `last`, of which the searching ones ask `knowledge`.
    pub fn new(knowledge: &Knowledge, last: usize) -> Grader {
        Grader(LEVELS.iter().take(last).map(|level| LevelBot::new(level, knowledge.clone())).collect())
    }

    /// Returns the number of the first level that finds one of these edges, from 1 on, or `None` if
    /// none does. Higher levels need not find it too.
    pub fn level(&mut self, position: &Position, edges: Edges) -> Option<usize> {
        Some(1 + self.0.iter_mut().position(|bot| finds(bot, position, edges))?)
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
        Grader::new(&Knowledge::Rollouts, last).level(&position, edges)
    }

    #[test]
    fn the_grade_is_the_first_level_that_finds_the_move() {
        // The last chain is taken by all.
        assert_eq!(level("1x3 H0,0 H0,1 H0,2 H1,0 H1,1 H1,2 V0,0 V0,1", "V0,2", 8), Some(1));
        // A double-cross before another chain of three is found by the Controller.
        let opened = "2x3 H0,0 H0,1 H0,2 H1,0 H1,1 H1,2 H2,0 H2,1 H2,2 V0,0 V0,1";
        assert_eq!(level(opened, "V0,3", 8), Some(5));
        assert_eq!(level(opened, "V0,3", 4), None);
        // No level opens the second chain instead.
        assert_eq!(level(opened, "V1,0", 8), None);
    }
}
