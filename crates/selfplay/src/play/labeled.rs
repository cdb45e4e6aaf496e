//! Positions of careful random play that the solver labels.
//!
//! The end of a game labels its positions with the play of two fallible players, and they are
//! positions that these players prefer. Solver-labeled positions come from elsewhere, and an exact
//! answer costs milliseconds within the solver's reach. Those that follow cost far less, since the
//! solver's table holds most of what they need, and searches meet such positions at their leaves.

use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::play::exact::{Labeler, careless_move};
use crate::{PlayedItem, Sample, Shard};
use doublecross_arena::random::{Purpose, careful_state, stream};
use doublecross_core::board::{Board, State};
use doublecross_core::solver::Solver;
use doublecross_run::Config;
use doublecross_run::config::LabeledConfig;

/// Labels the positions of one generation of a run with this config, on rayon's threads, and calls
/// `report` after each. A run with other weights labels the same.
///
/// All samples have edge values, as far as the nodes suffice.
pub fn label_positions(config: &Config, generation: u64, report: &(dyn Fn() + Sync)) -> Shard {
    let (board, of_generation) = (config.board, config.at(generation));
    let labeled = &of_generation.labeled;
    let solver = || Solver::new(board, of_generation.selfplay.table);
    let numbers = (0..labeled.positions as u64).into_par_iter();
    let items: Vec<PlayedItem> = numbers
        .map_init(solver, |solver, number| {
            let mut rng = stream(config.seed, generation, number, Purpose::Labeling);
            let samples = label(solver, board, labeled, true, &mut rng);
            report();
            PlayedItem { samples, ..PlayedItem::default() }
        })
        .collect();
    Shard::new(board, generation, 0, items)
}

/// Labels a position with the solver's exact answer, unless the solver does not settle it, and
/// positions on the way from it to the end.
pub(crate) fn label(
    solver: &mut Solver,
    board: Board,
    config: &LabeledConfig,
    with_edges: bool,
    rng: &mut ChaCha8Rng,
) -> Vec<Sample> {
    let state = labeled_state(board, config, rng);
    // The positions that are settled must not depend on those that were solved before.
    solver.clear();
    let mut labeler = Labeler { solver, nodes: config.nodes, with_edges };
    let mut samples: Vec<Sample> = labeler.sample(state).into_iter().collect();
    if let Some(sample) = samples.first() {
        let state = careless_move(sample, rng);
        samples.extend(labeler.walk(state, config.band_undrawn.unwrap_or_default(), rng));
    }
    samples
}

/// Returns a position for the solver to label, and to play on from.
fn labeled_state(board: Board, config: &LabeledConfig, rng: &mut ChaCha8Rng) -> State {
    let most = config.most_undrawn.unwrap_or_default();
    careful_state(board, config.least_undrawn.unwrap_or_default()..=most, rng)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::exchange::play_all;
    use crate::play::session::Session;
    use crate::{MarginTarget, Orders};
    use doublecross_core::board::Edges;
    use doublecross_proof::Books;
    use doublecross_run::initial_weights;

    fn labeled(set: impl FnOnce(&mut LabeledConfig)) -> Vec<Sample> {
        let mut config = Config { board: "3x3".parse().unwrap(), ..Config::default() };
        config.labeled = LabeledConfig {
            positions: 60,
            least_undrawn: Some(12),
            most_undrawn: Some(16),
            band_undrawn: Some(24),
            nodes: 100_000,
            ..LabeledConfig::default()
        };
        set(&mut config.labeled);
        (config.network.channels, config.network.blocks, config.selfplay.games) = (16, 0, 1);
        let board = Board::new(3, 3).unwrap();
        let weights = initial_weights(board, config.network.architecture(), 1);
        let orders = Orders::new(&config, 1, weights, Vec::new(), &Books::default());
        let games = orders.games() as usize;
        play_all(Session::new(orders)).items.into_iter().skip(games).flat_map(|played| played.samples).collect()
    }

    #[test]
    fn answers_are_exact_and_reproducible() {
        let board = Board::new(3, 3).unwrap();
        let mut solver = Solver::new(board, 1 << 18);
        let samples = labeled(|_| {});
        assert_eq!(samples.len(), 60);
        for sample in &samples {
            let undrawn = sample.state.undrawn().len();
            assert!((12..=16).contains(&undrawn) || sample.state.safe_edges().is_empty(), "{undrawn}");
            assert!(sample.margin.is_exact() && sample.is_possible() && sample.state.is_capture_free());
            let solution = solver.solve(sample.state, u64::MAX);
            assert_eq!(sample.margin.exact().map(i32::from), solution.margin());
            let edges: Edges = sample.policy.iter().map(|&(edge, _)| edge).collect();
            assert_eq!(edges, solution.best);
        }
        assert_eq!(samples, labeled(|_| {}));
        assert_ne!(samples[..10], labeled(|s| s.most_undrawn = Some(15))[..10]);
    }

    #[test]
    fn positions_are_played_on_from() {
        let board = Board::new(3, 3).unwrap();
        let mut solver = Solver::new(board, 1 << 18);
        let (alone, all) = (labeled(|_| {}), labeled(|s| s.band_undrawn = Some(6)));
        assert_eq!(all, labeled(|s| s.band_undrawn = Some(6)));
        let mut starts = alone.iter().peekable();
        let mut before = 0;
        for sample in &all {
            let undrawn = sample.state.undrawn().len();
            if starts.next_if(|start| *start == sample).is_none() {
                // It is on the way from the position before.
                assert!((6..before).contains(&undrawn), "{undrawn} after {before}");
            }
            before = undrawn;
            assert!(sample.margin.is_exact() && sample.is_possible() && !sample.state.is_over());
            let solution = solver.solve(sample.state, u64::MAX);
            let edges: Edges = sample.policy.iter().map(|&(edge, _)| edge).collect();
            assert_eq!((sample.margin.exact().map(i32::from), edges), (solution.margin(), solution.best));
        }
        assert!(starts.next().is_none());
        assert!(all.len() > 3 * alone.len(), "{} and {}", all.len(), alone.len());
        let to_end = labeled(|s| s.band_undrawn = Some(0));
        assert!(to_end.len() > all.len() && to_end.iter().any(|sample| sample.state.undrawn().len() < 5));
    }

    #[test]
    fn unsettled_positions_are_left_out() {
        assert!(labeled(|s| s.nodes = 1).len() < 60);
        // A number of undrawn edges above the board's gives the empty board.
        let samples =
            labeled(|s| (s.least_undrawn, s.most_undrawn, s.positions, s.nodes) = (Some(99), Some(99), 1, u64::MAX));
        assert_eq!(
            (samples.len(), samples[0].state.drawn(), samples[0].margin),
            (1, Edges::EMPTY, MarginTarget::Exact(-3))
        );
        assert!(labeled(|s| s.positions = 0).is_empty());
    }
}
