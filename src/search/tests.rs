//! Signs and golden trees: searches whose outcome is known from brute force or worked by hand.

use super::*;
use crate::board::{Board, Edges, MAX_EDGES, Position, State};
use crate::solver::tests::edge_margin;
use crate::solver::{Bounds, Solver};

const QUIET: [f32; MAX_EDGES] = [0.0; MAX_EDGES];

/// Knows every margin, has no opinion on edges.
struct Exact(Solver);

impl Evaluator for Exact {
    fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
        *evaluation = Evaluation::BLANK;
        let margin = self.0.margin(state, u64::MAX).unwrap() + self.0.board().boxes() as i32;
        evaluation.margins[margin as usize] = 1.0;
    }
}

/// Knows nothing: equal logits, margin 0 or 1 by parity.
struct Blank;

impl Evaluator for Blank {
    fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
        *evaluation = Evaluation::BLANK;
        let (boxes, open) = (state.board().boxes(), state.open_boxes());
        evaluation.margins[boxes - open % 2] = 0.5;
        evaluation.margins[boxes + open % 2] += 0.5;
    }
}

/// Both ways to select.
const SELECTIONS: [Selection; 2] = [Selection::Puct { exploration: 0.45 }, Selection::Gumbel];

fn settings(simulations: usize) -> Settings {
    Settings { simulations, max_considered: 64, margin_weight: 1.0, ..Settings::default() }
}

/// The same settings, selecting either way.
fn either(settings: Settings) -> [Settings; 2] {
    SELECTIONS.map(|selection| Settings { selection, ..settings.clone() })
}

fn states(board: Board, step: usize) -> impl Iterator<Item = State> {
    let all = (1u64 << board.edges()) - 1;
    (0..all).step_by(step).map(move |word| State::from_drawn(board, Edges::from_bytes(word.to_le_bytes())))
}

/// With exact leaves a search that tries every action once finds an optimal edge at every root.
#[test]
fn an_exact_evaluator_finds_an_optimal_edge_at_every_root() {
    for (rows, cols, step) in [(2, 2, 1), (2, 3, 17), (3, 3, 20_011)] {
        let board = Board::new(rows, cols).unwrap();
        let mut solver = Solver::new(board, 1 << 16);
        let mut exact = Exact(Solver::new(board, 1 << 16));
        for state in states(board, step) {
            let best = solver.solve(state, u64::MAX).best;
            // At an answer both actions are evaluated before the first simulation.
            let root = Search::new(board, settings(0)).run(state, 1, &QUIET, &mut exact, None);
            let needed = if matches!(root.choice(), Choice::Draw(_)) { root.actions.len() } else { 0 };
            let [_, gumbel] = either(settings(needed));
            let mut player = Player::new(board, gumbel, &mut exact);
            let play = player.decide(&Position::from_state(state));
            assert!(best.contains(play.edge), "{state} {play:?}");
        }
    }
}

/// Without any knowledge, bounds alone must lead to exact play once the whole tree is searched, and never lie.
#[test]
fn proved_bounds_are_true_and_meet() {
    let board = Board::new(2, 3).unwrap();
    let mut solver = Solver::new(board, 1 << 16);
    let mut settled = 0;
    let mut searches: Vec<Search> =
        [30, 3000].into_iter().flat_map(|count| either(settings(count))).map(|s| Search::new(board, s)).collect();
    for state in states(board, 61) {
        let margin = solver.margin(state, u64::MAX).unwrap();
        for search in &mut searches {
            let outcome = search.run(state, 2, &QUIET, &mut Blank, None);
            assert!(outcome.bounds.contains(margin), "{outcome:?} {margin}");
            settled += outcome.margin().is_some() as usize;
            if state.undrawn().len() <= 8 && search.settings().simulations == 3000 {
                assert_eq!(outcome.margin(), Some(margin));
                let Bounds { lower, upper } = outcome.actions[outcome.chosen].bounds;
                assert!(lower == margin && upper >= margin);
            }
        }
    }
    assert!(settled > 1000, "{settled}");
}

/// The exact margin after the first edge of a choice, for the player who draws it.
fn first_edge_margin(choice: Choice, state: State, solver: &mut Solver) -> i32 {
    edge_margin(solver, state, choice.first_edge(state).unwrap())
}

