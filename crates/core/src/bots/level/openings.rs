//! Openings: the edge that seems to give the fewest boxes away.

use super::Traits;
use crate::board::{Edge, Position};

/// Returns an edge that gives the fewest boxes away, as far as the player counts.
pub(super) fn choose(traits: &Traits, position: &Position, nonce: u64) -> Option<Edge> {
    let state = position.state();
    let is_hard_hearted = traits.keeps_control > 0;
    let cost = |edge: Edge| {
        let offer = state.after(edge).offer();
        (offer.taken.min(traits.counts_to), is_hard_hearted && offer.price.is_some())
    };
    let least = position.undrawn().iter().map(cost).min()?;
    position.pick(position.undrawn().iter().filter(|&edge| cost(edge) == least).collect(), nonce)
}
