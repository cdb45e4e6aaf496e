//! The strings of a position, as a key that only positions of equal margin share.

use doublecross_core::board::{Edge, Edges, MAX_BOXES, MAX_EDGES, State};
use doublecross_core::mix::split_mix;

/// The end of a string at the border of the board.
const GROUND: u8 = 0;

/// The end of a string without ends: a loop that no joint is in.
const NOWHERE: u8 = u8::MAX;

/// The strings of a capture-free position.
///
/// The list says all that there is to know of the game from here on (docs/strategy.md, section 9), so
/// positions with equal lists have equal margins. Equal games may have different lists, because
/// joints are numbered by what is around them, and where that looks the same, by their places.
pub(super) struct StringList {
    /// A number for each string, of four bytes: 0, its ends, the lower one first, and its boxes.
    strings: [u32; MAX_EDGES],
    count: usize,
}

impl StringList {
    /// Lists the strings of a capture-free state.
    pub fn of(state: State) -> StringList {
        let mut joints = 0;
        let mut numbers = [0; MAX_BOXES];
        for (b, number) in numbers.iter_mut().enumerate().take(state.board().boxes()) {
            if state.undrawn_sides(b).len() > 2 {
                joints += 1;
                *number = joints;
            }
        }
        let mut list = StringList { strings: [0; MAX_EDGES], count: 0 };
        let mut walk = Walk { state, numbers, left: state.undrawn() };
        // Those without ends are left to the last.
        for starts_anywhere in [false, true] {
            for edge in state.undrawn() {
                if !walk.left.contains(edge) {
                    continue;
                }
                let start = match *state.board().boxes_of(edge) {
                    [inside] => Some((GROUND, inside)),
                    [one, other] if numbers[usize::from(one)] > 0 => Some((numbers[usize::from(one)], other)),
                    [one, other] if numbers[usize::from(other)] > 0 => Some((numbers[usize::from(other)], one)),
                    [one, _] if starts_anywhere => Some((NOWHERE, one)),
                    _ => None,
                };
                if let Some((from, inside)) = start {
                    let (to, length) = walk.follow(edge, inside);
                    list.strings[list.count] = u32::from_be_bytes([0, from, to, length]);
                    list.count += 1;
                }
            }
        }
        list.number_joints(joints.into());
        list
    }

    /// Returns the strings, each as a number that says all of it, in order.
    pub fn as_slice(&self) -> &[u32] {
        &self.strings[..self.count]
    }

    /// Numbers the joints by what is around them, and sorts the strings.
    fn number_joints(&mut self, joints: usize) {
        let strings = &mut self.strings[..self.count];
        let mut colors = [0; MAX_BOXES + 1];
        let mut order: [u8; MAX_BOXES] = std::array::from_fn(|joint| joint as u8 + 1);
        let order = &mut order[..joints];
        let mut kinds = 0;
        loop {
            look_around(strings, &mut colors[..=joints]);
            order.sort_by_key(|&joint| colors[usize::from(joint)]);
            let alike = |pair: &&[u8]| colors[usize::from(pair[0])] == colors[usize::from(pair[1])];
            let pairs = order.windows(2).filter(alike).count();
            let Some(first) = order.windows(2).find(alike).map(|pair| usize::from(pair[0])) else { break };
            if joints - pairs == kinds {
                // Those that look the same stay the same, so one is told apart.
                colors[first] = split_mix(colors[first]);
            }
            kinds = joints - pairs;
        }
        let mut numbers = [0; MAX_BOXES + 1];
        for (number, &joint) in (1..).zip(order.iter()) {
            numbers[usize::from(joint)] = number;
        }
        for string in strings.iter_mut() {
            let [_, from, to, length] = string.to_be_bytes();
            if from != NOWHERE {
                let [from, to] = [from, to].map(|end| numbers[usize::from(end)]);
                *string = u32::from_be_bytes([0, from.min(to), from.max(to), length]);
            }
        }
        strings.sort_unstable();
    }
}

/// Gives each joint a color that stands for its own and for those at the other ends of its strings.
fn look_around(strings: &[u32], colors: &mut [u64]) {
    let mut seen = [0u64; MAX_BOXES + 1];
    let seen = &mut seen[..colors.len()];
    for string in strings {
        let [_, from, to, length] = string.to_be_bytes();
        if from == NOWHERE {
            continue;
        }
        let [from, to] = [from, to].map(usize::from);
        let look = |end: usize| split_mix(colors[end] ^ u64::from(length) ^ u64::from(end == 0) << 32);
        seen[from] = seen[from].wrapping_add(look(to));
        seen[to] = seen[to].wrapping_add(look(from));
    }
    // Every joint sees the ground alike.
    for (color, seen) in colors.iter_mut().zip(seen).skip(1) {
        *color = split_mix(color.wrapping_add(*seen));
    }
}

/// A walk along the strings of a state.
struct Walk {
    state: State,
    /// The numbers of joints, by box, and 0 for other boxes.
    numbers: [u8; MAX_BOXES],
    /// The edges that were not walked along.
    left: Edges,
}

