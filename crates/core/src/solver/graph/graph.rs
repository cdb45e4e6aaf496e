//! A capture-free state as a graph of joints and strings (docs/strategy.md, section 9).
//!
//! A box with three or four undrawn sides is a joint, and an undrawn side is a string. Boxes with
//! two undrawn sides are merged into the string that runs through them, which keeps their number as
//! its length. So a chain between two joints, or from a joint to the ground, is one string wherever
//! it runs. Chains and loops without a joint are a multiset of lengths, in which pairs of short
//! chains cancel. Drawing a safe edge or opening a chain changes a few entries, and the key with
//! them.

use crate::board::State;

use super::bits::bits;
use super::components::Components as _;
use super::independent_component::IndependentComponent;
use super::key::{Key, TableKey};
use super::loony::Components;
use super::places::{JOINT_PLACES, JOINTS, STRING_PLACES};
use super::plan::Plan;
use super::zobrist::GROUND;

/// A position with the parts of its key. It is copied as a whole, which takes less than
/// copying its fields one by one.
#[derive(Clone, Copy)]
pub(crate) struct Graph<K: Key> {
    /// The strings tied to each joint.
    pub(crate) ties: [u64; JOINT_PLACES],
    /// The number of string ends at each joint. A string with both ends at the joint counts twice.
    pub(crate) degree: [u8; JOINT_PLACES],
    /// The two ends of each string.
    pub(crate) ends: [[u8; 2]; STRING_PLACES],
    /// The number of boxes of each string.
    length: [u8; STRING_PLACES],
    /// Strings without boxes, between two joints or from a joint to the ground. Drawing one puts
    /// nothing on offer.
    pub safe: u64,
    /// Strings with boxes that hang on at least one joint.
    pub hanging: u64,
    /// Chains and loops that hang on no joint.
    pub independent: Components,
    /// The number of open boxes, without those of short chains that cancel in pairs.
    pub boxes: u32,
    /// The components that joints and strings belong to, as far as the key needs them.
    pub(crate) components: K::Components,
    /// The sum of the keys of the strings of large components, of the small components, and of the
    /// independent chains and loops.
    pub(crate) zobrist: K,
}

impl<K: Key> Graph<K> {
    /// Creates the graph of a capture-free position.
    pub fn new(plan: &Plan, state: State) -> Self {
        let undrawn = plan.undrawn(state);
        let mut graph = Graph {
            ties: [0; JOINT_PLACES],
            degree: [0; JOINT_PLACES],
            ends: plan.ends,
            length: plan.lengths,
            safe: undrawn & !plan.with_boxes,
            hanging: undrawn & plan.with_boxes,
            independent: Components::default(),
            boxes: 0,
            components: K::Components::NONE,
            zobrist: K::ZERO,
        };
        for rank in bits(undrawn) {
            graph.add_key(plan, rank);
            for end in plan.ends[rank].into_iter().filter(|&end| end != GROUND) {
                graph.ties[end as usize] |= 1 << rank;
                graph.degree[end as usize] += 1;
            }
        }
        graph.boxes = graph.degree.iter().filter(|&&degree| degree > 0).count() as u32;
        graph.boxes += bits(graph.hanging).map(|string| graph.length(string)).sum::<u32>();
        for joint in 0..JOINT_PLACES as u8 {
            let captured = graph.contract(plan, joint);
            debug_assert_eq!(captured, 0, "the position should be capture-free");
        }
        for component in plan.independent.iter().filter(|component| state.undrawn().contains(component.edge)) {
            graph.boxes += component.length as u32;
            graph.add_independent(plan, component);
        }
        K::Components::find_small(&mut graph, plan, JOINTS);
        graph
    }

    /// Returns `true` if only independent chains and loops are left.
    pub fn is_independent(&self) -> bool {
        self.safe | self.hanging == 0
    }

    /// Returns the key. It is the same for all positions that symmetries or the course of chains on
    /// the board make of this one.
    pub fn key(&self) -> TableKey {
        self.zobrist.table_key()
    }

    /// Returns the number of boxes of a string.
    pub fn length(&self, string: usize) -> u32 {
        self.length[string] as u32
    }

