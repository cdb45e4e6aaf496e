//! The player of a level.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Level, Traits, boxes, chains, openings, third_sides};
use crate::board::{Edge, Position};
use crate::bots::rule::captures;
use crate::bots::{EvaluatorSource, OfBoard, SearchPlayer};
use crate::search::{Budget, equivalent_moves};
use crate::solver::Solver;

/// A bot that plays as a person of some level. Its choice depends on the position and the nonce
/// alone.
///
/// ```
/// use doublecross_core::board::Position;
/// use doublecross_core::bots::{EvaluatorSource, Level, LevelBot};
/// let level = Level::named("level:3").ok_or("no such level")?;
/// let mut bot = LevelBot::new(level, EvaluatorSource::Rollouts);
/// let position: Position = "1x1 H0,0 H1,0 V0,0".parse()?;
/// assert_eq!(position.state().captures(bot.choose(&position, 1)), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LevelBot {
    traits: Traits,
    evaluators: EvaluatorSource,
    stop: Arc<AtomicBool>,
    /// The player of a level that searches.
    search: OfBoard<SearchPlayer>,
    /// The solver of a level that does not search.
    solver: OfBoard<Solver>,
}

/// The number of entries of the solver's table. It is cleared before each move.
const TABLE_ENTRIES: usize = 1 << 14;

/// The largest difference in utility from the best edge of an edge that the nonce may choose.
const DIVERSITY: f32 = 0.01;

impl LevelBot {
    /// Creates the bot of a level. A level that searches asks `evaluators`, or plays rollouts on
    /// boards that it does not support.
    pub fn new(level: &Level, evaluators: EvaluatorSource) -> LevelBot {
        let (search, solver) = (OfBoard::default(), OfBoard::default());
        LevelBot { traits: level.traits, evaluators, stop: Arc::default(), search, solver }
    }

    /// Returns the bot with a flag that ends its searches and the queries of its solver soon, as long as
    /// it is set.
    #[must_use]
    pub fn with_stop(self, stop: Arc<AtomicBool>) -> LevelBot {
        LevelBot { stop, ..self }
    }

    /// Returns the edge to draw.
    ///
    /// # Panics
    /// Panics if the position is over.
    pub fn choose(&mut self, position: &Position, nonce: u64) -> Edge {
        let is_search = self.traits.simulations > 0;
        let edge = if is_search { self.searched(position, nonce) } else { self.solved(position, nonce) };
        edge.or_else(|| judged(&self.traits, position, nonce))
            .or_else(|| position.undrawn().lowest())
            .expect("the position should not be over")
    }

    fn searched(&mut self, position: &Position, nonce: u64) -> Option<Edge> {
        let (board, Traits { simulations, nodes, .. }) = (position.board(), self.traits);
        let build = || {
            let is_supported = self.evaluators.supports(board);
            let evaluators = if is_supported { self.evaluators.clone() } else { EvaluatorSource::Rollouts };
            Some(SearchPlayer::new(evaluators, Budget::new(simulations, nodes)).with_stop(self.stop.clone()))
        };
        let player = self.search.get_or_build(board, build)?.player(board)?;
        // What the solver remembers of other positions would change how far its budget goes.
        player.clear();
        let play = player.decide(position);
        position.pick(equivalent_moves(position, &play, DIVERSITY), nonce).or(Some(play.edge))
    }

    fn solved(&mut self, position: &Position, nonce: u64) -> Option<Edge> {
        let (board, nodes) = (position.board(), self.traits.nodes);
        if nodes == 0 {
            return None;
        }
        let build = || Some(Solver::new(board, TABLE_ENTRIES).with_stop(self.stop.clone()));
        let solver = self.solver.get_or_build(board, build)?;
        solver.clear();
        position.pick(solver.proved_edges(position.state(), position.lead(), nodes).edges, nonce)
    }
}