/// What the solver proves at nodes with budgets that do not always suffice is true of them, and the more it may take the
/// more is settled.
#[test]
fn what_the_solver_proves_on_the_way_is_true() {
    let board = Board::new(3, 3).unwrap();
    let mut solver = Solver::new(board, 1 << 16);
    let with = |solver_nodes| Settings { margin_weight: 0.5, solver_undrawn: 24, solver_nodes, ..settings(100) };
    for selection in SELECTIONS {
        let mut settled = Vec::new();
        for solver_nodes in [0, 1, 8, 64] {
            let mut search = Search::new(board, Settings { selection, ..with(solver_nodes) });
            settled.push(0);
            for (state, lead) in states(board, 40_009).zip((-3..=3).cycle()) {
                let margin = solver.margin(state, u64::MAX).unwrap();
                let mut leaves = Solver::new(board, 1 << 10);
                let outcome = search.run(state, lead, &QUIET, &mut Blank, Some(&mut leaves));
                assert!(outcome.bounds.contains(margin), "{outcome:?} {margin}");
                *settled.last_mut().unwrap() += outcome.margin().is_some() as usize;
                for action in &outcome.actions {
                    let held = first_edge_margin(action.choice, state, &mut solver);
                    let Bounds { lower, upper } = action.bounds;
                    // Both ways to answer begin with an edge that may leave the other one open still.
                    let is_answer = !matches!(action.choice, Choice::Draw(_));
                    assert!(lower <= held && (held <= upper || is_answer), "{action:?} {held}");
                }
            }
        }
        assert!(settled.is_sorted() && settled[0] < settled[1], "{settled:?}");
    }
}

/// Where only the result counts, who wins is proved, with and without the solver at leaves, and play holds it.
#[test]
fn results_are_proved_where_only_they_count() {
    for (rows, cols, step) in [(2, 3, 97), (3, 3, 40_009)] {
        let board = Board::new(rows, cols).unwrap();
        let mut solver = Solver::new(board, 1 << 16);
        let mut leaves = Solver::new(board, 1 << 16);
        let (mut proved, mut without_margin) = (0, 0);
        let with =
            |solver_undrawn| Settings { margin_weight: 0.0, solver_undrawn, solver_nodes: 1000, ..settings(400) };
        for settings in [0, 12].into_iter().flat_map(|undrawn| either(with(undrawn))) {
            let mut search = Search::new(board, settings);
            for (state, lead) in states(board, step).zip((-3..=3).cycle()) {
                let margin = solver.margin(state, u64::MAX).unwrap();
                let outcome = search.run(state, lead, &QUIET, &mut Blank, Some(&mut leaves));
                let Bounds { lower, upper } = outcome.bounds;
                assert!(lower <= margin && margin <= upper, "{outcome:?} {margin}");
                if (lead + lower).signum() != (lead + upper).signum() {
                    continue;
                }
                proved += 1;
                without_margin += (lower < upper) as usize;
                assert_eq!(outcome.value, (lead + margin).signum() as f32);
                let held = first_edge_margin(outcome.choice(), state, &mut solver);
                assert_eq!((lead + held).signum(), (lead + margin).signum(), "{outcome:?}");
            }
        }
        assert!(proved > 600 && without_margin > 200, "{board} {proved} {without_margin}");
    }
}

/// Where a node is settled the principal variation goes on with what is proved to be best, however little it was visited.
#[test]
fn the_principal_variation_follows_what_is_proved() {
    let board = Board::new(2, 3).unwrap();
    let mut searches = either(settings(60)).map(|settings| Search::new(board, settings));
    let mut settled = 0;
    for (index, state) in states(board, 61).enumerate() {
        let search = &mut searches[index % 2];
        search.run(state, 1, &QUIET, &mut Blank, None);
        for node in (0..search.nodes.len() as u32).filter(|&node| search.is_settled(node)) {
            if search.actions_of(node).is_empty() {
                continue;
            }
            let expected = search.expected(node).unwrap();
            let least = search.utility_of(node, search.action_bounds(expected).lower);
            assert_eq!(least, search.utility_of(node, search.node(node).bounds.lower));
            settled += 1;
        }
    }
    assert!(settled > 1000, "{settled}");
}

