//! Searches whose outcome is known from the solver or from a computation by hand.

use crate::board::{Board, Edge, Edges, MAX_EDGES, Position, State};
use crate::solver::tests::edge_margin;
use crate::solver::{Bounds, ProvedEdges, Solver};

use super::*;

const NO_NOISE: [f32; MAX_EDGES] = [0.0; MAX_EDGES];

/// An evaluator with exact margins and equal logits.
struct Exact(Solver);

impl Evaluator for Exact {
    fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
        evaluation.reset();
        let margin = self.0.margin(state, u64::MAX).unwrap() + self.0.board().boxes() as i32;
        evaluation.margins[margin as usize] = 1.0;
    }
}

/// An evaluator without knowledge: equal logits, and a margin of 0 or 1 by parity.
struct Blank;

impl Evaluator for Blank {
    fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
        evaluation.reset();
        let (boxes, open) = (state.board().boxes(), state.open_boxes());
        evaluation.margins[boxes - open % 2] = 0.5;
        evaluation.margins[boxes + open % 2] += 0.5;
    }
}

/// Both selection rules.
const SELECTIONS: [Selection; 2] = [Selection::Puct { exploration: 0.45 }, Selection::Gumbel];

fn settings(simulations: usize) -> Settings {
    Settings { simulations, max_considered: 64, margin_weight: 1.0, ..Settings::default() }
}

/// Returns the settings with each selection rule.
fn with_each_selection(settings: Settings) -> [Settings; 2] {
    SELECTIONS.map(|selection| Settings { selection, ..settings.clone() })
}

fn states(board: Board, step: usize) -> impl Iterator<Item = State> {
    let all = (1u64 << board.edges()) - 1;
    (0..all).step_by(step).map(move |word| State::from_drawn(board, Edges::from_bytes(&word.to_le_bytes())))
}

/// With exact leaves, a search that tries every action once finds an optimal edge at every root.
#[test]
fn an_exact_evaluator_finds_an_optimal_edge_at_every_root() {
    for (rows, cols, step) in [(2, 2, 1), (2, 3, 17), (3, 3, 20_011)] {
        let board = Board::new(rows, cols).unwrap();
        let mut solver = Solver::new(board, 1 << 16);
        let mut exact = Exact(Solver::new(board, 1 << 16));
        for state in states(board, step) {
            let best = solver.solve(state, u64::MAX).best;
            // With boxes on offer, both actions are evaluated before the first simulation.
            let root = Search::new(board, settings(0)).run(state, 1, &NO_NOISE, &mut exact, None);
            let needed = if matches!(root.choice(), Choice::Draw(_)) { root.actions.len() } else { 0 };
            let [_, gumbel] = with_each_selection(settings(needed));
            let mut player = Player::new(board, gumbel, &mut exact);
            let play = player.decide(&Position::from_state(state));
            assert!(best.contains(play.edge), "{state} {play:?}");
        }
    }
}

/// Without any knowledge, bounds are true, and lead to exact play once the whole tree is searched.
#[test]
fn proved_bounds_are_true_and_meet() {
    let board = Board::new(2, 3).unwrap();
    let mut solver = Solver::new(board, 1 << 16);
    let mut settled = 0;
    let mut searches: Vec<Search> = [30, 3000]
        .into_iter()
        .flat_map(|count| with_each_selection(settings(count)))
        .map(|s| Search::new(board, s))
        .collect();
    for state in states(board, 61) {
        let margin = solver.margin(state, u64::MAX).unwrap();
        for search in &mut searches {
            let outcome = search.run(state, 2, &NO_NOISE, &mut Blank, None);
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

/// Returns the exact margin after the first edge of a choice, for the player who draws it.
fn first_edge_margin(choice: Choice, state: State, solver: &mut Solver) -> i32 {
    edge_margin(solver, state, choice.first_edge(state).unwrap())
}

/// Bounds that the solver proves during a search are true, even if its budgets do not always
/// suffice, and larger budgets settle more positions.
#[test]
fn bounds_from_the_solver_are_true() {
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
                let outcome = search.run(state, lead, &NO_NOISE, &mut Blank, Some(&mut leaves));
                assert!(outcome.bounds.contains(margin), "{outcome:?} {margin}");
                *settled.last_mut().unwrap() += outcome.margin().is_some() as usize;
                for action in &outcome.actions {
                    let held = first_edge_margin(action.choice, state, &mut solver);
                    let Bounds { lower, upper } = action.bounds;
                    // "Take all" and "keep control" begin with an edge that may leave the other
                    // choice open.
                    let is_answer = !matches!(action.choice, Choice::Draw(_));
                    assert!(lower <= held && (held <= upper || is_answer), "{action:?} {held}");
                }
            }
        }
        assert!(settled.is_sorted() && settled[0] < settled[1], "{settled:?}");
    }
}

