//! The single edges of "take all" and "keep control".

use super::{Edge, State};

impl State {
    /// An edge that takes a box on offer, or `None` when no box is on offer.
    pub fn capturing_edge(self) -> Option<Edge> {
        self.undrawn().iter().find(|&edge| self.captures(edge) > 0)
    }

    /// The next edge of keeping control, or `None` when there is nothing to keep control with.
    ///
    /// It takes a box while control can still be kept after it, and otherwise leaves the last boxes to the opponent.
    pub fn control_edge(self) -> Option<Edge> {
        let offer = self.offer();
        let price = offer.price?;
        let takes_on = |edge: &Edge| {
            let after = self.after(*edge).offer();
            self.captures(*edge) > 0 && after.price == offer.price && after.rest == offer.rest
        };
        // Double-crosses are left: as many boxes as keeping control costs in margin, halved.
        let hands_over = |edge: &Edge| {
            let after = self.after(*edge).offer();
            self.captures(*edge) == 0 && (after.taken, after.price, after.rest) == (price / 2, None, offer.rest)
        };
        self.undrawn().iter().find(takes_on).or_else(|| self.undrawn().iter().find(hands_over))
    }

    /// An edge that takes a box, where taking all that is on offer costs nothing; `None` elsewhere.
    pub fn free_capture(self) -> Option<Edge> {
        self.capturing_edge().filter(|_| self.offer().price.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Edges};

    /// Keeping control from any state must cost exactly what the offer says: the mover takes `taken - price / 2` boxes,
    /// hands over `price / 2`, and the opponent, having taken them, is to move in `rest`.
    #[test]
    fn keeping_control_ends_where_the_offer_says() {
        let board = Board::new(3, 3).unwrap();
        let mut kept = [0; 2];
        for word in (0..1u64 << 24).step_by(13) {
            let mut state = State::from_drawn(board, Edges::from_bytes(word.to_le_bytes()));
            let offer = state.offer();
            assert_eq!(state.control_edge().is_some(), offer.price.is_some());
            assert_eq!(state.capturing_edge().is_some(), offer.taken > 0);
            let Some(price) = offer.price else { continue };
            let mut taken = 0;
            loop {
                let edge = state.control_edge().expect("control can still be kept");
                let captured = state.captures(edge) as i32;
                state = state.after(edge);
                taken += captured;
                if captured == 0 {
                    break;
                }
            }
            assert_eq!(taken, offer.taken - price / 2);
            let handed = state.offer();
            assert_eq!((handed.taken, handed.price, handed.rest), (price / 2, None, offer.rest));
            kept[(price == 8) as usize] += 1;
        }
        assert!(kept[0] > 1000 && kept[1] > 10, "{kept:?}");
    }
}