/// Returns the edge that a player with these traits draws by its own judgment.
fn judged(traits: &Traits, position: &Position, nonce: u64) -> Option<Edge> {
    boxes::choose(traits, position, nonce)
        .or_else(|| {
            let safe = third_sides::seemingly_safe(traits, position, nonce);
            chains::choose(traits, position, safe, nonce).or_else(|| position.pick(safe, nonce))
        })
        // With nothing else to draw, boxes that were overlooked are found.
        .or_else(|| position.pick(captures(position), nonce))
        .or_else(|| openings::choose(traits, position, nonce))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Edges, State};
    use crate::bots::LEVELS;
    use proptest::prelude::*;

    fn bot(level: usize) -> LevelBot {
        LevelBot::new(&LEVELS[level - 1], EvaluatorSource::Rollouts)
    }

    fn position(text: &str) -> Position {
        text.parse::<Position>().unwrap_or_else(|_| Position::from_state(text.parse().unwrap()))
    }

    /// Returns the edges that a level draws in a position with the nonces up to `nonces`.
    fn drawn(level: usize, text: &str, nonces: u64) -> Edges {
        let (mut bot, position) = (bot(level), position(text));
        (0..nonces).map(|nonce| bot.choose(&position, nonce)).collect()
    }

    fn edges(text: &str, names: &[&str]) -> Edges {
        let board = position(text).board();
        names.iter().map(|name| board.parse_edge(name).unwrap()).collect()
    }

    #[test]
    fn the_first_level_overlooks_boxes_that_the_second_takes() {
        let text = "3x3 H0,0 H1,0 V0,0";
        let takes = edges(text, &["V0,1"]);
        assert!(!drawn(1, text, 200).difference(takes).is_empty());
        assert_eq!(drawn(2, text, 200), takes);
        // Once nothing else is left to draw, the box is found.
        assert_eq!(drawn(1, "1x1 H0,0 H1,0 V0,0", 200).len(), 1);
    }

    #[test]
    fn the_second_level_draws_third_sides_that_the_third_avoids() {
        let text = "3x3 H0,0 H1,0 H3,2 H2,2";
        let third = edges(text, &["V0,0", "V0,1", "V2,2", "V2,3"]);
        assert!(!drawn(2, text, 500).intersection(third).is_empty());
        assert_eq!(drawn(3, text, 500).intersection(third), Edges::EMPTY);
    }

    #[test]
    fn each_level_counts_further_than_the_one_before() {
        // A chain of two above a chain of three.
        let two = edges("2x3:0x19fd", &["V0,0", "V0,1", "H0,1"]);
        assert!(!drawn(2, "2x3:0x19fd", 100).difference(two).is_empty());
        assert!(drawn(3, "2x3:0x19fd", 100).difference(two).is_empty());
        // A chain of four boxes beside a closed box, above a chain of five.
        let names = |row: usize, cols: usize| (0..cols).map(move |col| format!("V{row},{col}"));
        let four: Vec<String> = names(0, 4).chain(["H0,3".into()]).collect();
        let five: Vec<String> = names(1, 6).collect();
        let [four, five] =
            [four, five].map(|chain| edges("2x5", &chain.iter().map(String::as_str).collect::<Vec<_>>()));
        let text = State::from_undrawn(position("2x5").board(), four.union(five)).to_string();
        assert!(!drawn(3, &text, 100).intersection(five).is_empty());
        assert_eq!(drawn(4, &text, 100).intersection(five), Edges::EMPTY);
    }

    #[test]
    fn the_fourth_level_takes_too_much_where_the_fifth_mostly_keeps_control() {
        // Two chains of three, the upper one opened at its left end and taken up to its last two.
        let text = "2x3 H0,0 H0,1 H0,2 H1,0 H1,1 H1,2 H2,0 H2,1 H2,2 V0,0 V0,1";
        let (take, leave) = (edges(text, &["V0,2"]), edges(text, &["V0,3"]));
        assert_eq!(drawn(4, text, 100), take);
        assert_eq!(drawn(5, text, 100), take.union(leave));
        assert_eq!(drawn(6, text, 100), leave);
        // The last chain is taken whole by all.
        let last = "1x3 H0,0 H0,1 H0,2 H1,0 H1,1 H1,2 V0,0 V0,1";
        assert_eq!(drawn(6, last, 100), edges(last, &["V0,2"]));
    }

    #[test]
    fn a_controller_opens_a_chain_of_two_by_its_middle_edge() {
        let middle = edges("2x3:0x19fd", &["V0,1"]);
        assert!(!drawn(4, "2x3:0x19fd", 100).difference(middle).is_empty());
        assert_eq!(drawn(5, "2x3:0x19fd", 100), middle);
    }

    /// Returns the optimal edges of a position.
    fn optimal(text: &str) -> Edges {
        let position = position(text);
        Solver::new(position.board(), 1 << 18).best_edges(position.state(), 50_000_000)
    }

    /// Asserts that a level plays optimal edges alone where the one before it does not always.
    fn assert_better(level: usize, nonces: u64, positions: [&str; 2]) {
        for text in positions {
            let best = optimal(text);
            assert!(!best.is_empty() && !drawn(level - 1, text, nonces).difference(best).is_empty(), "{text}");
            assert!(drawn(level, text, nonces).difference(best).is_empty(), "{text}");
        }
    }

    #[test]
    fn the_sixth_level_counts_chains_that_the_fifth_leaves_to_chance() {
        assert_better(6, 30, ["3x3:0x126a8c", "3x3:0x4c4a4d"]);
    }

    #[test]
    fn the_seventh_level_counts_chains_before_the_sixth() {
        assert_better(7, 30, ["3x3:0x20209c", "3x3:0x42ac46"]);
    }

    #[test]
    fn the_eighth_level_is_exact_where_the_seventh_counts_roughly() {
        assert_better(8, 30, ["3x3:0x3d440e", "3x3:0x5438c0"]);
    }

    #[test]
    fn the_last_level_is_exact_before_the_one_below() {
        assert_better(10, 6, ["4x4:0x2ae0102846", "4x4:0x90b0094528"]);
    }

    /// A position on a board of up to 5x5 boxes that is not over.
    fn any_position() -> impl Strategy<Value = Position> {
        (1usize..=5, 1usize..=5, any::<u64>(), any::<u64>()).prop_filter_map("over", |(rows, cols, a, b)| {
            let board = Board::new(rows, cols).ok()?;
            // Sets of all sizes: with a third of the words nearly every edge is drawn.
            let word = [a & b, a, a | b][(a >> 61) as usize % 3];
            let drawn: Edges = board.all().iter().filter(|edge| word >> edge.index() & 1 == 1).collect();
            let position = Position::from_state(State::from_drawn(board, drawn));
            (!position.is_over()).then_some(position)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn every_level_draws_an_undrawn_edge_and_repeats_it(
            positions in prop::collection::vec(any_position(), 2), nonce: u64,
        ) {
            for level in &LEVELS {
                // A smaller budget takes the same way through the code, and less time.
                let Traits { nodes, simulations, .. } = level.traits;
                let traits = Traits { nodes: nodes.min(2_000), simulations: simulations.min(8), ..level.traits };
                let level = Level { traits, ..*level };
                let new = || LevelBot::new(&level, EvaluatorSource::Rollouts);
                let mut used = new();
                for position in positions.iter().chain(&positions) {
                    let edge = used.choose(position, nonce);
                    prop_assert!(position.undrawn().contains(edge));
                    prop_assert_eq!(new().choose(position, nonce), edge, "{}", level.bot);
                }
            }
        }
    }
}