/// If only the result counts, the result is proved, with and without the solver at leaves, and play
/// reaches it.
#[test]
fn results_are_proved_if_only_they_count() {
    for (rows, cols, step) in [(2, 3, 97), (3, 3, 40_009)] {
        let board = Board::new(rows, cols).unwrap();
        let mut solver = Solver::new(board, 1 << 16);
        let mut leaves = Solver::new(board, 1 << 16);
        let (mut proved, mut without_margin) = (0, 0);
        let with =
            |solver_undrawn| Settings { margin_weight: 0.0, solver_undrawn, solver_nodes: 1000, ..settings(400) };
        for settings in [0, 12].into_iter().flat_map(|undrawn| with_each_selection(with(undrawn))) {
            let mut search = Search::new(board, settings);
            for (state, lead) in states(board, step).zip((-3..=3).cycle()) {
                let margin = solver.margin(state, u64::MAX).unwrap();
                let outcome = search.run(state, lead, &NO_NOISE, &mut Blank, Some(&mut leaves));
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

/// At a settled node the principal variation continues with a proved action, even one with few
/// visits.
#[test]
fn the_principal_variation_follows_proved_actions() {
    let board = Board::new(2, 3).unwrap();
    let mut searches = with_each_selection(settings(60)).map(|settings| Search::new(board, settings));
    let mut settled = 0;
    for (index, state) in states(board, 61).enumerate() {
        let search = &mut searches[index % 2];
        search.run(state, 1, &NO_NOISE, &mut Blank, None);
        for node in (0..search.nodes.len() as u32).filter(|&node| search.is_settled(node)) {
            if search.actions_of(node).is_empty() {
                continue;
            }
            let expected = &search.actions_of(node)[search.expected(node).unwrap()];
            let least = search.utility_of(node, search.action_bounds(expected).lower);
            assert_eq!(least, search.utility_of(node, search.node(node).bounds.lower));
            settled += 1;
        }
    }
    assert!(settled > 1000, "{settled}");
}

/// Two 3-chains on 2x3, one of them opened: taking all three boxes ends 3-3, keeping control ends
/// 4-2.
#[test]
fn keeping_control_beats_taking_all() {
    let board = Board::new(2, 3).unwrap();
    // All horizontal edges and the left ends are drawn. The top chain has been opened at its left
    // end.
    let mut drawn: Edges = (0..9).map(crate::board::Edge::new).collect();
    drawn.insert(board.vertical(0, 0).unwrap());
    let state = State::from_drawn(board, drawn);
    let offer = state.offer();
    assert_eq!((offer.taken, offer.price), (3, Some(4)));
    for (evaluate_exactly, settings) in
        [true, false].into_iter().flat_map(|e| with_each_selection(settings(40)).map(|s| (e, s)))
    {
        let mut search = Search::new(board, settings);
        let outcome = if evaluate_exactly {
            search.run(state, 0, &NO_NOISE, &mut Exact(Solver::new(board, 1 << 10)), None)
        } else {
            search.run(state, 0, &NO_NOISE, &mut Blank, None)
        };
        assert_eq!(outcome.choice(), Choice::KeepControl);
        assert_eq!(outcome.margin().unwrap_or(2), 2);
    }
    // Take one box, then leave the last two by drawing the far end.
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

/// The last chain of two is one action. At a root of 2x2 every simulation is counted once.
#[test]
fn actions_and_visits_of_small_boards() {
    let board = Board::new(1, 2).unwrap();
    let state: State = "1x2:0x1b".parse().unwrap();
    // H0,0, H0,1, V0,0 and H1,1 (bits 0, 1, 4 and 3) are drawn. The left box lacks H1,0 and V0,1,
    // the right box V0,1 and V0,2: a chain of two. After its middle edge both boxes are taken at
    // once.
    let mut search = Search::new(board, settings(8));
    let outcome = search.run(state, 0, &NO_NOISE, &mut Blank, None);
    assert_eq!(outcome.margin(), Some(-2));
    assert_eq!(outcome.actions.len(), 1);
    assert_eq!(outcome.choice(), Choice::Draw(Edges::EMPTY.with(board.vertical(0, 1).unwrap())));
    let board = Board::new(2, 2).unwrap();
    for settings in with_each_selection(settings(50)) {
        let outcome = Search::new(board, settings).run(State::new(board), 0, &NO_NOISE, &mut Blank, None);
        assert_eq!(outcome.simulations, 50);
        assert_eq!(outcome.actions.iter().map(|a| a.visits).sum::<u32>(), 50);
        // Four corners, each a pair of twins, and four inner edges.
        assert_eq!(outcome.actions.len(), 8);
        assert!((outcome.actions.iter().map(|a| a.policy).sum::<f32>() - 1.0).abs() < 1e-5);
    }
}

/// If only the result counts, a player who is far enough ahead wins in spite of a loss of boxes.
#[test]
fn the_lead_decides_the_result() {
    let board = Board::new(2, 2).unwrap();
    let settings = Settings { margin_weight: 0.0, ..settings(200) };
    let mut search = Search::new(board, settings);
    let ahead = search.run(State::new(board), 20, &NO_NOISE, &mut Blank, None);
    let behind = search.run(State::new(board), -20, &NO_NOISE, &mut Blank, None);
    assert_eq!((ahead.value, behind.value), (1.0, -1.0));
}

/// Evaluates positions of a board, under all symmetries, through a cache whose evaluator gives each
/// edge a different logit. Each undrawn edge must get the logit of a different undrawn edge of the
/// canonical position. Returns the counts of the cache.
fn evaluate_through_a_cache(board: Board, step: usize) -> (u64, u64) {
    struct Asymmetric;
    impl Evaluator for Asymmetric {
        fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
            evaluation.reset();
            for edge in state.undrawn() {
                evaluation.logits[edge.index()] = edge.index() as f32;
            }
        }
    }
    let mut cached = Cached::new(Asymmetric, 64);
    let mut seen = Evaluation::new(board);
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
    let (requests, computed) = evaluate_through_a_cache(Board::new(3, 3).unwrap(), 99_991);
    assert_eq!(requests, 8 * computed);
    // A box at the end of a row has three or four interchangeable edges.
    evaluate_through_a_cache(Board::new(1, 3).unwrap(), 1);
    evaluate_through_a_cache(Board::new(1, 1).unwrap(), 1);
}

/// With few nodes the solver proves a tie where a win is possible. The search looks for it.
#[test]
fn a_win_is_looked_for_behind_a_proved_tie() {
    const NODES: u64 = 256;
    let board = Board::new(3, 4).unwrap();
    let mut solver = Solver::new(board, 1 << 16);
    let mut results = [0; 2];
    for state in states(board, 500_009).filter(|state| (19..=23).contains(&state.undrawn().len())) {
        let proved = Solver::new(board, 1 << 12).proved_edges(state, 0, NODES);
        if proved.is_final || proved.edges.is_empty() || state.free_capture().is_some() {
            continue;
        }
        let position = Position::from_state(state);
        let root = Solver::new(board, 1 << 12);
        let settings = Settings { margin_weight: 0.5, ..settings(64) };
        let exact = Exact(Solver::new(board, 1 << 16));
        let play = Player::new(board, settings, exact).with_solver(root, 99, NODES).decide(&position);
        let result = edge_margin(&mut solver, state, play.edge).signum();
        assert_eq!(result, solver.margin(state, u64::MAX).unwrap().signum(), "{state}");
        results[result as usize] += 1;
    }
    assert!(results.iter().all(|&count| count > 5), "{results:?}");
}

#[test]
fn a_proved_tie_is_kept_where_the_search_expects_less() {
    let [tie, other] = [3, 5].map(Edge::new);
    let tied = ProvedEdges { edges: Edges::EMPTY.with(tie), is_final: false };
    let none = ProvedEdges { edges: Edges::EMPTY, ..tied };
    for (edge, value, proved, expected) in [
        (other, -0.1, tied, (tie, Some(tied))),
        (other, 0.1, tied, (other, None)),
        (other, 0.0, tied, (other, None)),
        (other, -0.1, none, (other, None)),
        // All edges that tie are as good.
        (tie, -0.1, tied, (tie, Some(tied))),
        (tie, 0.1, tied, (tie, None)),
    ] {
        let bounds = Bounds::of_open_boxes(4);
        let outcome = Outcome { actions: Vec::new(), chosen: 0, value, bounds, raw_margin: 0.0, simulations: 8 };
        let play = Play { edge, proved: None, searched: Some(outcome) }.or_tie(proved);
        assert_eq!((play.edge, play.proved), expected, "{edge:?} {value}");
    }
}
