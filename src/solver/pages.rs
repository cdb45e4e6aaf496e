//! Large memory pages for large tables.
//!
//! Each look into a table of gigabytes goes to another page, so with pages of 4 KiB the processor also has to look up
//! where that page lies. On Linux the kernel gives pages of 2 MiB to whoever asks.

/// Asks for large pages under a slice that has not been written to yet. What comes of it changes nothing but speed.
pub(super) fn use_large<T>(memory: &[T]) {
    /// A slice with less than a few large pages has no use for them.
    const WORTH_ASKING: usize = 8 << 20;
    if size_of_val(memory) >= WORTH_ASKING {
        advise(memory.as_ptr().cast(), size_of_val(memory));
    }
}

#[cfg(target_os = "linux")]
fn advise(start: *const u8, length: usize) {
    unsafe extern "C" {
        fn madvise(start: *mut u8, length: usize, advice: i32) -> i32;
    }
    const PAGE: usize = 2 << 20;
    const HUGEPAGE: i32 = 14;
    let skip = start.align_offset(PAGE).min(length);
    let whole = (length - skip) / PAGE * PAGE;
    // SAFETY: the range lies within the slice, and the advice leaves what memory holds as it is. A kernel without large
    // pages answers with an error, which is as good as none.
    unsafe { madvise(start.cast_mut().add(skip), whole, HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise(_start: *const u8, _length: usize) {}
