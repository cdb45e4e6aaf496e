//! The part that every simulated worker hands in.

use std::sync::OnceLock;

use doublecross::board::{Board, Edge, State};
use doublecross::selfplay::{MarginTarget, Part, PlayedItem, Sample};

use crate::ITEMS;

/// The samples of an item, and the edges in the policy of each.
const SAMPLES: usize = 22;
const POLICY: usize = 30;

/// The board of the games.
pub fn board() -> Board {
    Board::new(5, 5).expect("a board")
}

/// A part as a worker hands it in.
pub fn part() -> bytes::Bytes {
    static PART: OnceLock<bytes::Bytes> = OnceLock::new();
    PART.get_or_init(|| {
        let policy = Sample::quantize((0..POLICY).map(|edge| (Edge::new(edge), 1.0 / POLICY as f32)));
        let margin = MarginTarget::Played(1);
        let sample = Sample { state: State::new(board()), margin, policy, edge_margins: Vec::new() };
        let item = |number| PlayedItem { number, samples: vec![sample.clone(); SAMPLES], ..PlayedItem::default() };
        let items = (0..ITEMS as u32).map(item).collect();
        Part { orders: 1, generation: 1, items }.to_bytes().into()
    })
    .clone()
}

pub fn item_bytes() -> f64 {
    part().len() as f64 / ITEMS as f64
}
