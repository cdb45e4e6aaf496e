//! Any text as a board, a state, an edge, a set of edges or a game: an error, or a value with the same text form, on which
//! the rules hold.
#![no_main]

use doublecross_core::board::{Board, Position, State};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(board) = text.parse::<Board>() {
        assert_eq!(board.to_string().parse(), Ok(board));
    }
    if let Ok(state) = text.parse::<State>() {
        assert_eq!(state.to_string().parse(), Ok(state));
        check(state);
    }
    let board = Board::new(5, 5).expect("a board");
    if let Ok(edge) = board.parse_edge(text) {
        assert_eq!(board.parse_edge(&board.edge_name(edge)), Ok(edge));
    }
    if let Ok(edges) = board.parse_edges(text) {
        assert_eq!(board.parse_edges(&format!("{edges:#x}")), Ok(edges));
    }
    if let Ok(position) = text.parse::<Position>() {
        let boxes = position.board().boxes();
        assert_eq!(position.scores().iter().sum::<usize>(), boxes - position.state().open_boxes());
        assert_eq!(position.to_string().lines().count(), 2 * position.board().rows() + 1);
        check(position.state());
    }
});

fn check(state: State) {
    assert_eq!(state.canonical().0.undrawn().len(), state.undrawn().len());
    let offer = state.offer();
    assert!(offer.rest.is_capture_free());
    assert_eq!(state.capturing_edge().is_some(), offer.taken > 0);
    assert_eq!(state.control_edge().is_some(), offer.price.is_some());
    assert!(offer.rest.safe_edges().difference(offer.rest.undrawn()).is_empty());
    let openings: usize = offer.rest.openings().map(|opening| opening.length as usize).sum();
    assert!(openings <= offer.rest.open_boxes());
}
