//! Cells in groups whose sums are computed together.
//!
//! A step of a sum waits for the one before, which several sums at once hide: a cell left alone takes as long as several
//! in company. So groups are as even as can be: the 25 cells of 4x4 are 13 and 12, not 12, 12 and 1.

/// Splits cells into as few parts of at most `most` as can be, no two of which differ by more than one.
pub(super) fn evenly(cells: &[usize], most: usize) -> impl Iterator<Item = &[usize]> {
    let (count, parts) = (cells.len(), cells.len().div_ceil(most));
    (0..parts).map(move |part| &cells[part * count / parts..(part + 1) * count / parts])
}

/// Does something for each group of at most `$most` cells, 13 in any case, which is an array `$group`. A macro, for each
/// length is compiled by itself, and for the processor that the function around it is for. [`evenly`] has to be in scope.
macro_rules! for_each_group {
    ($cells:expr, $most:expr, $group:ident => $apply:expr) => {
        for part in evenly($cells, $most) {
            for_each_group!(@ part, $most, $group => $apply, 1 2 3 4 5 6 7 8 9 10 11 12 13)
        }
    };
    (@ $part:ident, $most:expr, $group:ident => $apply:expr, $($length:literal)*) => {
        match $part.len() {
            // What is longer than a group can be is not compiled.
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
