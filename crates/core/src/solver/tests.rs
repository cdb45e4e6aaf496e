//! The solver against retrograde analysis by the bare rules.

use std::collections::HashMap;

use proptest::prelude::*;

use crate::board::{Board, Edge, Edges, State};

use super::*;

/// Returns `V` of every position of a small board by the bare rules: no chains, no symmetry, no
/// capture-free positions.
pub(crate) fn retrograde(board: Board) -> Vec<i8> {
    let edges = board.edges();
    let sides: Vec<u32> = (0..board.boxes()).map(|b| board.sides(b).iter().map(|e| 1 << e.index()).sum()).collect();
    let boxes: Vec<Vec<u32>> =
        (0..edges).map(|e| sides.iter().copied().filter(|side| side >> e & 1 == 1).collect()).collect();
    let full = (1u32 << edges) - 1;
    let mut values = vec![0i8; 1 << edges];
    for drawn in (0..full).rev() {
        let mut best = i8::MIN;
        for (e, boxes) in boxes.iter().enumerate().filter(|(e, _)| drawn >> e & 1 == 0) {
            let after = drawn | 1 << e;
            let captured = boxes.iter().filter(|&&side| side & after == side).count() as i8;
            let rest = values[after as usize];
            best = best.max(if captured > 0 { captured + rest } else { -rest });
        }
        values[drawn as usize] = best;
    }
    values
}

fn state_of(board: Board, word: usize) -> State {
    State::from_drawn(board, Edges::from_bytes(&(word as u64).to_le_bytes()))
}

/// Checks the margin and the optimal edges of the positions that `every` selects.
fn check(rows: usize, cols: usize, table: usize, every: impl Fn(usize) -> bool) {
    let board = Board::new(rows, cols).unwrap();
    let values = retrograde(board);
    let mut solver = Solver::new(board, table);
    for word in (0..values.len()).filter(|&word| every(word)) {
        let state = state_of(board, word);
        let solution = solver.solve(state, u64::MAX);
        assert_eq!(solution.margin(), Some(values[word] as i32), "{state}");
        let best = state.undrawn().iter().filter(|&edge| {
            let rest = values[word | 1 << edge.index()] as i32;
            solution.margin() == Some(after(state.captures(edge), rest))
        });
        assert_eq!(solution.best, best.collect(), "{state}");
    }
}

#[test]
fn known_values_of_empty_boards_by_the_bare_rules() {
    let known = [(1, 1, -1), (1, 2, 0), (1, 3, -1), (1, 4, 0), (1, 5, -1), (1, 6, 0), (2, 2, 2), (2, 3, -2), (2, 4, 2)];
    for (rows, cols, margin) in known {
        assert_eq!(retrograde(Board::new(rows, cols).unwrap())[0], margin, "{rows}x{cols}");
    }
    let values = retrograde(Board::new(3, 3).unwrap());
    assert_eq!(values[0], -3);
    assert!((0..24).all(|e| values[1 << e] == 3), "all first moves of 3x3 should be worth -3");
    let values = retrograde(Board::new(2, 2).unwrap());
    let inner = (0..12).filter(|e| values[1 << e] == 0).count();
    assert_eq!(inner, 4, "the four inner edges of 2x2 should give 0");
}

#[test]
fn every_position_of_the_smallest_boards() {
    check(1, 4, 1 << 10, |_| true);
    check(4, 1, 1 << 10, |_| true);
    check(2, 2, 1 << 12, |_| true);
    check(2, 3, 1 << 14, |_| true);
    check(3, 2, 1 << 14, |word| word % 7 == 0);
}

#[test]
fn a_table_of_a_few_entries_changes_no_answer() {
    check(2, 3, 2, |word| word % 11 == 0);
}

#[test]
fn a_sample_of_3x3() {
    check(3, 3, 1 << 18, |word| word % 149 == 0);
}

/// Checks the margin alone, of the positions that `every` selects.
fn check_margins(rows: usize, cols: usize, every: impl Fn(usize) -> bool) {
    let board = Board::new(rows, cols).unwrap();
    let values = retrograde(board);
    let mut solver = Solver::new(board, 1 << 18);
    for word in (0..values.len()).filter(|&word| every(word)) {
        let state = state_of(board, word);
        assert_eq!(solver.margin(state, u64::MAX), Some(values[word] as i32), "{state}");
    }
}

