//! Bots that follow a rule of thumb, without search.

mod chains;
mod greedy;

use crate::board::{Edge, Edges, Position};

/// A bot that follows a rule of thumb. Where its rule leaves several edges, the nonce and the position decide: the same
/// nonce plays the same game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simple {
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

impl Simple {
    /// The edge to draw in a position that is not over.
    ///
    /// ```
    /// use doublecross::board::parse_game;
    /// use doublecross::simple::Simple;
    /// let position = parse_game("1x1 H0,0 H1,0 V0,0")?;
    /// assert_eq!(position.board().captures(position.drawn(), Simple::Greedy.choose(&position, 1)), 1);
    /// # Ok::<(), doublecross::board::TextError>(())
    /// ```
    ///
    /// # Panics
    /// When the position is over.
    pub fn choose(self, position: &Position, nonce: u64) -> Edge {
        match self {
            Simple::Random => position.pick(position.undrawn(), nonce),
            Simple::First => None,
            Simple::Greedy => greedy::choose(position, nonce),
            Simple::Chains => chains::choose(position, nonce),
        }
        .or_else(|| position.undrawn().lowest())
        .expect("the position is not over")
    }
}

/// The edges after which no box has exactly one undrawn side that had two before.
fn careful(position: &Position) -> Edges {
    let (board, drawn) = (position.board(), position.drawn());
    let gives_nothing =
        |edge: &Edge| board.boxes_of(*edge).iter().all(|&b| board.sides(b as usize).difference(drawn).len() != 2);
    position.undrawn().iter().filter(gives_nothing).collect()
}
