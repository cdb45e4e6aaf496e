//! A plain minimax and random positions, which the tests of this module share.

use std::collections::HashMap;

use proptest::prelude::*;

use doublecross_core::board::{Board, Edge, Edges, Position, State};
use doublecross_core::mix::split_mix;

/// A plain minimax by the rules, which remembers the states that it has seen.
#[derive(Default)]
pub(super) struct Minimax(HashMap<State, i32>);

impl Minimax {
    /// Returns the margin still to come for the player to move.
    fn margin(&mut self, state: State) -> i32 {
        if let Some(margin) = self.0.get(&state) {
            return *margin;
        }
        let margin = state.undrawn().iter().map(|edge| self.edge_margin(state, edge)).max().unwrap_or(0);
        self.0.insert(state, margin);
        margin
    }

    /// Returns the margin of the player to move after drawing an edge.
    pub fn edge_margin(&mut self, state: State, edge: Edge) -> i32 {
        let rest = self.margin(state.after(edge));
        match state.captures(edge) as i32 {
            0 => -rest,
            captures => captures + rest,
        }
    }
}

/// A state of a small board with at most so many undrawn edges, of every kind: also those with boxes
/// on offer that no careful player leaves.
pub(super) fn any_state(most: usize) -> impl Strategy<Value = State> {
    let boards = prop::sample::select(vec![(1, 4), (2, 2), (2, 3), (3, 3)]);
    (boards, any::<u64>(), 0..=most).prop_map(|((rows, cols), seed, undrawn)| {
        let board = Board::new(rows, cols).unwrap();
        let mut state = State::new(board);
        for turn in 0..board.edges().saturating_sub(undrawn) as u64 {
            let edges = state.undrawn();
            let safe = state.safe_edges();
            // Mostly careful, so that chains come out.
            let word = split_mix(seed ^ split_mix(turn));
            let from = if word >> 32 & 7 > 0 && !safe.is_empty() { safe } else { edges };
            state = state.after(from.iter().nth(word as u32 as usize % from.len()).unwrap());
        }
        state
    })
}

/// A position of a game on a small board, with at most so many undrawn edges.
pub(super) fn any_position(most: usize) -> impl Strategy<Value = (Vec<Edge>, Position)> {
    (any_state(most), any::<u64>()).prop_map(|(state, seed)| {
        let mut moves: Vec<Edge> = state.drawn().iter().collect();
        moves.sort_by_key(|edge| split_mix(seed ^ split_mix(edge.index() as u64)));
        let mut position = Position::new(state.board());
        for &edge in &moves {
            position.play(edge).unwrap();
        }
        (moves, position)
    })
}

/// The winning edges of a position, its margin and the best margin of any other edge, by the plain
/// minimax.
pub(super) fn answer(position: &Position) -> (Edges, i32, Option<i32>) {
    let mut minimax = Minimax::default();
    let mut margin = |edge| position.lead() + minimax.edge_margin(position.state(), edge);
    let finals: Vec<(Edge, i32)> = position.undrawn().iter().map(|edge| (edge, margin(edge))).collect();
    let winning: Edges = finals.iter().filter(|(_, margin)| *margin > 0).map(|(edge, _)| *edge).collect();
    let others = finals.iter().filter(|(edge, _)| !winning.contains(*edge)).map(|(_, margin)| *margin);
    (winning, finals.iter().map(|(_, margin)| *margin).max().unwrap_or(position.lead()), others.max())
}
