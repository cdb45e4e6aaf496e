//! The sums of products of inputs and gradients by the output that make up the gradient by the
//! weights.

use super::lanes::Lanes;
use super::positions::TAPS;
use crate::net::LANES;

/// Some positions whose products are added up.
///
/// A factor is the number of a place, or a word with the bf16 halves of a place and its neighbour.
/// With words, the cells are every other one of a row.
pub(super) struct Sum<'a, Factor> {
    /// The distance of each tap's input from its place.
    pub offsets: &'a [isize],
    /// The places of the cells that have a gradient.
    pub cells: &'a [usize],
    /// The number of places of a grid.
    pub places: usize,
    pub inputs: usize,
    pub outputs: usize,
    /// `[position][place][inputs]`
    pub padded: &'a [Factor],
    /// `[position][cell][outputs]`
    pub gradient: &'a [Factor],
}

impl<Factor: Copy> Sum<'_, Factor> {
    /// Adds the products to sums packed `[block of LANES outputs][tap][input][LANES]`.
    ///
    /// The sums of `INPUTS` inputs, and of four where fewer are left, are added to together: as
    /// many as registers hold.
    ///
    /// # Safety
    /// The requirements of [`Lanes`] hold.
    #[inline(always)]
    pub unsafe fn add<L: Lanes<Factor = Factor>, const INPUTS: usize>(&self, sums: &mut [f32]) {
        for (block, sums) in sums.chunks_exact_mut(TAPS * self.inputs * LANES).enumerate() {
            for (&offset, sums) in self.offsets.iter().zip(sums.chunks_exact_mut(self.inputs * LANES)) {
                let (mut groups, mut first) = (sums.chunks_exact_mut(INPUTS * LANES), 0);
                for group in &mut groups {
                    // SAFETY: the caller guarantees it.
                    unsafe { self.add_group::<L, INPUTS>(block, offset, first, group) };
                    first += INPUTS;
                }
                for group in groups.into_remainder().chunks_exact_mut(4 * LANES) {
                    // SAFETY: the caller guarantees it.
                    unsafe { self.add_group::<L, 4>(block, offset, first, group) };
                    first += 4;
                }
            }
        }
    }

    /// Adds the products of a tap to the sums of a block of outputs and the inputs from `first` on,
    /// `[input][LANES]`.
    ///
    /// # Safety
    /// The requirements of [`Lanes`] hold.
    #[inline(always)]
    unsafe fn add_group<L: Lanes<Factor = Factor>, const INPUTS: usize>(
        &self,
        block: usize,
        offset: isize,
        first: usize,
        group: &mut [f32],
    ) {
        // SAFETY: the caller guarantees what the lanes need.
        let mut sums: [L; INPUTS] = std::array::from_fn(|input| unsafe { L::load(&group[input * LANES..]) });
        let (places, cells) = (self.places * self.inputs, self.cells.len() * self.outputs);
        for (padded, gradient) in self.padded.chunks_exact(places).zip(self.gradient.chunks_exact(cells)) {
            for (cell, gradient) in self.cells.iter().zip(gradient.chunks_exact(self.outputs)) {
                let row = &padded[cell.wrapping_add_signed(offset) * self.inputs + first..][..INPUTS];
                // SAFETY: as above.
                let gradient = unsafe { L::factors(&gradient[block * LANES..]) };
                for (sum, &x) in sums.iter_mut().zip(row) {
                    // SAFETY: as above.
                    *sum = unsafe { sum.plus(x, gradient) };
                }
            }
        }
        for (sum, place) in sums.iter().zip(group.chunks_exact_mut(LANES)) {
            // SAFETY: as above.
            unsafe { sum.store(place) };
        }
    }
}