impl Walk {
    /// Follows a string from its first edge into the box behind it. Returns the string's other end,
    /// and the number of boxes on the way.
    fn follow(&mut self, edge: Edge, inside: u8) -> (u8, u8) {
        self.left.remove(edge);
        let mut length = 0;
        let mut at = inside;
        loop {
            if self.numbers[usize::from(at)] > 0 {
                return (self.numbers[usize::from(at)], length);
            }
            length += 1;
            // The one by which the box was entered is taken.
            let Some(edge) = self.state.undrawn_sides(at.into()).intersection(self.left).lowest() else {
                return (NOWHERE, length);
            };
            self.left.remove(edge);
            match self.state.board().boxes_of(edge).iter().find(|&&other| other != at) {
                Some(&other) => at = other,
                None => return (GROUND, length),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::tests::margin_by_the_rules;
    use super::*;
    use doublecross_core::board::Board;

    fn strings(state: &str) -> Vec<[u8; 3]> {
        let list = StringList::of(state.parse().unwrap());
        list.as_slice().iter().map(|string| string.to_be_bytes()[1..].try_into().unwrap()).collect()
    }

    fn board(rows: usize, cols: usize) -> Board {
        Board::new(rows, cols).unwrap()
    }

    #[test]
    fn a_list_has_every_string_with_its_ends() {
        // Two joints with three strings to the border each, and the one between them.
        assert_eq!(strings("1x2"), [[0, 1, 0], [0, 1, 0], [0, 1, 0], [0, 2, 0], [0, 2, 0], [0, 2, 0], [1, 2, 0]]);
        // A chain through both boxes, and a loop.
        assert_eq!(strings("1x2:0xf"), [[GROUND, GROUND, 2]]);
        let inner = board(2, 2).all().iter().filter(|&edge| board(2, 2).boxes_of(edge).len() == 2).collect();
        let state = State::from_undrawn(board(2, 2), inner);
        assert_eq!(StringList::of(state).as_slice(), [u32::from_be_bytes([0, NOWHERE, NOWHERE, 4])]);
        assert_eq!(strings("2x2:0xfff"), [[0; 3]; 0]);
    }

    /// On every capture-free position of small boards.
    #[test]
    fn equal_lists_have_equal_margins() {
        for (rows, cols) in [(1, 4), (2, 2), (2, 3)] {
            let board = board(rows, cols);
            let mut memo = HashMap::new();
            let mut margins: HashMap<Box<[u32]>, i32> = HashMap::new();
            let mut states = 0;
            for word in 0u64..1 << board.edges() {
                let state = State::from_drawn(board, Edges::from_bytes(&word.to_le_bytes()));
                if state.is_capture_free() {
                    let margin = margin_by_the_rules(state, &mut memo);
                    let known = *margins.entry(StringList::of(state).as_slice().into()).or_insert(margin);
                    assert_eq!(known, margin, "{state}");
                    states += 1;
                }
            }
            assert!(4 * margins.len() < states, "{board}: {} lists of {states} positions", margins.len());
        }
    }

    /// The strings of a list are all that the position has, with as many boxes and edges.
    #[test]
    fn a_list_leaves_nothing_out() {
        for word in 0..20_000u64 {
            let board = [board(3, 3), board(4, 5), board(5, 5)][word as usize % 3];
            let bytes = [split_mix(word) & split_mix(!word), 0].map(u64::to_le_bytes);
            let mut state = State::from_drawn(board, Edges::from_bytes(bytes.as_flattened()).intersection(board.all()));
            state = state.offer().rest;
            let list = StringList::of(state);
            let joints = (0..board.boxes()).filter(|&b| state.undrawn_sides(b).len() > 2).count();
            let (mut boxes, mut edges, mut ends) = (joints, 0, 0);
            for string in list.as_slice() {
                let [_, from, to, length] = string.to_be_bytes().map(usize::from);
                boxes += length;
                edges += length + usize::from(from != usize::from(NOWHERE));
                ends += [from, to].iter().filter(|&&end| (1..=joints).contains(&end)).count();
            }
            assert_eq!((boxes, edges), (state.open_boxes(), state.undrawn().len()), "{state}");
            let sides = (0..board.boxes()).map(|b| state.undrawn_sides(b).len()).filter(|&sides| sides > 2);
            assert_eq!(ends, sides.sum::<usize>(), "{state}");
        }
    }

    /// Positions that a symmetry makes of one another nearly always have one list.
    #[test]
    fn images_share_a_list() {
        let board = board(4, 5);
        let mut same = 0;
        for word in 0..1_000u64 {
            let drawn =
                Edges::from_bytes(&(split_mix(word) & split_mix(!word)).to_le_bytes()).intersection(board.all());
            let state = State::from_drawn(board, drawn).offer().rest;
            let list = StringList::of(state);
            same += board
                .symmetries()
                .filter(|&symmetry| StringList::of(state.image(symmetry)).as_slice() == list.as_slice())
                .count();
        }
        assert!(same > 3_900, "{same} of 4000");
    }
}
