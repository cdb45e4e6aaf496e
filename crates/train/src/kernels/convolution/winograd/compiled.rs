//! [`transform`] compiled once for each instruction set, and not into each caller.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m512};

use super::axis::AxisMap;
use super::transform::{Part, PartMut, Sides, transform};
use crate::kernels::lanes::Lanes;
use doublecross_core::net::LANES;

/// Registers with a transformation of their own.
pub(super) trait Compiled: Lanes {
    /// [`transform`] as a function of its own.
    ///
    /// # Safety
    /// The requirements of [`Lanes`] hold.
    unsafe fn transform(sides: &Sides<&impl AxisMap, &impl AxisMap>, source: Part<'_>, target: PartMut<'_>);
}

impl Compiled for [f32; LANES] {
    unsafe fn transform(sides: &Sides<&impl AxisMap, &impl AxisMap>, source: Part<'_>, target: PartMut<'_>) {
        // SAFETY: arrays of numbers need no instruction set.
        unsafe { transform::<Self>(sides, source, target) }
    }
}

#[cfg(target_arch = "x86_64")]
impl Compiled for __m512 {
    #[target_feature(enable = "avx512f")]
    unsafe fn transform(sides: &Sides<&impl AxisMap, &impl AxisMap>, source: Part<'_>, target: PartMut<'_>) {
        // SAFETY: the caller guarantees the instruction set.
        unsafe { transform::<Self>(sides, source, target) }
    }
}

#[cfg(target_arch = "x86_64")]
impl Compiled for [__m256; 2] {
    #[target_feature(enable = "avx2,fma")]
    unsafe fn transform(sides: &Sides<&impl AxisMap, &impl AxisMap>, source: Part<'_>, target: PartMut<'_>) {
        // SAFETY: the caller guarantees the instruction set.
        unsafe { transform::<Self>(sides, source, target) }
    }
}
