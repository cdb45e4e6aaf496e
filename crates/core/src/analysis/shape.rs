//! Chains and loops as lists of boxes.

use crate::board::{Edge, Edges, State};

/// A chain or a loop: boxes with two undrawn sides, joined by undrawn edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The boxes of the chain or loop, in ascending order.
    pub boxes: Vec<u8>,
    /// `true` for a loop.
    pub is_loop: bool,
}

/// Returns the chains and loops of a state without boxes on offer.
///
/// ```
/// use doublecross_core::analysis::shapes;
/// use doublecross_core::board::Position;
/// // The border of a 2x2 board is drawn and its middle is open: a loop.
/// let game: Position = "2x2 H0,0 H0,1 H2,0 H2,1 V0,0 V1,0 V0,2 V1,2".parse()?;
/// let shapes = shapes(game.state());
/// assert!(shapes.len() == 1 && shapes[0].is_loop && shapes[0].boxes.len() == 4);
/// # Ok::<(), doublecross_core::board::TextError>(())
/// ```
pub fn shapes(state: State) -> Vec<Shape> {
    let (board, undrawn_sides) = (state.board(), |b: usize| state.undrawn_sides(b));
    let is_link = |b: usize| undrawn_sides(b).len() == 2;
    let neighbors = |b: usize| {
        let beside = move |edge: Edge| board.boxes_of(edge).iter().map(|&other| other as usize);
        undrawn_sides(b).iter().flat_map(beside).filter(move |&other| other != b)
    };
    let mut seen = vec![false; board.boxes()];
    let mut shapes = Vec::new();
    for first in (0..board.boxes()).filter(|&b| is_link(b)) {
        if std::mem::replace(&mut seen[first], true) {
            continue;
        }
        let (mut boxes, mut next) = (Vec::new(), vec![first]);
        let mut edges = Edges::EMPTY;
        while let Some(b) = next.pop() {
            boxes.push(b as u8);
            edges = edges.union(undrawn_sides(b));
            for other in neighbors(b).filter(|&other| is_link(other)) {
                if !std::mem::replace(&mut seen[other], true) {
                    next.push(other);
                }
            }
        }
        boxes.sort_unstable();
        // A chain of n boxes has n + 1 edges, a loop of n boxes n.
        let is_loop = edges.len() == boxes.len();
        shapes.push(Shape { boxes, is_loop });
    }
    shapes
}
