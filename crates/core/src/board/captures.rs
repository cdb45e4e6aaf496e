//! Single edges of the two choices "take all" and "keep control".

use super::{Edge, State};

impl State {
    /// Returns an edge that captures a box on offer, or `None` if no box is on offer.
    pub fn capturing_edge(self) -> Option<Edge> {
        self.undrawn().iter().find(|&edge| self.captures(edge) > 0)
    }

    /// Returns the next edge of keeping control, or `None` if control cannot be kept.
    ///
    /// The edge captures a box as long as control can still be kept afterwards. Otherwise it leaves
    /// the last boxes to the opponent.
    pub fn control_edge(self) -> Option<Edge> {
        let offer = self.offer();
        let price = offer.price?;
        let captures_next = |edge: &Edge| {
            let after = self.after(*edge).offer();
            self.captures(*edge) > 0 && after.price == offer.price && after.rest == offer.rest
        };
        // Each box that is left changes the margin by two, so `price / 2` boxes are left.
        let leaves_last = |edge: &Edge| {
            let after = self.after(*edge).offer();
            self.captures(*edge) == 0 && (after.taken, after.price, after.rest) == (price / 2, None, offer.rest)
        };
        self.undrawn().iter().find(captures_next).or_else(|| self.undrawn().iter().find(leaves_last))
    }

    /// Returns an edge that captures a box if taking all costs nothing, because control cannot be
    /// kept. Returns `None` otherwise.
    pub fn free_capture(self) -> Option<Edge> {
        self.capturing_edge().filter(|_| self.offer().price.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Edges};

    /// Keeping control costs exactly what the offer states, from any state: the player to move
    /// takes `taken - price / 2` boxes and leaves `price / 2`, and the opponent, having taken
    /// those, is to move in `rest`.
    #[test]
    fn keeping_control_costs_what_the_offer_states() {
        let board = Board::new(3, 3).unwrap();
        let mut kept = [0; 2];
        for word in (0..1u64 << 24).step_by(13) {
            let mut state = State::from_drawn(board, Edges::from_bytes(&word.to_le_bytes()));
            let offer = state.offer();
            assert_eq!(state.control_edge().is_some(), offer.price.is_some());
            assert_eq!(state.capturing_edge().is_some(), offer.taken > 0);
            let Some(price) = offer.price else { continue };
            let mut taken = 0;
            loop {
                let edge = state.control_edge().expect("the offer should allow keeping control");
                let captured = state.captures(edge) as i32;
                state = state.after(edge);
                taken += captured;
                if captured == 0 {
                    break;
                }
            }
            assert_eq!(taken, offer.taken - price / 2);
            let left = state.offer();
            assert_eq!((left.taken, left.price, left.rest), (price / 2, None, offer.rest));
            kept[(price == 8) as usize] += 1;
        }
        assert!(kept[0] > 1000 && kept[1] > 10, "{kept:?}");
    }
}
