//! Numbers of tensors, read back from their device.

use burn::tensor::Tensor;

/// Returns the numbers of a tensor.
///
/// On a GPU this waits until they are computed, so that a learning step must not ask for any.
#[allow(clippy::disallowed_methods, reason = "every other place calls this function")]
pub(crate) fn read<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    #[cfg(test)]
    reads::add();
    tensor.into_data().try_into_vec().expect("the numbers of networks are f32")
}

/// Counts of reads.
#[cfg(test)]
pub(crate) mod reads {
    use std::cell::Cell;

    thread_local! {
        static READS: Cell<usize> = const { Cell::new(0) };
    }

    pub fn add() {
        READS.set(READS.get() + 1);
    }

    /// Returns how many tensors were read on this thread.
    pub fn of(work: impl FnOnce()) -> usize {
        let before = READS.get();
        work();
        READS.get() - before
    }
}
