//! Safe edges: which edges are taken for safe.

use super::Traits;
use super::chance::Chance;
use crate::board::{Edge, Edges, Position};
use crate::bots::rule::{captures, without_third_sides};

/// Numbers of the chances, beyond those of boxes on offer on boards of at most 100 edges. On larger
/// ones a box on offer may share its chance with a third side, which does no harm.
const NUMBERS: u64 = 100;

/// Returns the edges that seem to give no box away: those that give none, and those whose third
/// side is overlooked.
pub(super) fn seemingly_safe(traits: &Traits, position: &Position, nonce: u64) -> Edges {
    let chance = Chance::new(position, nonce);
    let safe = without_third_sides(position.state());
    let others = position.undrawn().difference(captures(position));
    let seems_safe =
        |edge: &Edge| safe.contains(*edge) || !chance.happens(traits.sees_third_sides, NUMBERS + edge.index() as u64);
    others.iter().filter(seems_safe).collect()
}