#[test]
fn every_margin_of_2x4() {
    check_margins(2, 4, |_| true);
}

#[test]
fn a_million_margins_of_3x3() {
    check_margins(3, 3, |word| word % 15 == 0);
}

/// Returns the margin of the player to move after a move with this many captures, by the bare
/// rules.
fn after(captures: usize, rest: i32) -> i32 {
    if captures > 0 { captures as i32 + rest } else { -rest }
}

/// Returns the margin by the bare rules with a memo and nothing else.
pub(super) fn margin_by_the_rules(state: State, memo: &mut HashMap<State, i32>) -> i32 {
    if let Some(&known) = memo.get(&state) {
        return known;
    }
    let value = |edge| after(state.captures(edge), margin_by_the_rules(state.after(edge), memo));
    let best = state.undrawn().iter().map(value).max().unwrap_or(0);
    memo.insert(state, best);
    best
}

/// Returns the exact margin still to come if this edge is drawn, for the player who draws it.
pub(crate) fn edge_margin(solver: &mut Solver, state: State, edge: Edge) -> i32 {
    after(state.captures(edge), solver.margin(state.after(edge), u64::MAX).unwrap())
}

/// Returns the exact margin with each undrawn edge.
fn margins(solver: &mut Solver, state: State) -> Vec<(Edge, i32)> {
    state.undrawn().iter().map(|edge| (edge, edge_margin(solver, state, edge))).collect()
}

fn any_state(least: usize, most: usize) -> impl Strategy<Value = State> {
    let sizes = [(2, 7), (3, 4), (4, 4), (3, 6), (5, 5), (4, 6), (7, 2), (1, 15), (5, 3)];
    (prop::sample::select(sizes.to_vec()), least..=most).prop_flat_map(|((rows, cols), undrawn)| {
        let board = Board::new(rows, cols).unwrap();
        let edges: Vec<Edge> = board.all().iter().collect();
        let undrawn = prop::sample::subsequence(edges, undrawn);
        undrawn.prop_map(move |undrawn| State::from_undrawn(board, undrawn.into_iter().collect()))
    })
}

