//! Buffers aligned to a cache line, so that no vector of 64 bytes lies across two lines.

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line.
const CACHE_LINE: usize = 64;

/// A buffer whose first element begins a cache line.
#[derive(Debug)]
pub struct AlignedBuffer<T> {
    memory: Vec<T>,
    start: usize,
    length: usize,
}

impl<T: Copy + Default> AlignedBuffer<T> {
    /// Returns a buffer with a copy of `values`.
    pub fn new(values: &[T]) -> AlignedBuffer<T> {
        let mut buffer = AlignedBuffer::zeros(values.len());
        buffer.copy_from_slice(values);
        buffer
    }

    /// Returns a buffer of `length` zeros.
    pub fn zeros(length: usize) -> AlignedBuffer<T> {
        let mut buffer = AlignedBuffer { memory: Vec::new(), start: 0, length: 0 };
        buffer.resize(length);
        buffer
    }

    /// Returns the largest length that needs no new memory.
    pub fn capacity(&self) -> usize {
        self.memory.len().saturating_sub(CACHE_LINE / size_of::<T>())
    }

    /// Changes the length. The contents are unspecified afterwards.
    pub fn resize(&mut self, length: usize) {
        let slack = CACHE_LINE / size_of::<T>();
        if self.memory.len() < length + slack {
            self.memory = vec![T::default(); length + slack];
            self.start = self.memory.as_ptr().align_offset(CACHE_LINE).min(slack);
        }
        self.length = length;
    }
}

impl<T> Deref for AlignedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.memory[self.start..][..self.length]
    }
}

impl<T> DerefMut for AlignedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.memory[self.start..][..self.length]
    }
}

impl<T: Copy + Default> Clone for AlignedBuffer<T> {
    fn clone(&self) -> AlignedBuffer<T> {
        AlignedBuffer::new(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_element_begins_a_cache_line() {
        let mut buffer = AlignedBuffer::<u32>::zeros(0);
        for length in [1, 5, 16, 1_000, 3, 100_000] {
            buffer.resize(length);
            assert_eq!((buffer.len(), buffer.as_ptr() as usize % CACHE_LINE), (length, 0));
            buffer.fill(7);
            let copy = buffer.clone();
            assert_eq!((&copy[..], copy.as_ptr() as usize % CACHE_LINE), (&vec![7; length][..], 0));
        }
    }
}
