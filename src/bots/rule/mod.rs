//! Rules of thumb, without search.

mod chains;
mod greedy;

use crate::board::{Edge, Edges, Position, State};

/// A bot that follows a rule of thumb. Where its rule leaves several edges, the nonce and the position decide: the same
/// nonce plays the same game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleBot {
    /// Any undrawn edge, each as likely.
    Random,
    /// The first undrawn edge: what the arena draws for a bot that does not answer.
    First,
    /// Takes a box on offer; otherwise does not draw the third side of a box while it can avoid it; does not count
    /// chains. As the arena's house bot of that name.
    Greedy,
    /// Takes boxes on offer, but keeps control where both players opening their smallest chain from there on says it
    /// pays; opens the smallest chain or loop when it must.
    Chains,
}

impl RuleBot {
    /// Every rule bot, each with its name.
    pub const ALL: [(&'static str, RuleBot); 4] = [
        ("random", RuleBot::Random),
        ("first", RuleBot::First),
        ("greedy", RuleBot::Greedy),
        ("chains", RuleBot::Chains),
    ];

    /// The bot of this name.
    pub fn named(name: &str) -> Option<RuleBot> {
        RuleBot::ALL.iter().find(|(known, _)| *known == name).map(|(_, bot)| *bot)
    }

    /// The edge to draw in a position that is not over.
    ///
    /// ```
    /// use doublecross::board::Position;
    /// use doublecross::bots::RuleBot;
    /// let position: Position = "1x1 H0,0 H1,0 V0,0".parse()?;
    /// assert_eq!(position.state().captures(RuleBot::Greedy.choose(&position, 1)), 1);
    /// # Ok::<(), doublecross::board::TextError>(())
    /// ```
    ///
    /// # Panics
    /// When the position is over.
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

/// The edges that are not the third side of any box.
fn careful(state: State) -> Edges {
    let gives_nothing =
        |edge: &Edge| state.board().boxes_of(*edge).iter().all(|&b| state.undrawn_sides(b as usize).len() != 2);
    state.undrawn().iter().filter(gives_nothing).collect()
}