/// A stop ends every question of a query, and none starts again.
#[test]
fn a_stop_ends_all_questions_of_a_query() {
    let state: State = "5x5:0x10c18fa2002f5b".parse().unwrap();
    let mut solver = Solver::new(state.board(), 1 << 18);
    let lead = 15;
    assert_eq!(solver.is_at_least(state, -lead, 1_000_000), Some(true));
    solver.handle().stop();
    solver.proved_edges(state, lead, u64::MAX);
    assert!(solver.was_stopped());
    assert!(solver.nodes() <= 1 << 10, "{}", solver.nodes());
    solver.handle().resume();
    solver.proved_edges(state, lead, 5_000);
    assert!(!solver.was_stopped());
    assert_eq!(solver.nodes(), 5_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_positions_agree_with_the_bare_rules(state in any_state(0, 14), small: bool) {
        let mut memo = HashMap::new();
        let expected = margin_by_the_rules(state, &mut memo);
        let mut solver = Solver::new(state.board(), if small { 4 } else { 1 << 12 });
        let solution = solver.solve(state, u64::MAX);
        prop_assert_eq!(solution.margin(), Some(expected));
        for (edge, margin) in margins(&mut solver, state) {
            prop_assert_eq!(solution.best.contains(edge), margin == expected);
        }
        for target in expected - 1..=expected + 2 {
            prop_assert_eq!(solver.is_at_least(state, target, u64::MAX), Some(expected >= target));
        }
    }

    /// With any budget, proved edges keep the best result that could be proved.
    #[test]
    fn proved_edges_keep_the_proved_result(state in any_state(18, 26), nodes in 0u64..200, lead in -4..5) {
        let mut solver = Solver::new(state.board(), 1 << 14);
        let edges = solver.proved_edges(state, lead, nodes).edges;
        prop_assert!(solver.nodes() <= nodes);
        let margins = margins(&mut Solver::new(state.board(), 1 << 14), state);
        let margin_of = |edge| margins.iter().find(|(other, _)| *other == edge).map(|(_, margin)| *margin).unwrap();
        let best = margins.iter().map(|(_, margin)| *margin).max().unwrap();
        for edge in edges {
            let margin = margin_of(edge);
            prop_assert!(margin == best || margin + lead > 0 || (margin + lead == 0 && best + lead >= 0));
        }
        let all = solver.proved_edges(state, lead, u64::MAX).edges;
        prop_assert!(margins.iter().all(|&(edge, margin)| all.contains(edge) == (margin == best)));
        prop_assert_eq!(solver.best_edges(state, u64::MAX), all);
        // With the margin as the only goal, no edge is returned that merely wins.
        let some = Solver::new(state.board(), 1 << 14).best_edges(state, nodes);
        prop_assert!(some.iter().all(|edge| margin_of(edge) == best));
    }

    /// A larger budget, which settles the margin but not the edges that reach it, still proves what
    /// a smaller one proves.
    #[test]
    fn a_larger_budget_keeps_a_proved_win(extra in 0u64..400) {
        for (text, winners) in [("5x5:0x4a9eb591170192f", vec![27]), ("5x5:0x16bcb1271e03c59", vec![15, 32])] {
            let state: State = text.parse().unwrap();
            let edges = Solver::new(state.board(), 1 << 14).proved_edges(state, 0, 76 + extra).edges;
            prop_assert!(edges.iter().all(|edge| winners.contains(&edge.index())), "{edges:?}");
            prop_assert!(extra < 21 || !edges.is_empty());
        }
    }

    /// With a fresh table for each, the graph itself has to cover symmetries, twins and the course
    /// of chains.
    #[test]
    fn symmetric_positions_are_equal(state in any_state(15, 24)) {
        let margin = |state: State| Solver::new(state.board(), 1 << 14).margin(state, u64::MAX);
        let expected = margin(state);
        for symmetry in state.board().symmetries() {
            prop_assert_eq!(margin(state.image(symmetry)), expected);
        }
        prop_assert_eq!(margin(state.merge_twins()), expected);
    }

    /// A search that is interrupted anywhere leaves nothing false in the table.
    #[test]
    fn interrupted_searches_leave_a_sound_table(state in any_state(18, 26), nodes in 0u64..40) {
        let mut solver = Solver::new(state.board(), 1 << 14);
        let first = solver.solve(state, nodes);
        let whole = solver.solve(state, u64::MAX);
        let fresh = Solver::new(state.board(), 1 << 14).solve(state, u64::MAX);
        prop_assert_eq!((whole.margin(), whole.best), (fresh.margin(), fresh.best));
        prop_assert!(first.bounds.intersect(fresh.bounds) == fresh.bounds);
        prop_assert!(first.nodes <= nodes);
    }
}

#[test]
fn larger_boards_have_their_known_values() {
    for (rows, cols, margin) in [(1, 9, -1), (1, 8, 0), (2, 5, -2), (2, 6, 2), (3, 4, 0)] {
        let board = Board::new(rows, cols).unwrap();
        let solution = Solver::new(board, 1 << 21).solve(State::new(board), u64::MAX);
        assert_eq!(solution.margin(), Some(margin), "{rows}x{cols}");
        if (rows, cols) == (3, 4) {
            let middle: Edges = (0..3).filter_map(|row| board.vertical(row, 2)).collect();
            assert_eq!(solution.best, middle, "only three first moves of 3x4 should tie");
        }
    }
}

#[test]
fn an_exhausted_budget_leaves_true_bounds() {
    let state: State = "5x5:0x586cf2d499e5aba".parse().unwrap();
    let board = state.board();
    let mut solver = Solver::new(board, 1 << 16);
    let exact = solver.solve(state, u64::MAX);
    for nodes in [0, 1, 10, 100] {
        let mut solver = Solver::new(board, 1 << 16);
        let solution = solver.solve(state, nodes);
        assert!(solution.nodes <= nodes);
        assert_eq!(solution.bounds.intersect(exact.bounds), exact.bounds);
    }
    assert_eq!(Solver::new(board, 16).margin(state, 1), None);
}

#[test]
fn too_much_memory_is_an_error() {
    assert!(Solver::check_memory(1 << 10).is_ok());
    assert!(Solver::check_memory(usize::MAX).is_err());
}
