//! The joints and strings of a capture-free position, from which a plan is made on boards that are
//! too large for all of their boxes to be joints.

use crate::board::{Board, Edge, Edges, State};

use super::independent_component::IndependentComponent;
use super::places::{JOINT_PLACES, STRING_PLACES};

/// The joints and strings of a capture-free position (docs/strategy.md, section 9). Moves remove
/// strings as a whole, so they are those of all positions that moves make of it.
pub(crate) struct Outline {
    pub board: Board,
    /// The boxes with three or four undrawn sides.
    pub joints: Vec<usize>,
    /// The strings that hang on a joint.
    pub strings: Vec<OutlineString>,
    /// The chains and loops that hang on no joint.
    pub independent: Vec<IndependentComponent>,
}

/// A string of a outline.
pub(crate) struct OutlineString {
    /// Its edges.
    pub edges: Edges,
    /// The joints at its ends, or `None` for the ground, which comes last.
    pub ends: [Option<usize>; 2],
    /// The number of boxes that it runs through.
    pub length: usize,
}

/// A walk along a string, from one of its edges to one side.
struct Walk {
    edges: Edges,
    /// The number of boxes passed.
    length: usize,
    /// The joint or the ground that it ends at.
    end: Option<usize>,
    /// `true` if it came back to the edge that it started from.
    is_closed: bool,
}

impl Outline {
    /// Returns `true` if a graph has places for all joints and strings.
    pub fn fits(&self) -> bool {
        self.joints.len() <= JOINT_PLACES && self.strings.len() <= STRING_PLACES
    }

    /// Returns the joints and strings of a capture-free state.
    pub fn new(state: State) -> Outline {
        let board = state.board();
        let degree = |b: &usize| state.undrawn_sides(*b).len();
        let joints = (0..board.boxes()).filter(|b| degree(b) >= 3).collect();
        let mut outline = Outline { board, joints, strings: Vec::new(), independent: Vec::new() };
        let mut left = state.undrawn();
        while let Some(edge) = left.lowest() {
            let mut boxes = board.boxes_of(edge).iter().map(|&b| b as usize);
            let [first, second] = [boxes.next(), boxes.next()].map(|start| Walk::new(state, edge, start));
            left = left.difference(first.edges).difference(second.edges);
            if first.is_closed {
                outline.independent.push(IndependentComponent { edge, length: first.length, is_loop: true });
                continue;
            }
            let length = first.length + second.length;
            match [first.end, second.end] {
                [None, None] => outline.independent.push(IndependentComponent { edge, length, is_loop: false }),
                [a, b] => {
                    let ends = if a.is_none() { [b, a] } else { [a, b] };
                    outline.strings.push(OutlineString { edges: first.edges.union(second.edges), ends, length });
                }
            }
        }
        outline
    }
}

impl Walk {
    /// Walks from an edge into the box at one side of it, or onto the ground, and on through boxes
    /// of two undrawn sides.
    fn new(state: State, from: Edge, start: Option<usize>) -> Walk {
        let mut walk = Walk { edges: Edges::EMPTY.with(from), length: 0, end: start, is_closed: false };
        let mut edge = from;
        while let Some(b) = walk.end {
            let sides = state.undrawn_sides(b);
            if sides.len() > 2 {
                return walk;
            }
            walk.length += 1;
            let Some(next) = sides.difference(Edges::EMPTY.with(edge)).lowest() else { return walk };
            if next == from {
                return Walk { is_closed: true, ..walk };
            }
            walk.edges.insert(next);
            walk.end = state.board().boxes_of(next).iter().map(|&beside| beside as usize).find(|&beside| beside != b);
            edge = next;
        }
        walk
    }
}

#[cfg(test)]
mod tests {
    use super::super::bits::bits;
    use super::super::graph::Graph;
    use super::super::graph::tests::any_capture_free;
    use super::super::key::PlainKey;
    use super::super::order::Order;
    use super::super::plan::Plan;
    use super::super::successor::{Move, Successor};
    use super::*;
    use crate::mix::split_mix;
    use proptest::prelude::*;

    /// Returns what is the same in all graphs of a position, whatever the numbers of its strings
    /// and joints.
    fn shape(graph: &Graph<PlainKey>) -> (u32, u32, Vec<(u32, bool)>, Vec<u8>, String) {
        let strings = graph.safe | graph.hanging;
        let is_loop = |string: usize| graph.ends[string][0] == graph.ends[string][1];
        let mut lengths: Vec<(u32, bool)> = bits(strings).map(|s| (graph.length(s), is_loop(s))).collect();
        let mut degrees: Vec<u8> = graph.degree.iter().copied().filter(|&degree| degree > 0).collect();
        lengths.sort_unstable();
        degrees.sort_unstable();
        (graph.boxes, graph.safe.count_ones(), lengths, degrees, format!("{:?}", graph.independent))
    }

    proptest! {
        /// The graph of a position is the same by the plan of its outline as by that of the whole
        /// board, and so are those after any move.
        #[test]
        fn an_outline_has_the_graph_of_its_position(state in any_capture_free(), choices: [u64; 4]) {
            let whole = Plan::new(state.board(), Order::Distance);
            let outline = Plan::of_outline(Outline::new(state)).unwrap();
            let mut state = state;
            let mut graph = Graph::<PlainKey>::new(&outline, state);
            for choice in choices {
                prop_assert_eq!(shape(&graph), shape(&Graph::new(&whole, state)));
                prop_assert_eq!(graph.key(), Graph::<PlainKey>::new(&outline, state).key());
                let edges: Vec<Edge> = state.undrawn().iter().collect();
                let Some(&edge) = edges.get(split_mix(choice) as usize % edges.len().max(1)) else { break };
                let next = state.after(edge).offer().rest;
                let after = Graph::<PlainKey>::new(&outline, next);
                // One of the graph's moves leads there, unless the edge belongs to a chain or loop
                // that hangs on no joint: of those, a short one may be missing from the graph.
                let hangs = Outline::new(state).strings.iter().any(|string| string.edges.contains(edge));
                let strings = bits(graph.safe | graph.hanging).map(|string| Move::String(string as u8));
                let mut successors = strings.map(|played| Successor::new(&outline, &graph, played));
                prop_assert!(!hangs || successors.any(|successor| successor.summary().key == after.key()));
                (state, graph) = (next, after);
            }
            // The plan made anew of a later position gives it the same key.
            let anew = Plan::of_outline(Outline::new(state)).unwrap();
            prop_assert_eq!(Graph::<PlainKey>::new(&anew, state).key(), graph.key());
        }
    }
}
