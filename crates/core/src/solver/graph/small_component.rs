//! Small components: parts of a position with up to three joints, numbered up to isomorphism.
//!
//! Components meet at the ground alone, so a position is worth as much wherever its components lie
//! on the board. The number of a small component is the same for isomorphic ones, and no other has
//! it: a test compares those of all small components that a board can have. In searches near the
//! empty board this halves the number of nodes where the table is small
//! (docs/experiments/proofs.md#n79).

use crate::mix::split_mix;

use super::key::{Key, SymmetricKey};
use super::places::JOINT_PLACES;
use super::zobrist::GROUND;

/// The largest number of joints of a small component. The sums of [`SmallComponent`] tell
/// components of three joints apart, but not those of four.
pub(crate) const MAX_JOINTS: usize = 3;

/// The length of the longest string of a board whose boxes all have places in a graph.
const MAX_LENGTH: usize = JOINT_PLACES;

/// The numbers of strings by length: of those to the ground, those from a joint to itself, and
/// those between two joints.
static NUMBERS: [[u64; MAX_LENGTH + 1]; 3] = numbers();

/// Up to three joints and the strings at them, by sums over these strings. They are one component,
/// or several.
pub(crate) struct SmallComponent {
    /// The joints, a bit for each.
    pub joints: u32,
    /// The sum of each joint's strings to the ground and to itself, in ascending order of the
    /// joints.
    pub own: [u64; MAX_JOINTS],
    /// The sums of the strings between the first and second joint, the first and third, the second
    /// and third.
    pub between: [u64; MAX_JOINTS],
}

impl SmallComponent {
    /// Adds a string.
    #[inline(always)]
    pub fn add(&mut self, [a, b]: [u8; 2], length: u8) {
        let sum = match (a == b, a.max(b) == GROUND) {
            (false, false) => &mut self.between[self.place(a) + self.place(b) - 1],
            _ => &mut self.own[self.place(a.min(b))],
        };
        *sum = sum.wrapping_add(string_number([a, b], length));
    }

    /// Removes a string to the ground.
    #[inline(always)]
    pub fn remove_from_ground(&mut self, joint: u8, length: u8) {
        let sum = &mut self.own[self.place(joint)];
        *sum = sum.wrapping_sub(NUMBERS[0][length as usize]);
    }

    /// Returns the place of a joint among the joints.
    #[inline(always)]
    fn place(&self, joint: u8) -> usize {
        let below = self.joints & ((1 << joint) - 1);
        (below != 0) as usize + (below & below.wrapping_sub(1) != 0) as usize
    }

    /// Returns the number of a component of one joint.
    #[inline(always)]
    fn number_of_one(&self, joint: usize) -> u64 {
        split_mix(self.own[joint])
    }

    /// Returns the number of a component of two joints.
    #[inline(always)]
    fn number_of_two(&self, first: usize, second: usize) -> u64 {
        let (a, b) = (split_mix(self.own[first]), split_mix(self.own[second]));
        let colors = a.wrapping_add(b);
        split_mix(colors.wrapping_add(split_mix(self.between[first + second - 1] ^ colors)))
    }

    /// Returns the number of a component of three joints.
    #[inline(always)]
    fn number_of_three(&self) -> u64 {
        let [a, b, c] = self.own.map(split_mix);
        let pair = |sum: u64, colors: u64| if sum == 0 { 0 } else { split_mix(sum ^ colors) };
        let ab = pair(self.between[0], a.wrapping_add(b));
        let ac = pair(self.between[1], a.wrapping_add(c));
        let bc = pair(self.between[2], b.wrapping_add(c));
        split_mix([b, c, ab, ac, bc].into_iter().fold(a, u64::wrapping_add))
    }

