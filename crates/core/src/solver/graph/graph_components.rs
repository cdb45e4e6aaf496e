//! The components that joints and strings of a graph belong to, kept up to date as moves are made,
//! and the keys after changes of them.

use super::bits::bits;
use super::change::{Change, is_more_than_small};
use super::components::Components;
use super::graph::Graph;
use super::key::{Key, SymmetricKey};
use super::places::{JOINT_PLACES, JOINTS};
use super::plan::Plan;
use super::small_component::{MAX_JOINTS, string_number};
use super::zobrist::GROUND;

/// The components of a graph, by its joints.
#[derive(Clone, Copy)]
pub(crate) struct GraphComponents {
    /// The joints of large components.
    pub large: u32,
    pub joints: [Joint; JOINT_PLACES],
}

/// A joint and its component.
#[derive(Clone, Copy)]
pub(crate) struct Joint {
    /// The sum of the joint's strings to the ground and to itself.
    pub own: u64,
    /// The number of the component if it is small.
    pub number: u64,
    /// The joints of the component if it is small, otherwise 0.
    pub component: u32,
    /// The joints that strings tie to this one, itself included, if the component is large.
    pub joined: u32,
}

impl GraphComponents {
    /// Returns the joints of the component of a joint if it is small, otherwise 0.
    #[inline(always)]
    pub fn small(&self, joint: u8) -> u32 {
        self.joints[joint as usize].component
    }

    /// Returns the number of the small component of a joint.
    #[inline(always)]
    pub fn number(&self, joint: u8) -> u64 {
        self.joints[joint as usize].number
    }

    /// Returns the sum of a joint's strings to the ground and to itself.
    #[inline(always)]
    pub fn own(&self, joint: usize) -> u64 {
        self.joints[joint].own
    }

    /// Returns the joints that strings tie to a joint of a large component, itself included.
    #[inline(always)]
    pub fn joined(&self, joint: usize) -> u32 {
        self.joints[joint].joined
    }
}

impl<const IMAGES: usize> Components<SymmetricKey<IMAGES>> for GraphComponents {
    const NONE: GraphComponents =
        GraphComponents { large: 0, joints: [Joint { own: 0, number: 0, component: 0, joined: 0 }; JOINT_PLACES] };

    #[inline(always)]
    fn is_large(&self, joint: u8) -> bool {
        self.small(joint) == 0
    }

    #[inline(always)]
    fn add(&mut self, [a, b]: [u8; 2], length: u8) {
        if a == b || a.max(b) == GROUND {
            let own = &mut self.joints[a.min(b) as usize].own;
            *own = own.wrapping_add(string_number([a, b], length));
        }
    }

    #[inline(always)]
    fn remove(&mut self, [a, b]: [u8; 2], length: u8) {
        if a == b || a.max(b) == GROUND {
            let own = &mut self.joints[a.min(b) as usize].own;
            *own = own.wrapping_sub(string_number([a, b], length));
        }
    }

    fn joints_beside(graph: &Graph<SymmetricKey<IMAGES>>, string: usize) -> u32 {
        let [a, b] = graph.ends[string];
        let ends = (1 << a | 1 << b) & JOINTS;
        let joined = |joints: u32| bits(joints as u64).fold(joints, |all, joint| all | graph.components.joined(joint));
        if a == b {
            // A box that this puts on offer has a neighbor that may merge in turn.
            return joined(joined(ends));
        }
        let merging = bits(ends as u64).filter(|&end| graph.degree[end] == 3).fold(0, |all, end| all | 1 << end);
        ends | joined(merging)
    }

    fn find_small(graph: &mut Graph<SymmetricKey<IMAGES>>, plan: &Plan, joints: u32) {
        let mut left = 0u32;
        for joint in bits(joints as u64) {
            let ends = bits(graph.ties[joint]).map(|string| graph.ends[string]);
            graph.components.joints[joint].joined = ends.fold(0, |all, [a, b]| all | 1 << a | 1 << b) & JOINTS;
            left |= u32::from(graph.ties[joint] != 0) << joint;
        }
        graph.components.large = graph.components.large & !joints | left;
        while left != 0 {
            let found = graph.small_component(left.trailing_zeros() as u8, &Change::NONE);
            left &= (left - 1) & !found;
            if found != 0 {
                graph.components.large &= !found;
                for string in bits(graph.strings_of(found)) {
                    graph.zobrist = graph.zobrist.minus(graph.key_of(plan, string));
                }
                add_small(graph, found);
            }
        }
    }

