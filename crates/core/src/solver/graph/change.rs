//! The change that a move makes to the components of a graph, and the components after it, computed
//! while the graph stays as it is.

use super::graph::Graph;
use super::key::{Key, SymmetricKey};
use super::small_component::{MAX_JOINTS, SmallComponent, string_number};
use super::zobrist::GROUND;

/// The strings and joints that a move changes.
pub(crate) struct Change {
    /// The ends of the string of the move, and its length.
    pub ends: [u8; 2],
    pub length: u8,
    /// The joints that are tied by this string alone, or none.
    pub cut: u32,
    /// The strings that are removed.
    pub removed: u64,
    /// The joints that merge with the strings beside them.
    pub merging: u32,
    /// The strings that arise, by their ends and lengths. Those to the ground at both ends do not
    /// count.
    pub merged: [([u8; 2], u8); 2],
}

impl Change {
    /// No change.
    pub const NONE: Change =
        Change { ends: [0; 2], length: 0, cut: 0, removed: 0, merging: 0, merged: [([GROUND; 2], 0); 2] };

    /// The removal of a string alone.
    #[inline(always)]
    pub fn of<K: Key>(graph: &Graph<K>, string: usize) -> Change {
        let [a, b] = graph.ends[string];
        let is_cut = a.max(b) < GROUND && graph.ties[a as usize] & graph.ties[b as usize] == 1 << string;
        Change {
            ends: [a, b],
            length: graph.length(string) as u8,
            cut: if is_cut { 1 << a | 1 << b } else { 0 },
            removed: 1 << string,
            ..Change::NONE
        }
    }

    /// Adds a string that arises.
    #[inline(always)]
    pub fn merge(&mut self, ends: [u8; 2], length: u8) {
        self.merged = [(ends, length), self.merged[0]];
    }
}

impl<const IMAGES: usize> Graph<SymmetricKey<IMAGES>> {
    /// Returns the joints of the component of a joint after a change if it is small, otherwise 0.
    #[inline(always)]
    pub fn small_component(&self, joint: u8, change: &Change) -> u32 {
        let mut found = 1u32 << joint;
        let mut open = found;
        while open != 0 {
            let joint = open.trailing_zeros();
            let mut joined = self.components.joined(joint as usize);
            if change.cut >> joint & 1 == 1 {
                joined &= !change.cut;
            }
            open = open & (open - 1) | joined & !found;
            found |= joined;
            if is_more_than_small(found & !change.merging) {
                return 0;
            }
        }
        found & !change.merging
    }

    /// Returns up to three joints after a change that leaves them, and the strings at them.
    #[inline(always)]
    pub fn component_after(&self, joints: u32, change: &Change) -> SmallComponent {
        let mut component = SmallComponent { joints, own: [0; MAX_JOINTS], between: [0; MAX_JOINTS] };
        if joints == 0 {
            return component;
        }
        let first = joints.trailing_zeros() as usize;
        component.own[0] = self.components.own(first);
        let rest = joints & (joints - 1);
        if rest != 0 {
            let second = rest.trailing_zeros() as usize;
            component.own[1] = self.components.own(second);
            component.between[0] = self.between(first, second, change);
            let rest = rest & (rest - 1);
            if rest != 0 {
                let third = rest.trailing_zeros() as usize;
                component.own[2] = self.components.own(third);
                component.between[1] = self.between(first, third, change);
                component.between[2] = self.between(second, third, change);
            }
        }
        let [a, b] = change.ends;
        if a.max(b) == GROUND && joints >> a.min(b) & 1 == 1 {
            component.remove_from_ground(a.min(b), change.length);
        }
        for (ends, length) in change.merged {
            if (1 << ends[0] | 1 << ends[1]) & joints != 0 {
                component.add(ends, length);
            }
        }
        component
    }

    /// Returns the sum of the strings between two joints that a change leaves.
    #[inline(always)]
    fn between(&self, a: usize, b: usize, change: &Change) -> u64 {
        let mut strings = self.ties[a] & self.ties[b] & !change.removed;
        let mut sum = 0u64;
        while strings != 0 {
            let string = strings.trailing_zeros() as usize;
            sum = sum.wrapping_add(string_number([0, 1], self.length(string) as u8));
            strings &= strings - 1;
        }
        sum
    }
}

/// Returns `true` if there are more joints than a small component has.
#[inline(always)]
pub(crate) fn is_more_than_small(joints: u32) -> bool {
    (0..MAX_JOINTS).fold(joints, |joints, _| joints & joints.wrapping_sub(1)) != 0
}
