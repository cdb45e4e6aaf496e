//! Groups of edges that lead to the same result by the rules alone.

use super::{Edges, Offer, State};

impl State {
    /// Returns the undrawn edges in groups that lead to the same result by the rules alone: all
    /// edges of a chain, or both edges of a corner. An edge that captures a box is a group of its
    /// own.
    ///
    /// ```
    /// use doublecross_core::board::{Board, State};
    /// // Four corners and four inner edges.
    /// assert_eq!(State::new(Board::new(2, 2)?).equivalent_edges().len(), 8);
    /// # Ok::<(), doublecross_core::board::BoardError>(())
    /// ```
    pub fn equivalent_edges(self) -> Vec<Edges> {
        let mut groups: Vec<(Option<Offer>, Edges)> = Vec::new();
        for edge in self.undrawn() {
            let offer = (self.captures(edge) == 0).then(|| self.after(edge).merge_twins().offer());
            match groups.iter_mut().find(|(other, _)| offer.is_some() && *other == offer) {
                Some((_, edges)) => edges.insert(edge),
                None => groups.push((offer, Edges::EMPTY.with(edge))),
            }
        }
        groups.into_iter().map(|(_, edges)| edges).collect()
    }
}
