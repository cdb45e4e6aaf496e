//! What the gradient by the weights is made of: products of inputs and gradients by the output, added up.

use super::lanes::Lanes;
use super::loops::TAPS;
use crate::net::LANES;

/// Some positions whose products are added up. A factor is a place's number, or the halves of a place and its neighbour in a
/// word; then the cells are every other one.
pub(super) struct Sum<'a, Factor> {
    /// Of each tap, how far from a place its input lies.
    pub offsets: &'a [isize],
    /// Where in a grid the cells lie that have a gradient.
    pub cells: &'a [usize],
    /// Places of a grid.
    pub places: usize,
    pub inputs: usize,
    pub outputs: usize,
    /// `[position][place][inputs]`
    pub padded: &'a [Factor],
    /// `[position][cell][outputs]`
    pub gradient: &'a [Factor],
}

impl<Factor: Copy> Sum<'_, Factor> {
    /// Adds to sums packed `[block of LANES outputs][tap][input][LANES]`, those of so many inputs, and of four where fewer
    /// are left, together: as many as stay in registers.
    ///
    /// # Safety
    /// As for [`Lanes`].
    #[inline(always)]
    pub unsafe fn add<L: Lanes<Factor = Factor>, const INPUTS: usize>(&self, sums: &mut [f32]) {
        for (block, sums) in sums.chunks_exact_mut(TAPS * self.inputs * LANES).enumerate() {
            for (&offset, sums) in self.offsets.iter().zip(sums.chunks_exact_mut(self.inputs * LANES)) {
                let (mut groups, mut first) = (sums.chunks_exact_mut(INPUTS * LANES), 0);
                for group in &mut groups {
                    // SAFETY: the caller's.
                    unsafe { self.add_group::<L, INPUTS>(block, offset, first, group) };
                    first += INPUTS;
                }
                for group in groups.into_remainder().chunks_exact_mut(4 * LANES) {
                    // SAFETY: the caller's.
                    unsafe { self.add_group::<L, 4>(block, offset, first, group) };
                    first += 4;
                }
            }
        }
    }

    /// Adds to the sums of a block of outputs and the inputs from `first` on, `[input][LANES]`, at the tap of this offset.
    ///
    /// # Safety
    /// As for [`Lanes`].
    #[inline(always)]
    unsafe fn add_group<L: Lanes<Factor = Factor>, const INPUTS: usize>(
        &self,
        block: usize,
        offset: isize,
        first: usize,
        group: &mut [f32],
    ) {
        // SAFETY: the caller's, here and below.
        let mut sums: [L; INPUTS] = std::array::from_fn(|input| unsafe { L::load(&group[input * LANES..]) });
        let (places, cells) = (self.places * self.inputs, self.cells.len() * self.outputs);
        for (padded, gradient) in self.padded.chunks_exact(places).zip(self.gradient.chunks_exact(cells)) {
            for (cell, gradient) in self.cells.iter().zip(gradient.chunks_exact(self.outputs)) {
                let row = &padded[cell.wrapping_add_signed(offset) * self.inputs + first..][..INPUTS];
                let gradient = unsafe { L::factors(&gradient[block * LANES..]) };
                for (sum, &x) in sums.iter_mut().zip(row) {
                    *sum = unsafe { sum.plus(x, gradient) };
                }
            }
        }
        for (sum, place) in sums.iter().zip(group.chunks_exact_mut(LANES)) {
            unsafe { sum.store(place) };
        }
    }
}