/// Two 3-chains on 2x3, one of them opened: taking all three loses 3-3, keeping control wins 5-1.
#[test]
fn taking_everything_loses() {
    let board = Board::new(2, 3).unwrap();
    // All horizontal edges and the left ends are drawn; the top chain has been opened at its left end.
    let mut drawn: Edges = (0..9).map(crate::board::Edge::new).collect();
    drawn.insert(board.vertical(0, 0).unwrap());
    let state = State::from_drawn(board, drawn);
    let offer = state.offer();
    assert_eq!((offer.taken, offer.price), (3, Some(4)));
    for (evaluate_exactly, settings) in [true, false].into_iter().flat_map(|e| either(settings(40)).map(|s| (e, s))) {
        let mut search = Search::new(board, settings);
        let outcome = if evaluate_exactly {
            search.run(state, 0, &QUIET, &mut Exact(Solver::new(board, 1 << 10)), None)
        } else {
            search.run(state, 0, &QUIET, &mut Blank, None)
        };
        assert_eq!(outcome.choice(), Choice::KeepControl);
        assert_eq!(outcome.margin().unwrap_or(2), 2);
    }
    // Take one box, then hand over the last two by the far end.
    let mut player = Player::new(board, settings(40), Blank);
    let mut position = Position::from_state(state);
    let edges: Vec<usize> = (0..2)
        .map(|_| {
            let edge = player.decide(&position).edge;
            position.play(edge).unwrap();
            edge.index() - 9
        })
        .collect();
    assert_eq!(edges, [1, 3]);
}

/// A chain of two is all that is left; then a root of which every simulation is counted once.
#[test]
fn actions_and_visits_of_small_boards() {
    let board = Board::new(1, 2).unwrap();
    let state: State = "1x2:0x1b".parse().unwrap();
    // H0,0 H0,1 V0,0 (bits 0, 1, 4) and H1,1 (bit 3) drawn: left box lacks H1,0 and V0,1, right box V0,1 and V0,2:
    // one chain of two. Opened by the middle edge: both boxes go at once.
    let mut search = Search::new(board, settings(8));
    let outcome = search.run(state, 0, &QUIET, &mut Blank, None);
    assert_eq!(outcome.margin(), Some(-2));
    assert_eq!(outcome.actions.len(), 1);
    assert_eq!(outcome.choice(), Choice::Draw(Edges::EMPTY.with(board.vertical(0, 1).unwrap())));
    let board = Board::new(2, 2).unwrap();
    for settings in either(settings(50)) {
        let outcome = Search::new(board, settings).run(State::new(board), 0, &QUIET, &mut Blank, None);
        assert_eq!(outcome.simulations, 50);
        assert_eq!(outcome.actions.iter().map(|a| a.visits).sum::<u32>(), 50);
        // Four corners (as pairs of twins) and four inner edges.
        assert_eq!(outcome.actions.len(), 8);
        assert!((outcome.actions.iter().map(|a| a.policy).sum::<f32>() - 1.0).abs() < 1e-5);
    }
}

/// The score matters: ahead by enough, a certain small loss of boxes is as good as any when only the result counts.
#[test]
fn the_lead_changes_what_is_won() {
    let board = Board::new(2, 2).unwrap();
    let settings = Settings { margin_weight: 0.0, ..settings(200) };
    let mut search = Search::new(board, settings);
    let ahead = search.run(State::new(board), 20, &QUIET, &mut Blank, None);
    let behind = search.run(State::new(board), -20, &QUIET, &mut Blank, None);
    assert_eq!((ahead.value, behind.value), (1.0, -1.0));
}

/// Asks for positions of a board, under all symmetries, through a cache whose evaluator tells edges apart: each undrawn
/// edge has to get the logit of another undrawn edge of the canonical position. Gives the cache's counts.
fn ask_through_a_cache(board: Board, step: usize) -> (u64, u64) {
    struct Asymmetric;
    impl Evaluator for Asymmetric {
        fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
            *evaluation = Evaluation::BLANK;
            for edge in state.undrawn() {
                evaluation.logits[edge.index()] = edge.index() as f32;
            }
        }
    }
    let mut cached = Cached::new(Asymmetric, 64);
    let mut seen = Evaluation::BLANK;
    for state in states(board, step) {
        let (canonical, _) = state.canonical();
        for symmetry in board.symmetries() {
            let image = state.image(symmetry);
            cached.evaluate(image, &mut seen);
            let mut found: Vec<u32> = image.undrawn().iter().map(|e| seen.logits[e.index()] as u32).collect();
            found.sort_unstable();
            let expected: Vec<u32> = canonical.undrawn().iter().map(|e| e.index() as u32).collect();
            assert_eq!(found, expected);
        }
    }
    cached.counts()
}

#[test]
fn the_cache_maps_symmetries_and_twins_back() {
    let (asked, computed) = ask_through_a_cache(Board::new(3, 3).unwrap(), 99_991);
    assert_eq!(asked, 8 * computed);
    // A box at the end of a row has three or four edges that are alike.
    ask_through_a_cache(Board::new(1, 3).unwrap(), 1);
    ask_through_a_cache(Board::new(1, 1).unwrap(), 1);
}
