//! Splitting of cells into groups whose sums are computed together.
//!
//! Each addition to a sum waits for the one before it. Several sums at once hide that latency, so
//! that a group of one cell takes as long as a group of several. Groups are therefore made as even
//! as possible: the 25 cells of a 4x4 board are split into 13 and 12, not into 12, 12 and 1
//! (docs/experiments/inference.md#n22).

/// Splits cells into the fewest parts of at most `most` cells, whose lengths differ by at most one.
pub(super) fn evenly(cells: &[usize], most: usize) -> impl Iterator<Item = &[usize]> {
    let (count, parts) = (cells.len(), cells.len().div_ceil(most));
    (0..parts).map(move |part| &cells[part * count / parts..(part + 1) * count / parts])
}

/// Evaluates `$apply` for each group of at most `$most` cells, an array named `$group`.
///
/// `$most` is at most 13. This is a macro so that the code is compiled for each length separately,
/// and for the target features of the surrounding function. [`evenly`] has to be in scope.
macro_rules! for_each_group {
    ($cells:expr, $most:expr, $group:ident => $apply:expr) => {
        for part in evenly($cells, $most) {
            for_each_group!(@ part, $most, $group => $apply, 1 2 3 4 5 6 7 8 9 10 11 12 13)
        }
    };
    (@ $part:ident, $most:expr, $group:ident => $apply:expr, $($length:literal)*) => {
        match $part.len() {
            // Lengths above `$most` are removed by the compiler.
            $($length if $length <= $most => {
                let mut $group = [0; $length];
                $group.copy_from_slice($part);
                $apply
            })*
            length => unreachable!("a group of {length} cells"),
        }
    };
}

pub(super) use for_each_group;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_in_one_group_and_groups_are_even() {
        for count in 0..80 {
            for most in [1, 2, 4, 6, 13] {
                let cells: Vec<usize> = (100..100 + count).collect();
                let (mut seen, mut lengths) = (Vec::new(), Vec::new());
                for_each_group!(&cells, most, group => {
                    seen.extend(group);
                    lengths.push(group.len());
                });
                assert_eq!(seen, cells);
                assert_eq!(lengths.len(), count.div_ceil(most));
                let (least, largest) = (lengths.iter().min(), lengths.iter().max());
                assert!(largest <= Some(&most) && largest.zip(least).is_none_or(|(a, b)| a - b <= 1), "{lengths:?}");
            }
        }
    }
}
