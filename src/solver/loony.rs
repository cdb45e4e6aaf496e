//! Loony endgames in closed form: independent chains and loops, where every move gives boxes away.
//!
//! Buzzard and Ciere, *Playing simple loony Dots and Boxes endgames optimally*, 2014; THEORY section 3. `v` is the
//! margin of the controller, the player who is *not* to move.

/// The independent components of a position, by length.
///
/// ```
/// use doublecross::solver::loony::Components;
/// // Two 3-chains: the controller takes 1 + 3 boxes, the other player 2.
/// let components = Components::new(&[3, 3], &[]);
/// assert_eq!(components.controller_margin(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Components {
    /// `chains[c]`: how many chains of `c` boxes there are.
    chains: Counts,
    /// `loops[l]`: how many loops of `l` boxes there are.
    loops: Counts,
}

type Counts = [u8; crate::board::MAX_BOXES + 1];

/// A list of lengths, shortest first, without a heap.
struct Lengths {
    items: [i32; crate::board::MAX_BOXES],
    count: usize,
}

impl Components {
    /// The components with these lengths.
    ///
    /// # Panics
    /// When a length is over [`MAX_BOXES`](crate::board::MAX_BOXES).
    pub fn new(chains: &[usize], loops: &[usize]) -> Components {
        let mut components = Components::default();
        chains.iter().for_each(|&length| components.add_chain(length));
        loops.iter().for_each(|&length| components.add_loop(length));
        components
    }

    /// Adds a chain.
    pub fn add_chain(&mut self, length: usize) {
        self.chains[length] += 1;
    }

    /// Adds a loop.
    pub fn add_loop(&mut self, length: usize) {
        self.loops[length] += 1;
    }

    /// The controller's margin with best play.
    pub fn controller_margin(&self) -> i32 {
        let long = self.long_margin();
        match (self.chains[1] % 2, self.chains[2] % 2) {
            (0, 0) => long,
            (1, 0) => 1 - long,
            (0, _) => 2 - long,
            (_, _) => long - 1,
        }
    }

    /// Chains of three or more and loops alone. Opening the shortest chain or the shortest loop is always among the
    /// best, so a state is how many of each are gone: a small table from the end back.
    fn long_margin(&self) -> i32 {
        let (chains, loops) = (lengths(&self.chains, 3), lengths(&self.loops, 4));
        // next[j]: the margin with chains i+1.. and loops j.. left.
        let mut next = [0; crate::board::MAX_BOXES + 1];
        for i in (0..=chains.count).rev() {
            let mut row = [0; crate::board::MAX_BOXES + 1];
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

fn lengths(counts: &Counts, shortest: usize) -> Lengths {
    let mut list = Lengths { items: [0; crate::board::MAX_BOXES], count: 0 };
    for (length, &count) in counts.iter().enumerate().skip(shortest) {
        for _ in 0..count {
            list.items[list.count] = length as i32;
            list.count += 1;
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// The recursion of THEORY section 3 over every component.
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