    /// Calls `each` with the places of the joints of each component, a bit for each place, and its
    /// number.
    #[inline(always)]
    pub fn for_each_component(&self, mut each: impl FnMut(u32, u64)) {
        let [ab, ac, bc] = self.between;
        let rest = self.joints & self.joints.wrapping_sub(1);
        if self.joints == 0 {
            return;
        }
        if rest == 0 {
            each(0b001, self.number_of_one(0));
        } else if rest & (rest - 1) == 0 {
            if ab == 0 {
                each(0b001, self.number_of_one(0));
                each(0b010, self.number_of_one(1));
            } else {
                each(0b011, self.number_of_two(0, 1));
            }
        } else if ac | bc == 0 {
            each(0b011, self.number_of_two(0, 1));
            each(0b100, self.number_of_one(2));
        } else if ab | bc == 0 {
            each(0b101, self.number_of_two(0, 2));
            each(0b010, self.number_of_one(1));
        } else if ab | ac == 0 {
            each(0b110, self.number_of_two(1, 2));
            each(0b001, self.number_of_one(0));
        } else {
            each(0b111, self.number_of_three());
        }
    }

    /// Returns the sum of the Zobrist keys of the components.
    #[inline(always)]
    pub fn key<const IMAGES: usize>(&self) -> SymmetricKey<IMAGES> {
        let mut key = SymmetricKey::ZERO;
        self.for_each_component(|_, number| key = key.plus(SymmetricKey::of_small_component(number)));
        key
    }
}

/// Returns the number of a string, by which it counts in a sum.
#[inline(always)]
pub(crate) fn string_number([a, b]: [u8; 2], length: u8) -> u64 {
    let kind = match (a.max(b) == GROUND, a == b) {
        (true, _) => 0,
        (_, true) => 1,
        _ => 2,
    };
    NUMBERS[kind][length as usize]
}

