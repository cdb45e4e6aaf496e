//! The memory of large tables.
//!
//! Each look into a table of gigabytes goes to another page, so with pages of 4 KiB the processor also has to look up
//! where that page lies. On Linux the kernel gives pages of 2 MiB to whoever asks.

use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::sync::atomic::AtomicU64;

/// This many words, at least one, all zero; the system hands out the memory when it is first written to. What is large
/// gets large pages, where there are some.
///
/// # Panics
/// When that is more memory than can be addressed.
pub(super) fn zeroed(words: usize) -> Vec<AtomicU64> {
    /// What is smaller than a few large pages has no use for them.
    const WORTH_ASKING: usize = 8 << 20;
    let words = words.max(1);
    let layout = Layout::array::<AtomicU64>(words).expect("a table that fits into memory");
    // SAFETY: the layout's size is not zero.
    let start = unsafe { alloc_zeroed(layout) };
    if start.is_null() {
        handle_alloc_error(layout);
    }
    if layout.size() >= WORTH_ASKING {
        advise(start, layout.size());
    }
    // SAFETY: the memory was allocated for this many words, nobody else has it, and zeros are words.
    unsafe { Vec::from_raw_parts(start.cast(), words, words) }
}

/// Has the processor fetch the cache line of a word that will be read soon.
#[cfg(target_arch = "x86_64")]
pub(super) fn fetch(word: &AtomicU64) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: every x86-64 has the instruction, and it changes nothing but what the caches hold.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(word.as_ptr().cast_const().cast()) };
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn fetch(_word: &AtomicU64) {}

/// Asks for large pages. What comes of it changes nothing but speed.
#[cfg(target_os = "linux")]
fn advise(start: *mut u8, length: usize) {
    unsafe extern "C" {
        fn madvise(start: *mut u8, length: usize, advice: i32) -> i32;
    }
    const PAGE: usize = 2 << 20;
    const HUGEPAGE: i32 = 14;
    let skip = start.align_offset(PAGE).min(length);
    let whole = (length - skip) / PAGE * PAGE;
    // SAFETY: the range lies within memory that was just allocated, and the advice leaves what it holds as it is. A
    // kernel without large pages answers with an error, which is as good as none.
    unsafe { madvise(start.add(skip), whole, HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise(_start: *mut u8, _length: usize) {}
