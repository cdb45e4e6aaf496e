//! A capture-free state as a graph of joints and chains (strings and coins; docs/strategy.md, section 9).
//!
//! A box with three or four undrawn sides is a joint, an undrawn side a string. Boxes with two undrawn sides vanish
//! into the string that runs through them, which keeps their number as its length: so a chain between two joints, or
//! from a joint to the ground, is one string wherever it runs. Chains and loops without a joint are a multiset of
//! lengths, from which pairs of short chains vanish. Drawing a safe edge or opening a chain changes a few entries, and so the key.

use crate::board::{MAX_BOXES, MAX_EDGES, State};

use super::bits::bits;
use super::loony::Components;
use super::plan::Plan;
use super::zobrist::{GROUND, TableKey, ZobristKey};

/// A position, with keys under the first `IMAGES` symmetries of its board.
#[derive(Clone)]
pub(super) struct Graph<const IMAGES: usize> {
    /// The strings tied to each joint.
    pub(super) ties: [u64; MAX_BOXES],
    /// How many string ends each joint has; a string with both ends at the joint counts twice.
    pub(super) degree: [u8; MAX_BOXES],
    pub(super) ends: [[u8; 2]; MAX_EDGES],
    length: [u8; MAX_EDGES],
    /// Strings without boxes, between joints or from a joint to the ground: to draw one puts nothing on offer.
    pub safe: u64,
    /// Strings with boxes that hang on at least one joint.
    pub hanging: u64,
    /// Chains and loops that hang on no joint.
    pub free: Components,
    /// Open boxes, without those of short chains that vanish in pairs.
    pub boxes: u32,
    pub(super) zobrist: ZobristKey<IMAGES>,
}

impl<const IMAGES: usize> Graph<IMAGES> {
    /// The graph of a capture-free position.
    pub fn new(plan: &Plan, state: State) -> Self {
        let undrawn = plan.undrawn(state);
        let mut graph = Graph {
            ties: [0; MAX_BOXES],
            degree: [0; MAX_BOXES],
            ends: plan.ends,
            length: [0; MAX_EDGES],
            safe: undrawn,
            hanging: 0,
            free: Components::default(),
            boxes: 0,
            zobrist: ZobristKey::ZERO,
        };
        for rank in bits(undrawn) {
            graph.count(plan, rank);
            for end in plan.ends[rank].into_iter().filter(|&end| end != GROUND) {
                graph.ties[end as usize] |= 1 << rank;
                graph.degree[end as usize] += 1;
            }
        }
        graph.boxes = graph.degree.iter().filter(|&&degree| degree > 0).count() as u32;
        for joint in 0..MAX_BOXES as u8 {
            let captured = graph.settle(plan, joint);
            debug_assert_eq!(captured, 0, "a capture-free position");
        }
        graph
    }

    /// Whether only independent chains and loops are left.
    pub fn is_free(&self) -> bool {
        self.safe | self.hanging == 0
    }

    /// The same for all positions with the same value by symmetry or by the way that chains run.
    pub fn key(&self) -> TableKey {
        self.zobrist.table_key()
    }

    /// The boxes of a string.
    pub fn length(&self, string: usize) -> u32 {
        self.length[string] as u32
    }

    /// Whether another string with the same ends makes opening this one needless: both are long, and the other is
    /// shorter (see [`Components::shortest_long_chain`]), or as long and first.
    pub fn is_outdone(&self, string: usize) -> bool {
        let [a, b] = self.ends[string];
        let joint = if a == GROUND { b } else { a };
        let beside = self.ties[joint as usize] & self.hanging & !(1 << string);
        self.length[string] >= 3
            && bits(beside).any(|other| {
                (self.ends[other] == [a, b] || self.ends[other] == [b, a])
                    && self.length[other] >= 3
                    && (self.length[other], other) < (self.length[string], string)
            })
    }

    /// Takes a string out, and all boxes that this puts on offer; gives their number, which is 0 for a safe one.
    pub fn remove(&mut self, plan: &Plan, string: usize) -> u32 {
        let [a, b] = self.ends[string];
        self.discount(plan, string);
        self.untie(a, string);
        self.untie(b, string);
        let taken = self.length[string] as u32 + self.settle(plan, a) + self.settle(plan, b);
        self.boxes -= taken;
        taken
    }

    /// Takes out an independent chain; gives its length.
    pub fn remove_chain(&mut self, plan: &Plan, length: usize) -> u32 {
        self.free.remove_chain(length);
        self.zobrist = self.zobrist.minus(plan.zobrist.free_chain(length));
        self.boxes -= length as u32;
        length as u32
    }

    /// Takes out an independent loop; gives its length.
    pub fn remove_loop(&mut self, plan: &Plan, length: usize) -> u32 {
        self.free.remove_loop(length);
        self.zobrist = self.zobrist.minus(plan.zobrist.free_loop(length));
        self.boxes -= length as u32;
        length as u32
    }

    /// Adds an independent chain. Two of one box, or two of two, come to nothing: whoever opens one of them gives as many
    /// boxes as the other player, who opens the other one, gives back, and nobody has anything to keep control with.
    fn add_chain(&mut self, plan: &Plan, length: usize) {
        if length <= 2 && self.free.has_chain(length) {
            self.remove_chain(plan, length);
            self.boxes -= length as u32;
        } else {
            self.free.add_chain(length);
            self.zobrist = self.zobrist.plus(plan.zobrist.free_chain(length));
        }
    }

