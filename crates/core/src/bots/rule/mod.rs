//! Rules of thumb, without search.

mod chains;
mod greedy;

use crate::board::{Edge, Edges, Position, State};

/// A bot that follows a rule of thumb. If its rule leaves several edges, the nonce and the position
/// decide, so the same nonce leads to the same game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleBot {
    /// Draws any undrawn edge, each with the same probability.
    Random,
    /// Draws the first undrawn edge, as an arena does for a bot that does not answer.
    First,
    /// Takes a box on offer. Otherwise it avoids drawing the third side of a box as long as it can.
    /// It does not count chains. It plays as the house bot of the same name in arenas.
    Greedy,
    /// Takes boxes on offer, but keeps control if that pays when both players always open their
    /// smallest chain from there on. If it must open a chain or loop, it opens the smallest.
    Chains,
}

impl RuleBot {
    /// All rule bots with their names.
    pub const ALL: [(&'static str, RuleBot); 4] = [
        ("random", RuleBot::Random),
        ("first", RuleBot::First),
        ("greedy", RuleBot::Greedy),
        ("chains", RuleBot::Chains),
    ];

    /// Returns the bot of this name.
    pub fn named(name: &str) -> Option<RuleBot> {
        RuleBot::ALL.iter().find(|(known, _)| *known == name).map(|(_, bot)| *bot)
    }

    /// Returns the edge to draw in a position.
    ///
    /// ```
    /// use doublecross_core::board::Position;
    /// use doublecross_core::bots::RuleBot;
    /// let position: Position = "1x1 H0,0 H1,0 V0,0".parse()?;
    /// assert_eq!(position.state().captures(RuleBot::Greedy.choose(&position, 1)), 1);
    /// # Ok::<(), doublecross_core::board::TextError>(())
    /// ```
    ///
    /// # Panics
    /// Panics if the position is over.
    pub fn choose(self, position: &Position, nonce: u64) -> Edge {
        match self {
            RuleBot::Random => position.pick(position.undrawn(), nonce),
            RuleBot::First => None,
            RuleBot::Greedy => greedy::choose(position, nonce),
            RuleBot::Chains => chains::choose(position, nonce),
        }
        .or_else(|| position.undrawn().lowest())
        .expect("the position should not be over")
    }
}

/// Returns the edges that close a box.
pub(super) fn captures(position: &Position) -> Edges {
    position.undrawn().iter().filter(|&edge| position.state().captures(edge) > 0).collect()
}

/// Returns the undrawn edges that are not the third side of any box.
pub(super) fn without_third_sides(state: State) -> Edges {
    let is_no_third_side =
        |edge: &Edge| state.board().boxes_of(*edge).iter().all(|&b| state.undrawn_sides(b as usize).len() != 2);
    state.undrawn().iter().filter(is_no_third_side).collect()
}