const fn numbers() -> [[u64; MAX_LENGTH + 1]; 3] {
    let mut numbers = [[0; MAX_LENGTH + 1]; 3];
    let mut kind = 0;
    while kind < numbers.len() {
        let mut length = 0;
        while length <= MAX_LENGTH {
            numbers[kind][length] = split_mix(((kind as u64) << 32 | length as u64) ^ 0x736d_616c_6c00_0000);
            length += 1;
        }
        kind += 1;
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All strings that one joint has to the ground and to itself, or that two joints have between
    /// them.
    #[derive(Clone, Copy, Default)]
    struct Strings {
        /// A number that no other strings of the kind have.
        id: usize,
        boxes: usize,
        sum: u64,
    }

    impl Strings {
        fn and(self, other: Strings) -> Strings {
            Strings { id: 0, boxes: self.boxes + other.boxes, sum: self.sum.wrapping_add(other.sum) }
        }
    }

    /// Returns all ways to have `count` strings with these ends, from one of length `shortest` on,
    /// with up to this many boxes.
    fn strings(ends: [u8; 2], count: usize, shortest: usize, boxes: usize) -> Vec<Strings> {
        if count == 0 {
            return vec![Strings::default()];
        }
        let with_shortest = |length: usize| {
            let one = Strings { id: 0, boxes: length, sum: string_number(ends, length as u8) };
            strings(ends, count - 1, length, boxes - length).into_iter().map(move |rest| rest.and(one))
        };
        (shortest..=boxes).flat_map(with_shortest).collect()
    }

    /// Returns all ways for a joint to have strings to the ground and to itself with this many
    /// ends, with up to this many boxes.
    fn own(ends: usize, boxes: usize) -> Vec<Strings> {
        let mut all = Vec::new();
        for loops in 0..=ends / 2 {
            for to_ground in strings([0, GROUND], ends - 2 * loops, 0, boxes) {
                let to_itself = strings([0, 0], loops, 0, boxes - to_ground.boxes);
                all.extend(to_itself.into_iter().map(|to_itself| to_ground.and(to_itself)));
            }
        }
        all
    }

    /// Gives each of these strings an id, and sorts those with as many ends by their boxes.
    fn with_ids<const COUNT: usize>(mut all: [Vec<Strings>; COUNT]) -> [Vec<Strings>; COUNT] {
        all.iter_mut().flatten().enumerate().for_each(|(id, strings)| strings.id = id);
        all.iter_mut().for_each(|strings| strings.sort_by_key(|strings| strings.boxes));
        all
    }

    /// Calls `each` with all ways to choose one of each list with up to this many boxes in all.
    fn choose(lists: &[&[Strings]], boxes: usize, chosen: &mut Vec<Strings>, each: &mut impl FnMut(&[Strings])) {
        let Some((first, rest)) = lists.split_first() else { return each(chosen) };
        for strings in first.iter().take_while(|strings| strings.boxes <= boxes) {
            chosen.push(*strings);
            choose(rest, boxes - strings.boxes, chosen, each);
            chosen.pop();
        }
    }

    /// The orders of up to three joints.
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 0, 2], [0, 2, 1], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

    /// Returns the strings of a component with its joints in another order: those of each joint,
    /// then those between the first and second, the first and third, the second and third.
    fn reordered(strings: &[Strings], [a, b, c]: [usize; 3]) -> [Strings; 6] {
        let between = |a: usize, b: usize| strings[3 + a + b - 1];
        [strings[a], strings[b], strings[c], between(a, b), between(a, c), between(b, c)]
    }

    /// Returns the number of one component of this many joints.
    fn number(joints: usize, [a, b, c, ab, ac, bc]: [Strings; 6]) -> u64 {
        let all = (1 << joints) - 1;
        let component = SmallComponent { joints: all, own: [a.sum, b.sum, c.sum], between: [ab.sum, ac.sum, bc.sum] };
        let mut numbers = Vec::new();
        component.for_each_component(|places, number| numbers.push((places, number)));
        assert_eq!((numbers.len(), numbers[0].0), (1, all));
        numbers[0].1
    }

    /// Compares the numbers of all small components of up to this many boxes, and of some that no
    /// board has: no two are the same, unless one component is the other with its joints in another
    /// order. Returns how many components have one, two and three joints.
    fn compare(boxes: usize) -> [usize; MAX_JOINTS] {
        let own = with_ids([0, 1, 2, 3, 4].map(|ends| own(ends, boxes)));
        let between = with_ids([0, 1, 2, 3, 4].map(|count| strings([0, 1], count, 0, boxes)));
        let mut numbers = Vec::new();
        let mut count = [0; MAX_JOINTS];
        for (joints, ends, [ab, ac, bc]) in shapes() {
            let orders = &ORDERS[..[1, 2, 6][joints - 1]];
            let lists = [&own[ends[0]], &own[ends[1]], &own[ends[2]], &between[ab], &between[ac], &between[bc]];
            choose(&lists.map(Vec::as_slice), boxes - joints, &mut Vec::new(), &mut |strings| {
                let ids = |order| reordered(strings, order).map(|strings| strings.id);
                if orders.iter().all(|&order| ids(ORDERS[0]) <= ids(order)) {
                    let number = |order| number(joints, reordered(strings, order));
                    assert_eq!(number(orders[numbers.len() % orders.len()]), number(ORDERS[0]));
                    numbers.push(number(ORDERS[0]));
                    count[joints - 1] += 1;
                }
            });
        }
        let all = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), all);
        count
    }

    /// Returns the numbers of joints, of ends of their strings to the ground and to themselves, and
    /// of strings between them, that small components have. The ends are in ascending order.
    fn shapes() -> impl Iterator<Item = (usize, [usize; 3], [usize; 3])> {
        let triples = || (0..125).map(|number| [number / 25, number / 5 % 5, number % 5]);
        let all = (1..=MAX_JOINTS).flat_map(move |joints| {
            triples().flat_map(move |ends| triples().map(move |between| (joints, ends, between)))
        });
        all.filter(|&(joints, ends, [ab, ac, bc])| {
            let is_connected = match joints {
                1 => ab + ac + bc == 0,
                2 => ab > 0 && ac + bc == 0,
                _ => ab.min(ac) + ab.min(bc) + ac.min(bc) > 0,
            };
            let degrees = [ends[0] + ab + ac, ends[1] + ab + bc, ends[2] + ac + bc];
            let (joined, others) = degrees.split_at(joints);
            is_connected
                && joined.iter().all(|degree| (3..=4).contains(degree))
                && others.iter().all(|&degree| degree == 0)
                && ends[..joints].is_sorted()
        })
    }

    #[test]
    fn different_small_components_have_different_numbers() {
        assert_eq!(compare(20), [2_068, 176_942, 10_232_268]);
    }

    #[test]
    #[ignore = "takes 15 s and 400 MB"]
    fn different_small_components_of_the_largest_boards_have_different_numbers() {
        assert_eq!(compare(MAX_LENGTH), [3_908, 530_855, 48_110_301]);
    }
}
