//! The count of chains: the safe edge after which the endings turn out best.
//!
//! The long chain rule says who will be in control if so many long chains come out
//! (docs/strategy.md, section 6). To count the chains that will come out, a player imagines how the
//! safe edges may run out. The rule needs no table then: at the end of an imagined game the player
//! to move has to open the first chain.

use super::Traits;
use super::chance::Chance;
use crate::board::{Edge, Edges, Position, State};

/// Returns the safe edge with the best imagined endings, or `None` if there are too many safe edges
/// to count.
pub(super) fn choose(traits: &Traits, position: &Position, safe: Edges, nonce: u64) -> Option<Edge> {
    if traits.endings == 0 || safe.len() > traits.counts_from {
        return None;
    }
    let chance = Chance::new(position, nonce);
    let worth = |edge: Edge| -> i32 {
        let after = position.state().after(edge);
        let first = (1 + edge.index() as u64) << 32;
        (0..traits.endings as u64).map(|ending| -imagined_margin(after, chance, first + (ending << 8))).sum()
    };
    let worths: Vec<(Edge, i32)> = safe.iter().map(|edge| (edge, worth(edge))).collect();
    let most = worths.iter().map(|(_, worth)| *worth).max()?;
    position.pick(worths.iter().filter(|(_, worth)| *worth == most).map(|(edge, _)| *edge).collect(), nonce)
}

/// Returns the margin of the player to move in a capture-free state when the safe edges run out at
/// random and the smallest chains are then opened first.
fn imagined_margin(mut state: State, chance: Chance, first: u64) -> i32 {
    let mut sign = 1;
    for number in first.. {
        let safe = state.safe_edges();
        let edge = (chance.word(number) as usize).checked_rem(safe.len()).and_then(|index| safe.iter().nth(index));
        let Some(edge) = edge else { break };
        state = state.after(edge);
        sign = -sign;
    }
    sign * state.smallest_first_margin()
}