    /// Makes a box that has lost strings what it now is; gives the boxes that are on offer because of it, taken.
    fn settle(&mut self, plan: &Plan, joint: u8) -> u32 {
        if joint == GROUND || !(1..=2).contains(&self.degree[joint as usize]) {
            return 0;
        }
        let ties = std::mem::take(&mut self.ties[joint as usize]);
        let degree = std::mem::take(&mut self.degree[joint as usize]);
        let first = ties.trailing_zeros() as usize;
        let second = (ties & (ties - 1)).trailing_zeros() as usize;
        self.discount(plan, first);
        if degree == 1 {
            // The box is on offer, and so is all of the chain that leads away from it.
            let end = self.other_end(first, joint);
            self.untie(end, first);
            return 1 + self.length[first] as u32 + self.settle(plan, end);
        }
        if ties & (ties - 1) == 0 {
            // Both ends of one chain met here.
            let length = self.length[first] as usize + 1;
            self.free.add_loop(length);
            self.zobrist = self.zobrist.plus(plan.zobrist.free_loop(length));
            return 0;
        }
        self.discount(plan, second);
        let ends = [self.other_end(first, joint), self.other_end(second, joint)];
        let length = self.length[first] + self.length[second] + 1;
        if ends == [GROUND; 2] {
            self.add_chain(plan, length as usize);
            return 0;
        }
        // The first string goes on in the second one's place.
        (self.ends[first], self.length[first]) = (ends, length);
        if ends[1] != GROUND {
            let ties = &mut self.ties[ends[1] as usize];
            *ties = *ties & !(1 << second) | 1 << first;
        }
        self.hanging |= 1 << first;
        self.count(plan, first);
        0
    }

    pub(super) fn other_end(&self, string: usize, end: u8) -> u8 {
        let [a, b] = self.ends[string];
        if a == end { b } else { a }
    }

    fn untie(&mut self, joint: u8, string: usize) {
        if joint != GROUND {
            self.ties[joint as usize] &= !(1 << string);
            self.degree[joint as usize] -= 1;
        }
    }

    fn count(&mut self, plan: &Plan, string: usize) {
        let number = self.number_of(plan, string);
        self.zobrist = self.zobrist.plus(&number);
    }

    fn discount(&mut self, plan: &Plan, string: usize) {
        let number = self.number_of(plan, string);
        self.zobrist = self.zobrist.minus(&number);
        self.safe &= !(1 << string);
        self.hanging &= !(1 << string);
    }

    /// The number that a string adds to the key.
    #[inline(always)]
    pub(super) fn number_of(&self, plan: &Plan, string: usize) -> ZobristKey<IMAGES> {
        plan.zobrist.chain(self.ends[string], self.length[string])
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::plan::Order;
    use super::*;
    use crate::board::{Board, Edges};
    use proptest::prelude::*;

    pub fn some_capture_free() -> impl Strategy<Value = State> {
        let sizes = [(2, 2), (3, 3), (3, 4), (5, 5), (4, 6), (6, 2), (1, 9)];
        (prop::sample::select(sizes.to_vec()), any::<u64>(), any::<u64>()).prop_map(|((rows, cols), a, b)| {
            let board = Board::new(rows, cols).unwrap();
            let mut state = State::new(board);
            let wanted = match b % 3 {
                0 => a & b.rotate_left(7),
                1 => a,
                _ => a | b.rotate_left(7),
            };
            for edge in Edges::from_bytes(wanted.to_le_bytes()).intersection(board.all()) {
                // What would put a box on offer is left out.
                if state.after(edge).is_capture_free() {
                    state = state.after(edge);
                }
            }
            state
        })
    }

    proptest! {
        /// Changing a graph step by step and building it anew come to the same, keys and all.
        #[test]
        fn steps_lead_to_the_graph_of_the_position(state in some_capture_free()) {
            let plan = Plan::new(state.board(), Order::Distance);
            let graph = Graph::<4>::new(&plan, state);
            // Pairs of short chains have vanished.
            prop_assert_eq!((state.open_boxes() - graph.boxes as usize) % 2, 0);
            let safe = state.safe_edges();
            prop_assert_eq!(graph.safe, plan.strings(safe));
            for edge in safe {
                let string = plan.strings(Edges::EMPTY.with(edge)).trailing_zeros() as usize;
                let mut step = graph.clone();
                prop_assert_eq!(step.remove(&plan, string), 0);
                let anew = Graph::<4>::new(&plan, state.after(edge));
                prop_assert_eq!(step.zobrist, anew.zobrist);
                prop_assert_eq!((step.safe, step.boxes), (anew.safe, anew.boxes));
                prop_assert_eq!(&step.free, &anew.free);
            }
            for string in bits(graph.hanging) {
                let mut step = graph.clone();
                let taken = step.remove(&plan, string);
                prop_assert!(taken >= graph.length(string));
                prop_assert!((graph.boxes - taken - step.boxes).is_multiple_of(2));
                prop_assert!(step.degree.iter().all(|&degree| degree == 0 || degree >= 3));
            }
        }

        #[test]
        fn symmetric_positions_have_one_key(state in some_capture_free()) {
            let plan = Plan::new(state.board(), Order::Distance);
            let symmetries = state.board().symmetries();
            let key = |state| match plan.images() {
                4 => Graph::<4>::new(&plan, state).key(),
                _ => Graph::<8>::new(&plan, state).key(),
            };
            for symmetry in symmetries {
                prop_assert_eq!(key(state.image(symmetry)), key(state));
            }
            prop_assert_eq!(key(state.merge_twins()), key(state));
        }
    }
}
