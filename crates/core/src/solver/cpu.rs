//! Detection of processor features that loops of the solver are compiled for.

/// The vector instructions that add the sums of a key. The processor has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Vectors(Width);

/// The width of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// That of the vectors that every processor of the target has.
    Portable,
    /// AVX2, which adds four sums at once.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512, which adds eight sums at once, and rotates and compares them.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Vectors {
    /// Those that every processor of the target has.
    pub const PORTABLE: Vectors = Vectors(Width::Portable);

    /// Returns the widest vectors for which the processor has all features that
    /// [`PrefetchBuffer`](super::prefetch::PrefetchBuffer) is compiled for.
    pub fn detect() -> Vectors {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
        {
            let has_avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            return Vectors(if has_avx512 { Width::Avx512 } else { Width::Avx2 });
        }
        Vectors::PORTABLE
    }

    /// Returns the width.
    #[inline]
    pub fn width(self) -> Width {
        self.0
    }
}
