//! Detection of processor features that loops of the solver are compiled for.

/// Returns `true` if the processor has all features that `PrefetchBuffer::fill_avx512` is compiled
/// for.
pub(super) fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    let has = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt");
    #[cfg(not(target_arch = "x86_64"))]
    let has = false;
    has
}
