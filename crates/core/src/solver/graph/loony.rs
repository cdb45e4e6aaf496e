//! Independent chains and loops in closed form (docs/strategy.md, section 11; Buzzard and Ciere,
//! *Playing simple loony Dots and Boxes endgames optimally*, 2014).
//!
//! `v` is the margin of the controller, the player who is *not* to move.

use super::lengths::{LengthList, Lengths, MAX_LONG};

/// The independent chains and loops of a position, by length.
///
/// ```
/// use doublecross_core::solver::loony::Components;
/// // Two 3-chains: the controller takes 1 + 3 boxes, the other player 2.
/// let components = Components::new(&[3, 3], &[]);
/// assert_eq!(components.controller_margin(), 2);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Components {
    chains: Lengths,
    loops: Lengths,
}

impl Components {
    /// Creates components of these lengths.
    ///
    /// # Panics
    /// Panics if the components have more boxes than any board.
    pub fn new(chains: &[usize], loops: &[usize]) -> Components {
        let mut components = Components::default();
        chains.iter().for_each(|&length| components.add_chain(length));
        loops.iter().for_each(|&length| components.add_loop(length));
        components
    }

    /// Adds a chain.
    pub fn add_chain(&mut self, length: usize) {
        self.chains.add(length);
    }

    /// Adds a loop.
    pub fn add_loop(&mut self, length: usize) {
        self.loops.add(length);
    }

    /// Removes a chain. There must be one of this length.
    pub fn remove_chain(&mut self, length: usize) {
        self.chains.remove(length);
    }

    /// Removes a loop. There must be one of this length.
    pub fn remove_loop(&mut self, length: usize) {
        self.loops.remove(length);
    }

    /// Returns `true` if there is a chain of this length.
    pub fn has_chain(&self, length: usize) -> bool {
        self.chains.present >> length & 1 == 1
    }

    /// Returns the shorter of a chain of one box and a chain of two. No other short chain need be
    /// opened: control can be kept with neither, so swapping one for the other changes any margin
    /// by at most one box, which is what opening the shorter one saves.
    pub fn shortest_short_chain(&self) -> Option<usize> {
        self.chains.shortest(1).filter(|&length| length <= 2)
    }

    /// Returns the shortest chain of three or more boxes. No other long chain need be opened,
    /// whatever else is on the board: if two long chains are swapped, the same variations are open
    /// to both players, and the margin at the end of each changes by at most the difference of
    /// their lengths, which is what opening the shorter one saves.
    pub fn shortest_long_chain(&self) -> Option<usize> {
        self.chains.shortest(3)
    }

    /// Returns the shortest loop. No other loop need be opened, for the same reason.
    pub fn shortest_loop(&self) -> Option<usize> {
        self.loops.shortest(4)
    }

    /// Returns the controller's margin with best play.
    ///
    /// # Panics
    /// Panics if the long chains, or the loops, have more boxes than any board.
    pub fn controller_margin(&self) -> i32 {
        let long = self.long_margin();
        match (self.chains.counts[1] % 2, self.chains.counts[2] % 2) {
            (0, 0) => long,
            (1, 0) => 1 - long,
            (0, _) => 2 - long,
            (_, _) => long - 1,
        }
    }

    /// Returns the controller's margin with the long chains and the loops alone.
    fn long_margin(&self) -> i32 {
        let controlled = self.controlled_margin();
        if controlled >= 2 { controlled } else { self.long_margin_by_recursion() }
    }

    /// Returns the controlled value: the margin of a controller who never gives control away before
    /// the last component. If it is at least 2, it is the exact margin (Buzzard and Ciere).
    fn controlled_margin(&self) -> i32 {
        let (mut margin, mut chains, mut threes, mut loops) = (0, 0, 0, 0);
        self.chains.at_least(3).for_each(|(length, count)| {
            margin += count * (length - 4);
            chains += count;
            threes += if length == 3 { count } else { 0 };
        });
        self.loops.at_least(4).for_each(|(length, count)| {
            margin += count * (length - 8);
            loops += count;
        });
        margin
            + match (loops > 0, chains) {
                (false, 0) => 0,
                (true, 0) => 8,
                (true, _) if chains == threes => 6,
                _ => 4,
            }
    }

    /// Computes the margin by recursion. Opening the shortest chain or the shortest loop is always
    /// optimal, so a state is the number of each that are gone, and a small table from the end
    /// backwards is enough.
    fn long_margin_by_recursion(&self) -> i32 {
        let (chains, loops) = (LengthList::new(&self.chains, 3), LengthList::new(&self.loops, 4));
        // next[j] is the margin with chains i+1.. and loops j.. left.
        let mut next = [0; MAX_LONG + 1];
        for i in (0..=chains.count).rev() {
            let mut row = [0; MAX_LONG + 1];
            for j in (0..=loops.count).rev() {
                let mut best = i32::MAX;
                if i < chains.count {
                    best = chains.items[i] - 2 + (next[j] - 2i32).abs();
                }
                if j < loops.count {
                    best = best.min(loops.items[j] - 4 + (row[j + 1] - 4i32).abs());
                }
                row[j] = if best == i32::MAX { 0 } else { best };
            }
            next = row;
        }
        next[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Computes the recursion of docs/strategy.md, section 11, over every component.
    fn by_recursion(chains: &[usize], loops: &[usize], memo: &mut HashMap<(Vec<usize>, Vec<usize>), i32>) -> i32 {
        if chains.is_empty() && loops.is_empty() {
            return 0;
        }
        let key = (chains.to_vec(), loops.to_vec());
        if let Some(&known) = memo.get(&key) {
            return known;
        }
        let mut best = i32::MAX;
        for i in 0..chains.len() {
            let mut rest = chains.to_vec();
            let length = rest.remove(i) as i32;
            let v = by_recursion(&rest, loops, memo);
            best = best.min(if length >= 3 { length - 2 + (v - 2).abs() } else { length - v });
        }
        for i in 0..loops.len() {
            let mut rest = loops.to_vec();
            let length = rest.remove(i) as i32;
            best = best.min(length - 4 + (by_recursion(chains, &rest, memo) - 4).abs());
        }
        memo.insert(key, best);
        best
    }

    fn lists(total: usize, least: usize, step: usize) -> Vec<Vec<usize>> {
        let mut all = vec![vec![]];
        for first in (least..=total).step_by(step) {
            for rest in lists(total - first, first, step) {
                all.push([vec![first], rest].concat());
            }
        }
        all
    }

    #[test]
    fn agrees_with_the_recursion_over_every_component() {
        let mut memo = HashMap::new();
        let mut checked = 0;
        for chains in lists(16, 1, 1) {
            for loops in lists(16 - chains.iter().sum::<usize>(), 4, 2) {
                let expected = by_recursion(&chains, &loops, &mut memo);
                let margin = Components::new(&chains, &loops).controller_margin();
                assert_eq!(margin, expected, "chains {chains:?} loops {loops:?}");
                checked += 1;
            }
        }
        assert!(checked > 1000);
    }
}
