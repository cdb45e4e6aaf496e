//! The components of a graph, kept up to date as moves are made.

use super::bits::bits;
use super::change::Change;
use super::graph::Graph;
use super::graph_components::Joint;
use super::places::JOINTS;
use super::plan::Plan;
use super::zobrist::{ONE_IMAGE, ZobristKey};

impl<const SUMS: usize> Graph<SUMS> {
    /// Returns `true` if a string belongs to a large component. With [`ONE_IMAGE`], all components
    /// count as large.
    #[inline(always)]
    pub fn is_large(&self, string: usize) -> bool {
        let [a, b] = self.ends[string];
        SUMS == ONE_IMAGE || self.components.small(a.min(b)) == 0
    }

    /// Returns joints of all components that removing a string leaves of a large component.
    pub fn joints_beside(&self, string: usize) -> u32 {
        let [a, b] = self.ends[string];
        let ends = (1 << a | 1 << b) & JOINTS;
        let joined = |joints: u32| bits(joints as u64).fold(joints, |all, joint| all | self.components.joined(joint));
        if a == b {
            // A box that this puts on offer has a neighbor that may merge in turn.
            return joined(joined(ends));
        }
        let merging = bits(ends as u64).filter(|&end| self.degree[end] == 3).fold(0, |all, end| all | 1 << end);
        ends | joined(merging)
    }

    /// Finds the small components among those of these joints, which counted as large so far.
    pub fn find_small_components(&mut self, plan: &Plan, joints: u32) {
        let mut left = 0u32;
        for joint in bits(joints as u64) {
            let ends = bits(self.ties[joint]).map(|string| self.ends[string]);
            self.components.joints[joint].joined = ends.fold(0, |all, [a, b]| all | 1 << a | 1 << b) & JOINTS;
            left |= u32::from(self.ties[joint] != 0) << joint;
        }
        self.components.large = self.components.large & !joints | left;
        while left != 0 {
            let found = self.small_component(left.trailing_zeros() as u8, &Change::NONE);
            left &= (left - 1) & !found;
            if found != 0 {
                self.components.large &= !found;
                for string in bits(self.strings_of(found)) {
                    self.zobrist = self.zobrist.minus(self.key_of(plan, string));
                }
                self.add_small_components(found);
            }
        }
    }

    /// Replaces a small component that has changed by those that are left of it.
    pub fn split_small_component(&mut self, joint: u8) {
        let Joint { component, number, .. } = self.components.joints[joint as usize];
        self.zobrist = self.zobrist.minus(ZobristKey::of_small_component(number));
        let left = bits(component as u64).filter(|&joint| self.ties[joint] != 0);
        self.add_small_components(left.fold(0, |all, joint| all | 1 << joint));
    }

    /// Adds the small components of these joints.
    fn add_small_components(&mut self, joints: u32) {
        self.component_after(joints, &Change::NONE).for_each_component(|places, number| {
            self.zobrist = self.zobrist.plus(ZobristKey::of_small_component(number));
            let members = || bits(joints as u64).enumerate().filter(|&(place, _)| places >> place & 1 == 1);
            let component = members().fold(0, |all, (_, joint)| all | 1 << joint);
            for (_, joint) in members() {
                (self.components.joints[joint].component, self.components.joints[joint].number) = (component, number);
            }
        });
    }

    /// Returns the strings of these joints.
    #[inline(always)]
    pub fn strings_of(&self, joints: u32) -> u64 {
        bits(joints as u64).fold(0, |strings, joint| strings | self.ties[joint])
    }
}

#[cfg(test)]
mod tests {
    use super::super::order::Order;
    use super::super::places::JOINT_PLACES;
    use super::super::small_component::MAX_JOINTS;
    use super::*;
    use crate::board::{Board, State};
    use crate::mix::split_mix;
    use std::collections::HashMap;

