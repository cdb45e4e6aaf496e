//! The single edges of «take all» and «keep control».

use crate::board::{Board, Edge, Edges};

use super::Offer;

/// An edge that takes a box on offer, or `None` when there is none on offer.
pub fn capturing_edge(board: Board, drawn: Edges) -> Option<Edge> {
    board.undrawn(drawn).iter().find(|&edge| board.captures(drawn, edge) > 0)
}

/// The next edge of keeping control: one that takes a box while control can still be kept after it, else the one that
/// leaves the last boxes to the opponent. `None` when there is nothing to keep control with.
pub fn keeping_edge(board: Board, drawn: Edges) -> Option<Edge> {
    let resolve = |drawn| Offer::resolve(board.layout(), board.strings(drawn));
    let offer = resolve(drawn);
    if offer.price == 0 {
        return None;
    }
    let takes_on = |edge: &Edge| {
        let after = resolve(drawn.with(*edge));
        board.captures(drawn, *edge) > 0 && after.price == offer.price && after.rest == offer.rest
    };
    // What is left are double crosses: as many boxes as keeping control costs in margin, halved.
    let hands_over = |edge: &Edge| {
        let after = resolve(drawn.with(*edge));
        board.captures(drawn, *edge) == 0 && (after.taken, after.price, after.rest) == (offer.price / 2, 0, offer.rest)
    };
    let undrawn = board.undrawn(drawn);
    undrawn.iter().find(takes_on).or_else(|| undrawn.iter().find(hands_over))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keeping control from any position must cost exactly what the offer says: the mover takes `taken - price / 2`
    /// boxes, hands over `price / 2`, and the opponent, having taken them, is to move in `rest`.
    #[test]
    fn keeping_control_ends_where_the_offer_says() {
        let board = Board::new(3, 3).unwrap();
        let mut kept = [0; 2];
        for word in (0..1u64 << 24).step_by(13) {
            let mut drawn = Edges::from_bytes(word.to_le_bytes());
            let offer = Offer::resolve(board.layout(), board.strings(drawn));
            assert_eq!(keeping_edge(board, drawn).is_some(), offer.price > 0);
            assert_eq!(capturing_edge(board, drawn).is_some(), offer.taken > 0);
            if offer.price == 0 {
                continue;
            }
            let mut taken = 0;
            loop {
                let edge = keeping_edge(board, drawn).expect("control can still be kept");
                let captured = board.captures(drawn, edge) as i32;
                drawn.insert(edge);
                taken += captured;
                if captured == 0 {
                    break;
                }
            }
            assert_eq!(taken, offer.taken - offer.price / 2);
            let handed = Offer::resolve(board.layout(), board.strings(drawn));
            assert_eq!((handed.taken, handed.price, handed.rest), (offer.price / 2, 0, offer.rest));
            kept[(offer.price == 8) as usize] += 1;
        }
        assert!(kept[0] > 1000 && kept[1] > 10, "{kept:?}");
    }
}