    /// Returns `true` if another string with the same ends makes opening this one needless: both
    /// are long, and the other one is shorter (see [`Components::shortest_long_chain`]), or as long
    /// and of a lower index.
    pub fn is_dominated(&self, string: usize) -> bool {
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

    /// Removes a string and all boxes that this puts on offer, and returns their number, which is 0
    /// for a safe string.
    pub fn remove(&mut self, plan: &Plan, string: usize) -> u32 {
        let [a, b] = self.ends[string];
        let is_large = self.is_large(string);
        let beside = if is_large { K::Components::joints_beside(self, string) } else { 0 };
        self.drop_string(plan, string);
        self.untie(a, string);
        self.untie(b, string);
        let taken = self.length[string] as u32 + self.contract(plan, a) + self.contract(plan, b);
        self.boxes -= taken;
        if is_large {
            K::Components::find_small(self, plan, beside);
        } else {
            K::Components::split_small(self, a.min(b));
        }
        taken
    }

    /// Removes an independent chain and returns its length.
    pub fn remove_chain(&mut self, plan: &Plan, length: usize) -> u32 {
        self.independent.remove_chain(length);
        self.zobrist = self.zobrist.minus(plan.zobrist.independent_chain(length));
        self.boxes -= length as u32;
        length as u32
    }

    /// Removes an independent loop and returns its length.
    pub fn remove_loop(&mut self, plan: &Plan, length: usize) -> u32 {
        self.independent.remove_loop(length);
        self.zobrist = self.zobrist.minus(plan.zobrist.independent_loop(length));
        self.boxes -= length as u32;
        length as u32
    }

    /// Adds an independent chain. Two chains of one box, or two of two, cancel: after one player
    /// opens one of them, the other player can open the other one and give back as many boxes, and
    /// neither leaves anything to keep control with.
    fn add_chain(&mut self, plan: &Plan, length: usize) {
        if length <= 2 && self.independent.has_chain(length) {
            self.remove_chain(plan, length);
            self.boxes -= length as u32;
        } else {
            self.independent.add_chain(length);
            self.zobrist = self.zobrist.plus(plan.zobrist.independent_chain(length));
        }
    }

    /// Adds an independent loop.
    fn add_loop(&mut self, plan: &Plan, length: usize) {
        self.independent.add_loop(length);
        self.zobrist = self.zobrist.plus(plan.zobrist.independent_loop(length));
    }

    /// Adds an independent chain or loop of the position that the plan was made for.
    fn add_independent(&mut self, plan: &Plan, &IndependentComponent { length, is_loop, .. }: &IndependentComponent) {
        if is_loop {
            self.add_loop(plan, length);
        } else {
            self.add_chain(plan, length);
        }
    }

    /// Contracts a box that has lost strings: into a longer string or a loop if two are left, into
    /// nothing if one is left. Returns the number of boxes that are on offer because of it and are
    /// taken.
    fn contract(&mut self, plan: &Plan, joint: u8) -> u32 {
        if joint == GROUND || !(1..=2).contains(&self.degree[joint as usize]) {
            return 0;
        }
        let ties = std::mem::take(&mut self.ties[joint as usize]);
        let degree = std::mem::take(&mut self.degree[joint as usize]);
        let first = ties.trailing_zeros() as usize;
        let second = (ties & (ties - 1)).trailing_zeros() as usize;
        self.drop_string(plan, first);
        if degree == 1 {
            // The box is on offer, and so is the whole chain that leads away from it.
            let end = self.other_end(first, joint);
            self.untie(end, first);
            return 1 + self.length[first] as u32 + self.contract(plan, end);
        }
        if ties & (ties - 1) == 0 {
            // Both ends of one chain met here.
            let length = self.length[first] as usize + 1;
            self.add_loop(plan, length);
            return 0;
        }
        self.drop_string(plan, second);
        let ends = [self.other_end(first, joint), self.other_end(second, joint)];
        let length = self.length[first] + self.length[second] + 1;
        if ends == [GROUND; 2] {
            self.add_chain(plan, length as usize);
            return 0;
        }
        // The first string takes the place of both.
        (self.ends[first], self.length[first]) = (ends, length);
        if ends[1] != GROUND {
            let ties = &mut self.ties[ends[1] as usize];
            *ties = *ties & !(1 << second) | 1 << first;
        }
        self.hanging |= 1 << first;
        self.add_key(plan, first);
        0
    }

    /// Returns the other end of a string.
    pub(crate) fn other_end(&self, string: usize, end: u8) -> u8 {
        let [a, b] = self.ends[string];
        if a == end { b } else { a }
    }

    /// Unties a string from an end.
    fn untie(&mut self, joint: u8, string: usize) {
        if joint != GROUND {
            self.ties[joint as usize] &= !(1 << string);
            self.degree[joint as usize] -= 1;
        }
    }

    /// Adds the Zobrist key of a string to that of the graph.
    fn add_key(&mut self, plan: &Plan, string: usize) {
        self.components.add(self.ends[string], self.length[string]);
        if self.is_large(string) {
            self.zobrist = self.zobrist.plus(self.key_of(plan, string));
        }
    }

    /// Subtracts the Zobrist key of a string, and removes it from the safe and hanging strings.
    fn drop_string(&mut self, plan: &Plan, string: usize) {
        self.components.remove(self.ends[string], self.length[string]);
        if self.is_large(string) {
            self.zobrist = self.zobrist.minus(self.key_of(plan, string));
        }
        self.safe &= !(1 << string);
        self.hanging &= !(1 << string);
    }

    /// Returns `true` if a string belongs to a large component.
    #[inline(always)]
    pub(crate) fn is_large(&self, string: usize) -> bool {
        let [a, b] = self.ends[string];
        self.components.is_large(a.min(b))
    }

    /// Returns the strings of these joints.
    #[inline(always)]
    pub(crate) fn strings_of(&self, joints: u32) -> u64 {
        bits(joints as u64).fold(0, |strings, joint| strings | self.ties[joint])
    }

    /// Returns the key of a string.
    #[inline(always)]
    pub(crate) fn key_of(&self, plan: &Plan, string: usize) -> K {
        plan.zobrist.chain(self.ends[string], self.length[string])
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::key::SymmetricKey;
    use super::super::order::Order;
    use super::*;
    use crate::board::{Board, Edges};
    use proptest::prelude::*;

    pub fn any_capture_free() -> impl Strategy<Value = State> {
        let sizes = [(2, 2), (3, 3), (3, 4), (3, 5), (4, 5), (5, 5), (4, 6), (6, 2), (1, 9)];
        (prop::sample::select(sizes.to_vec()), any::<u64>(), any::<u64>()).prop_map(|((rows, cols), a, b)| {
            let board = Board::new(rows, cols).unwrap();
            let mut state = State::new(board);
            let edges = match b % 3 {
                0 => a & b.rotate_left(7),
                1 => a,
                _ => a | b.rotate_left(7),
            };
            for edge in Edges::from_bytes(&edges.to_le_bytes()).intersection(board.all()) {
                // Edges that would put a box on offer are left out.
                if state.after(edge).is_capture_free() {
                    state = state.after(edge);
                }
            }
            state
        })
    }

    proptest! {
        /// Changing a graph move by move and building it anew lead to the same graph, keys
        /// included.
        #[test]
        fn moves_lead_to_the_graph_of_the_position(state in any_capture_free()) {
            let plan = Plan::new(state.board(), Order::Distance);
            let graph = Graph::<SymmetricKey<4>>::new(&plan, state);
            // Short chains cancel in pairs.
            prop_assert_eq!((state.open_boxes() - graph.boxes as usize) % 2, 0);
            let safe = state.safe_edges();
            prop_assert_eq!(graph.safe, plan.strings(safe));
            for edge in safe {
                let string = plan.strings(Edges::EMPTY.with(edge)).trailing_zeros() as usize;
                let mut successor = graph;
                prop_assert_eq!(successor.remove(&plan, string), 0);
                let anew = Graph::<SymmetricKey<4>>::new(&plan, state.after(edge));
                prop_assert_eq!(successor.zobrist, anew.zobrist);
                prop_assert_eq!((successor.safe, successor.boxes), (anew.safe, anew.boxes));
                prop_assert_eq!(&successor.independent, &anew.independent);
            }
            for string in bits(graph.hanging) {
                let mut successor = graph;
                let taken = successor.remove(&plan, string);
                prop_assert!(taken >= graph.length(string));
                prop_assert!((graph.boxes - taken - successor.boxes).is_multiple_of(2));
                prop_assert!(successor.degree.iter().all(|&degree| degree == 0 || degree >= 3));
            }
        }

        #[test]
        fn symmetric_positions_have_one_key(state in any_capture_free()) {
            let plan = Plan::new(state.board(), Order::Distance);
            let symmetries = state.board().symmetries();
            let key = |state| match plan.images() {
                4 => Graph::<SymmetricKey<4>>::new(&plan, state).key(),
                _ => Graph::<SymmetricKey<8>>::new(&plan, state).key(),
            };
            for symmetry in symmetries {
                prop_assert_eq!(key(state.image(symmetry)), key(state));
            }
            prop_assert_eq!(key(state.merge_twins()), key(state));
        }
    }
}
