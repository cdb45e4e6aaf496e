//! Memory that begins where a cache line does, so that vectors of 64 bytes never lie across two.

use std::ops::{Deref, DerefMut};

use super::kernel::LANES;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Numbers of which the first begins a cache line.
#[derive(Debug)]
pub(crate) struct Lines<T> {
    memory: Vec<T>,
    start: usize,
    length: usize,
}

impl<T: Copy + Default> Lines<T> {
    /// A copy of these numbers.
    pub fn new(values: &[T]) -> Lines<T> {
        let mut lines = Lines::zeros(values.len());
        lines.copy_from_slice(values);
        lines
    }

    /// So many zeros.
    pub fn zeros(length: usize) -> Lines<T> {
        let mut lines = Lines { memory: Vec::new(), start: 0, length: 0 };
        lines.resize(length);
        lines
    }

    /// Makes it so long. What it holds then is left over from whatever was there before.
    pub fn resize(&mut self, length: usize) {
        let slack = LINE / size_of::<T>();
        if self.memory.len() < length + slack {
            self.memory = vec![T::default(); length + slack];
            self.start = self.memory.as_ptr().align_offset(LINE).min(slack);
        }
        self.length = length;
    }
}

impl<T> Deref for Lines<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.memory[self.start..][..self.length]
    }
}

impl<T> DerefMut for Lines<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.memory[self.start..][..self.length]
    }
}

impl<T: Copy + Default> Clone for Lines<T> {
    fn clone(&self) -> Lines<T> {
        Lines::new(self)
    }
}

/// Numbers by [`LANES`].
#[inline(always)]
pub(super) fn lanes(values: &[f32]) -> std::slice::Iter<'_, [f32; LANES]> {
    values.as_chunks().0.iter()
}

/// Numbers by [`LANES`].
#[inline(always)]
pub(super) fn lanes_mut(values: &mut [f32]) -> std::slice::IterMut<'_, [f32; LANES]> {
    values.as_chunks_mut().0.iter_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_number_begins_a_line() {
        let mut lines = Lines::<u32>::zeros(0);
        for length in [1, 5, 16, 1_000, 3, 100_000] {
            lines.resize(length);
            assert_eq!((lines.len(), lines.as_ptr() as usize % LINE), (length, 0));
            lines.fill(7);
            let copy = lines.clone();
            assert_eq!((&copy[..], copy.as_ptr() as usize % LINE), (&vec![7; length][..], 0));
        }
    }
}
