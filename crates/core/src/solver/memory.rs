//! The memory of large tables.
//!
//! Each probe of a table of gigabytes reads another page, so with pages of 4 KiB the processor also
//! has to look up the address of the page. On Linux the kernel provides pages of 2 MiB on request.

use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::sync::atomic::AtomicU64;

/// Allocates this many words, at least one, all zero. The system provides the memory when it is
/// first written to. Large allocations request large pages.
///
/// # Panics
/// Panics if the size exceeds the address space.
pub(super) fn zeroed(words: usize) -> Vec<AtomicU64> {
    /// The size from which large pages are requested, in bytes: a few of them.
    const LARGE: usize = 8 << 20;
    let words = words.max(1);
    let layout = Layout::array::<AtomicU64>(words).expect("the table should fit into the address space");
    // SAFETY: the layout's size is not zero.
    let start = unsafe { alloc_zeroed(layout) };
    if start.is_null() {
        handle_alloc_error(layout);
    }
    if layout.size() >= LARGE {
        advise(start, layout.size());
    }
    // SAFETY: the memory was allocated for this many words, nothing else refers to it, and zero is
    // a valid word.
    unsafe { Vec::from_raw_parts(start.cast(), words, words) }
}

/// Prefetches the cache line of a word that will be read soon.
#[cfg(target_arch = "x86_64")]
pub(super) fn prefetch(word: &AtomicU64) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: every x86-64 processor has the instruction, and it changes nothing but the contents
    // of the caches.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(word.as_ptr().cast_const().cast()) };
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn prefetch(_word: &AtomicU64) {}

/// Requests large pages. The result affects speed alone.
#[cfg(target_os = "linux")]
fn advise(start: *mut u8, length: usize) {
    unsafe extern "C" {
        fn madvise(start: *mut u8, length: usize, advice: i32) -> i32;
    }
    const PAGE: usize = 2 << 20;
    const HUGEPAGE: i32 = 14;
    let skip = start.align_offset(PAGE).min(length);
    let whole = (length - skip) / PAGE * PAGE;
    // SAFETY: the range lies within memory that was just allocated, and the advice does not change
    // its contents. A kernel without large pages returns an error, which can be ignored.
    unsafe { madvise(start.add(skip), whole, HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise(_start: *mut u8, _length: usize) {}