    /// The lengths of the strings of a component, by the pair of their ends. Joints are numbered in
    /// an order of their own, from 1, and the ground is 0.
    type Form = Vec<([usize; 2], u32)>;

    /// Returns the least form of a component under all orders of its joints.
    fn least_form(graph: &Graph<4>, joints: u32) -> Form {
        let joints: Vec<usize> = bits(joints as u64).collect();
        let orders: &[[usize; 3]] = &[[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]];
        let orders = orders.iter().filter(|order| order[joints.len()..].iter().all(|&place| place > joints.len()));
        let strings = joints.iter().fold(0, |strings, &joint| strings | graph.ties[joint]);
        let form = |order: &[usize; 3]| {
            let place = |end: u8| joints.iter().position(|&joint| joint == end as usize).map_or(0, |at| order[at]);
            let mut form: Form = bits(strings)
                .map(|string| {
                    let [a, b] = graph.ends[string].map(place);
                    ([a.min(b), a.max(b)], graph.length(string))
                })
                .collect();
            form.sort_unstable();
            form
        };
        orders.map(form).min().expect("there should be an order")
    }

    /// Returns the joints of every component of a graph.
    fn components(graph: &Graph<4>) -> Vec<u32> {
        let mut found = Vec::new();
        let mut left: Vec<usize> = (0..JOINT_PLACES).filter(|&joint| graph.ties[joint] != 0).collect();
        while let Some(joint) = left.pop() {
            let mut all = 1u32 << joint;
            loop {
                let ends = bits(graph.strings_of(all)).map(|string| graph.ends[string]);
                let grown = ends.fold(all, |all, [a, b]| all | 1 << a | 1 << b) & JOINTS;
                if std::mem::replace(&mut all, grown) == grown {
                    break;
                }
            }
            left.retain(|&joint| all >> joint & 1 == 0);
            found.push(all);
        }
        found
    }

    /// Components have one number if one can be mapped to the other, and only then. Positions are
    /// those of random games, as a search meets them.
    #[test]
    fn numbers_are_those_of_components_up_to_isomorphism() {
        let (mut forms, mut numbers) = (HashMap::new(), HashMap::new());
        let mut count = [0; 4];
        for game in 0..3_000u64 {
            let (rows, cols) = [(3, 4), (4, 4), (5, 5), (4, 6), (3, 7)][game as usize % 5];
            let board = Board::new(rows, cols).unwrap();
            let plan = Plan::new(board, Order::Early);
            let mut state = State::new(board);
            for ply in 0.. {
                let safe: Vec<_> = state.safe_edges().iter().collect();
                let all: Vec<_> = state.undrawn().iter().collect();
                let random = split_mix(game << 8 | ply) as usize;
                let edges = if random >> 32 & 7 == 0 || safe.is_empty() { &all } else { &safe };
                let Some(&edge) = edges.get(random as u32 as usize % edges.len().max(1)) else { break };
                state = state.after(edge).offer().rest;
                let graph = Graph::<4>::new(&plan, state);
                for joints in components(&graph) {
                    let is_small = joints.count_ones() as usize <= MAX_JOINTS;
                    assert_eq!(is_small, graph.components.large & joints == 0, "{state}");
                    for joint in bits(joints as u64) {
                        assert_eq!(graph.components.small(joint as u8), if is_small { joints } else { 0 }, "{state}");
                    }
                    if !is_small {
                        continue;
                    }
                    let form = least_form(&graph, joints);
                    let number = graph.components.number(joints.trailing_zeros() as u8);
                    if numbers.insert(form.clone(), number).is_none() {
                        count[joints.count_ones() as usize] += 1;
                    }
                    assert_eq!(numbers[&form], number, "{state}");
                    assert_eq!(forms.entry(number).or_insert_with(|| form.clone()), &form, "{state}");
                }
            }
        }
        assert!(count[1] > 100 && count[2] > 1_000 && count[3] > 2_000, "{count:?}");
    }
}