    fn split_small(graph: &mut Graph<SymmetricKey<IMAGES>>, joint: u8) {
        let Joint { component, number, .. } = graph.components.joints[joint as usize];
        graph.zobrist = graph.zobrist.minus(SymmetricKey::of_small_component(number));
        let left = bits(component as u64).filter(|&joint| graph.ties[joint] != 0);
        add_small(graph, left.fold(0, |all, joint| all | 1 << joint));
    }

    #[inline(always)]
    fn key_after_small(
        graph: &Graph<SymmetricKey<IMAGES>>,
        before: SymmetricKey<IMAGES>,
        change: &Change,
    ) -> SymmetricKey<IMAGES> {
        let joint = change.ends[0].min(change.ends[1]);
        let left = graph.components.small(joint) & !change.merging;
        let before = before.minus(SymmetricKey::of_small_component(graph.components.number(joint)));
        before.plus(graph.component_after(left, change).key())
    }

    #[inline(always)]
    fn key_after_large(
        graph: &Graph<SymmetricKey<IMAGES>>,
        plan: &Plan,
        mut key: SymmetricKey<IMAGES>,
        change: &Change,
    ) -> SymmetricKey<IMAGES> {
        let [a, b] = change.ends;
        let large = graph.components.large & !change.merging;
        let (first, second) = match change.cut {
            // The component stays whole: the string leads to the ground, or another one ties its
            // ends. Two large components would keep seven joints, as at most one joint merges here.
            0 if large.count_ones() as usize <= 2 * MAX_JOINTS => {
                (if is_more_than_small(large) { 0 } else { large }, 0)
            }
            0 => (graph.small_component(a.min(b), change), 0),
            _ => {
                let first = graph.small_component(a.min(b), change);
                (first, graph.small_component(a.max(b), change) & !first)
            }
        };
        let found = first | second;
        if found == 0 {
            return key;
        }
        if found == large {
            key = key.without_images();
        } else {
            for string in bits(graph.strings_of(found) & !change.removed) {
                key = key.minus(graph.key_of(plan, string));
            }
            for (ends, length) in change.merged {
                if (1 << ends[0] | 1 << ends[1]) & found != 0 {
                    key = key.minus(plan.zobrist.chain(ends, length));
                }
            }
        }
        if !is_more_than_small(found) {
            return key.plus(graph.component_after(found, change).key());
        }
        key.plus(graph.component_after(first, change).key()).plus(graph.component_after(second, change).key())
    }
}

/// Adds the small components of these joints.
fn add_small<const IMAGES: usize>(graph: &mut Graph<SymmetricKey<IMAGES>>, joints: u32) {
    graph.component_after(joints, &Change::NONE).for_each_component(|places, number| {
        graph.zobrist = graph.zobrist.plus(SymmetricKey::of_small_component(number));
        let members = || bits(joints as u64).enumerate().filter(|&(place, _)| places >> place & 1 == 1);
        let component = members().fold(0, |all, (_, joint)| all | 1 << joint);
        for (_, joint) in members() {
            (graph.components.joints[joint].component, graph.components.joints[joint].number) = (component, number);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::super::order::Order;
    use super::*;
    use crate::board::{Board, State};
    use crate::mix::split_mix;
    use std::collections::HashMap;

    /// The lengths of the strings of a component, by the pair of their ends. Joints are numbered in
    /// an order of their own, from 1, and the ground is 0.
    type Form = Vec<([usize; 2], u32)>;

    /// Returns the least form of a component under all orders of its joints.
    fn least_form(graph: &Graph<SymmetricKey<4>>, joints: u32) -> Form {
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
    fn components(graph: &Graph<SymmetricKey<4>>) -> Vec<u32> {
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
                let graph = Graph::<SymmetricKey<4>>::new(&plan, state);
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
