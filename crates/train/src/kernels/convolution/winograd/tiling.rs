//! The tiles of a grid.

use std::ops::Range;

use super::matrices::{MOST_SUMS, points};
use super::transform::Vectors;

/// A rectangle of a grid whose sums are computed together.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    /// The cells with sums.
    pub sums: Piece,
    /// The cells that are inputs of the sums: those and their neighbors.
    pub inputs: Piece,
}

/// The part of a tile that is within the grid.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    rows: Span,
    columns: Span,
}

/// The part of a tile along an axis.
#[derive(Clone, Debug)]
struct Span {
    /// The first cell.
    first: usize,
    /// The cells' places in the tile.
    places: Range<usize>,
}

impl Piece {
    /// Returns the piece's vectors of the channels from `channel` on in a grid `[cell][channel]` of
    /// this width.
    #[inline(always)]
    pub fn vectors(&self, width: usize, channels: usize, channel: usize) -> Vectors {
        Vectors {
            rows: self.rows.places.clone(),
            columns: self.columns.places.clone(),
            start: (self.rows.first * width + self.columns.first) * channels + channel,
            row_stride: width * channels,
            column_stride: channels,
        }
    }
}

/// Returns the most sums of a tile along an axis of `cells` cells.
pub(super) fn most_sums(cells: usize) -> usize {
    cells.div_ceil(cells.div_ceil(MOST_SUMS))
}

/// Returns the tiles of a grid, row by row.
pub(super) fn tiles(height: usize, width: usize) -> Vec<Tile> {
    let columns = spans(width);
    let tile = |[row_sums, row_inputs]: [Span; 2]| {
        columns.iter().cloned().map(move |[column_sums, column_inputs]| Tile {
            sums: Piece { rows: row_sums.clone(), columns: column_sums },
            inputs: Piece { rows: row_inputs.clone(), columns: column_inputs },
        })
    };
    spans(height).into_iter().flat_map(tile).collect()
}

/// Returns the spans of the sums and of the inputs of each tile along an axis.
fn spans(cells: usize) -> Vec<[Span; 2]> {
    let most = most_sums(cells);
    let of_tile = |first: usize| {
        let sums = Span { first, places: 0..most.min(cells - first) };
        // The inputs begin with the neighbor before the first sum.
        let places = 1usize.saturating_sub(first)..points(most).min(cells + 1 - first);
        [sums, Span { first: first.saturating_sub(1), places }]
    };
    (0..cells).step_by(most).map(of_tile).collect()
}

#[cfg(test)]
mod tests {
    use super::super::matrices::TAPS_OF_AXIS;
    use super::*;

    #[test]
    fn every_cell_has_one_sum_and_its_neighbors_are_inputs() {
        for cells in 1..=40 {
            let mut next = 0;
            for [sums, inputs] in spans(cells) {
                assert_eq!((sums.first, sums.places.start), (next, 0));
                next += sums.places.len();
                // Place 1 of the inputs is the cell of the first sum.
                assert_eq!(inputs.first + 1, sums.first + inputs.places.start);
                let (before, after) = (sums.first.saturating_sub(1), (next + 1).min(cells));
                assert!(inputs.first <= before && inputs.first + inputs.places.len() >= after, "{cells}");
                assert!(inputs.first + inputs.places.len() <= cells && sums.places.len() <= most_sums(cells));
                assert!(most_sums(cells) <= MOST_SUMS && inputs.places.end < most_sums(cells) + TAPS_OF_AXIS);
            }
            assert_eq!(next, cells);
        }
    }
}
