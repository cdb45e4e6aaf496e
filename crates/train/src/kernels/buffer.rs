//! Memory that is used again and again.

use std::cell::RefCell;
use std::mem;
use std::ops::{Deref, DerefMut};

use doublecross_core::net::AlignedBuffer;

/// The most buffers that a thread keeps: more than are in use at a time, in the deepest networks that people train.
const MOST_UNUSED: usize = 64;

thread_local! {
    /// Buffers that this thread can use again. New ones would have to be zeroed.
    static UNUSED: RefCell<Vec<AlignedBuffer<f32>>> = const { RefCell::new(Vec::new()) };
}

/// Numbers in memory of which a thread keeps some for the next buffers.
#[derive(Debug)]
pub(crate) struct Buffer(AlignedBuffer<f32>);

impl Buffer {
    /// Returns unspecified numbers.
    pub fn unspecified(length: usize) -> Buffer {
        let mut numbers = UNUSED.with_borrow_mut(|unused| {
            // The smallest that is large enough, or else the largest.
            let order = |capacity: usize| if capacity < length { usize::MAX - capacity } else { capacity };
            let best = (0..unused.len()).min_by_key(|&index| order(unused[index].capacity()));
            best.map_or_else(|| AlignedBuffer::zeros(0), |index| unused.swap_remove(index))
        });
        numbers.resize(length);
        if cfg!(test) {
            // What is not written shows in results.
            numbers.fill(f32::NAN);
        }
        Buffer(numbers)
    }

    /// Returns zeros.
    pub fn zeros(length: usize) -> Buffer {
        let mut buffer = Buffer::unspecified(length);
        buffer.fill(0.0);
        buffer
    }
}

impl Deref for Buffer {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.0
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.0
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let numbers = mem::replace(&mut self.0, AlignedBuffer::zeros(0));
        // A thread that ends may have no list any more.
        let _ = UNUSED.try_with(|unused| {
            let mut unused = unused.borrow_mut();
            // Another thread may have made it, so that there can be any number of them.
            if unused.len() < MOST_UNUSED {
                unused.push(numbers);
            }
        });
    }
}
