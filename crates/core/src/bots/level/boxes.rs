//! Boxes on offer: which of them are noticed, and whether control is kept.

use super::Traits;
use super::chance::Chance;
use crate::board::{Edge, Edges, Position};
use crate::bots::rule::{captures, without_third_sides};

/// Returns the edge to draw in a position with boxes on offer, or `None` if all of them are
/// overlooked.
pub(super) fn choose(traits: &Traits, position: &Position, nonce: u64) -> Option<Edge> {
    let state = position.state();
    let offer = state.offer();
    if offer.taken == 0 {
        return None;
    }
    // The decision is the same for all boxes of a run, since they lead to the same rest.
    let keeps = Chance::keyed(offer.rest.drawn().hash(), nonce).happens(traits.keeps_control, 0);
    if keeps && without_third_sides(offer.rest).is_empty() {
        let rest = offer.rest.smallest_first_margin() as f32;
        return if offer.keeps_control(rest) { state.control_edge() } else { state.capturing_edge() };
    }
    let chance = Chance::new(position, nonce);
    let is_noticed = |edge: &Edge| chance.happens(traits.sees_boxes, edge.index() as u64);
    let noticed: Edges = captures(position).iter().filter(is_noticed).collect();
    position.pick(noticed, nonce)
}
