//! The components that a graph keeps track of, and the keys after changes of them: none where positions are looked up as
//! they are, [`GraphComponents`](super::graph_components::GraphComponents) where they are looked up under symmetries.

use super::change::Change;
use super::graph::Graph;
use super::key::{Key, PlainKey};
use super::plan::Plan;

/// The components that a graph with keys of this type keeps track of.
pub(crate) trait Components<K: Key>: Copy {
    /// No components.
    const NONE: Self;

    /// Returns `true` if a joint belongs to a large component, whose strings count one by one.
    fn is_large(&self, joint: u8) -> bool;

    /// Adds a string between these ends.
    fn add(&mut self, ends: [u8; 2], length: u8);

    /// Removes a string between these ends.
    fn remove(&mut self, ends: [u8; 2], length: u8);

    /// Returns joints of all components that removing a string leaves of a large component.
    fn joints_beside(graph: &Graph<K>, string: usize) -> u32;

    /// Finds the small components among those of these joints, which counted as large so far.
    fn find_small(graph: &mut Graph<K>, plan: &Plan, joints: u32);

    /// Replaces the small component of a joint, which has changed, by those that are left of it.
    fn split_small(graph: &mut Graph<K>, joint: u8);

    /// Returns the key after a change of a small component, given the key before with the
    /// independent chains and loops that arise.
    fn key_after_small(graph: &Graph<K>, before: K, change: &Change) -> K;

    /// Returns the key after a change of a large component, given the key with all its strings
    /// counted one by one.
    fn key_after_large(graph: &Graph<K>, plan: &Plan, key: K, change: &Change) -> K;
}

/// A graph whose strings all count one by one keeps nothing: each component counts as large.
impl Components<PlainKey> for () {
    const NONE: () = ();

    #[inline(always)]
    fn is_large(&self, _: u8) -> bool {
        true
    }

    #[inline(always)]
    fn add(&mut self, _: [u8; 2], _: u8) {}

    #[inline(always)]
    fn remove(&mut self, _: [u8; 2], _: u8) {}

    #[inline(always)]
    fn joints_beside(_: &Graph<PlainKey>, _: usize) -> u32 {
        0
    }

    #[inline(always)]
    fn find_small(_: &mut Graph<PlainKey>, _: &Plan, _: u32) {}

    #[inline(always)]
    fn split_small(_: &mut Graph<PlainKey>, _: u8) {}

    #[inline(always)]
    fn key_after_small(_: &Graph<PlainKey>, before: PlainKey, _: &Change) -> PlainKey {
        before
    }

    #[inline(always)]
    fn key_after_large(_: &Graph<PlainKey>, _: &Plan, key: PlainKey, _: &Change) -> PlainKey {
        key
    }
}
