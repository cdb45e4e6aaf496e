//! The tile registers: loads, products and stores.
//!
//! [`Tiles`] are a parameter as the proof that the registers are set up.

use std::arch::asm;

use doublecross_core::net::{LANES, Tiles};

/// A number of four bytes.
pub(super) trait Word: Copy {}
impl Word for u32 {}
impl Word for f32 {}

/// Loads sixteen rows of sixteen words, one row every so many words, into a tile register.
#[inline(always)]
pub(super) fn load<const REGISTER: usize, T: Word>(_: &Tiles, words: &[T], every: usize) {
    let words = &words[..(LANES - 1) * every + LANES];
    macro_rules! into {
        ($name:literal) => {
            asm!(concat!("tileloadd ", $name, ", [{} + {}]"), in(reg) words.as_ptr(), in(reg) 4 * every,
                 options(nostack, readonly))
        };
    }
    // SAFETY: `Tiles` exist, so the processor has the instruction and the tiles are set up. The
    // last of the 16 rows that are read ends where the words do.
    unsafe {
        match REGISTER {
            0 => into!("tmm0"),
            1 => into!("tmm1"),
            2 => into!("tmm2"),
            3 => into!("tmm3"),
            4 => into!("tmm4"),
            5 => into!("tmm5"),
            6 => into!("tmm6"),
            _ => into!("tmm7"),
        }
    }
}

/// Adds the products of two tiles to a register of sums.
///
/// Registers 4 and 5 hold gradients, and 6 and 7 inputs. Sums 0 are of 4 and 6, 1 of 4 and 7, 2 of
/// 5 and 6, and 3 of 5 and 7.
#[inline(always)]
pub(super) fn multiply<const REGISTER: usize>(_: &Tiles) {
    // SAFETY: as above.
    unsafe {
        match REGISTER {
            0 => asm!("tdpbf16ps tmm0, tmm4, tmm6", options(nostack, nomem)),
            1 => asm!("tdpbf16ps tmm1, tmm4, tmm7", options(nostack, nomem)),
            2 => asm!("tdpbf16ps tmm2, tmm5, tmm6", options(nostack, nomem)),
            _ => asm!("tdpbf16ps tmm3, tmm5, tmm7", options(nostack, nomem)),
        }
    }
}

/// Stores sixteen rows of sixteen sums, one row every so many numbers.
#[inline(always)]
pub(super) fn store<const REGISTER: usize>(_: &Tiles, sums: &mut [f32], every: usize) {
    let sums = &mut sums[..(LANES - 1) * every + LANES];
    macro_rules! from {
        ($name:literal) => {
            asm!(concat!("tilestored [{} + {}], ", $name), in(reg) sums.as_mut_ptr(), in(reg) 4 * every, options(nostack))
        };
    }
    // SAFETY: as above. The last of the 16 rows that are written ends where the sums do.
    unsafe {
        match REGISTER {
            0 => from!("tmm0"),
            1 => from!("tmm1"),
            2 => from!("tmm2"),
            _ => from!("tmm3"),
        }
    }
}
