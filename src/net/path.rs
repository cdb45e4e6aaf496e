//! The instruction sets that the engine runs on.

/// The instruction set the loops are compiled for, the fastest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// What the target has without asking.
    Portable,
    /// AVX2 and FMA.
    Avx2,
    /// As [`Path::Int8`] by AVX2 alone, inputs being rounded to about 7 bits.
    Avx2Bytes,
    /// As [`Path::Int8`], 256 bits at a time: AVX2 with the dot products of bytes that processors without AVX-512 have
    /// (AVX-VNNI).
    AvxVnni,
    /// AVX-512F.
    Avx512,
    /// Weights and inputs of convolutions are rounded to 16 bits: by AVX-512 with dot products of pairs (BF16).
    Bf16,
    /// Weights and inputs of convolutions are rounded to 8 bits: by AVX-512 with dot products of bytes (VNNI), or by
    /// WebAssembly's SIMD, where a module was compiled for it.
    Int8,
    /// As [`Path::Bf16`], by the tiles of AMX.
    Amx,
}

/// The environment variable that names a path to take instead of the fastest one.
pub const PATH_VARIABLE: &str = "DOUBLECROSS_ISA";

impl Path {
    const ALL: [Path; 8] =
        [Path::Portable, Path::Avx2, Path::Avx2Bytes, Path::AvxVnni, Path::Avx512, Path::Bf16, Path::Int8, Path::Amx];

    /// Its name in [`PATH_VARIABLE`] and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Path::Portable => "portable",
            Path::Avx2 => "avx2",
            Path::Avx2Bytes => "avx2bytes",
            Path::AvxVnni => "avxvnni",
            Path::Avx512 => "avx512",
            Path::Bf16 => "bf16",
            Path::Int8 => "int8",
            Path::Amx => "amx",
        }
    }

    /// How far logits may be off from what f32 gives in any order of addition: the root of the mean square of the
    /// differences, as a share of that of the logits.
    pub fn tolerance(self) -> f32 {
        match self {
            _ if self.is_on_bytes() => 0.3,
            _ if self.is_float() => 1e-4,
            _ => 0.04,
        }
    }

    /// Whether convolutions are computed on bytes.
    fn is_on_bytes(self) -> bool {
        matches!(self, Path::Avx2Bytes | Path::AvxVnni | Path::Int8)
    }

    /// The path in f32 that every x86 processor with this one has. Elsewhere there is only the portable one.
    pub fn in_floats(self) -> Path {
        match self {
            Path::Portable => Path::Portable,
            Path::Avx2 | Path::Avx2Bytes | Path::AvxVnni => Path::Avx2,
            Path::Avx512 | Path::Bf16 | Path::Int8 | Path::Amx => Path::Avx512,
        }
    }

    /// This path, or the fastest one before it that rounds nothing to bytes.
    pub fn without_bytes(self) -> Path {
        let kept = |path: &Path| *path as usize <= self as usize && !path.is_on_bytes();
        Path::available().into_iter().rfind(kept).unwrap_or(Path::Portable)
    }

    /// Whether all is computed in f32.
    pub fn is_float(self) -> bool {
        self == self.in_floats()
    }

    /// The path to take: what [`PATH_VARIABLE`] names, else the fastest.
    ///
    /// # Errors
    /// When the variable names no path that this processor can run; says which there are.
    pub fn chosen() -> Result<Path, String> {
        let available = Path::available();
        match std::env::var(PATH_VARIABLE) {
            Ok(name) => Path::named(&name, &available).map_err(|error| format!("{PATH_VARIABLE}: {error}")),
            Err(_) => Ok(available.last().copied().unwrap_or(Path::Portable)),
        }
    }

    /// The fastest path in f32.
    pub fn fastest_float() -> Path {
        Path::available().into_iter().rfind(|path| path.is_float()).unwrap_or(Path::Portable)
    }

    /// The path of this name among those available.
    ///
    /// # Errors
    /// When there is none; says which there are.
    pub fn named(name: &str, available: &[Path]) -> Result<Path, String> {
        let known = Path::ALL.into_iter().find(|path| path.name() == name.trim().to_lowercase());
        known.filter(|path| available.contains(path)).ok_or_else(|| {
            let names: Vec<&str> = available.iter().map(|path| path.name()).collect();
            let why = if known.is_some() { "not to be had on this processor" } else { "not an instruction set" };
            format!("{name:?} is {why}; expected one of {}", names.join(", "))
        })
    }

    /// The paths this processor can run, the fastest last.
    pub fn available() -> Vec<Path> {
        #[allow(unused_mut)] // Other targets have nothing to add.
        let mut paths = vec![Path::Portable];
        #[cfg(target_feature = "simd128")]
        paths.push(Path::Int8);
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                paths.extend([Path::Avx2, Path::Avx2Bytes]);
                // AVX-512 has the same under another name.
                let has_avx512_vnni = is_x86_feature_detected!("avx512vnni") && is_x86_feature_detected!("avx512vl");
                if is_x86_feature_detected!("avxvnni") || has_avx512_vnni {
                    paths.push(Path::AvxVnni);
                }
                if is_x86_feature_detected!("avx512f") {
                    paths.push(Path::Avx512);
                    if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512bf16") {
                        paths.push(Path::Bf16);
                    }
                    if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vnni") {
                        paths.push(Path::Int8);
                    }
                    if is_x86_feature_detected!("avx512bw") && super::tiles_are_available() {
                        paths.push(Path::Amx);
                    }
                }
            }
        }
        paths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_by_their_names() {
        for path in Path::available() {
            assert_eq!(Path::named(path.name(), &Path::available()), Ok(path));
        }
        assert_eq!(Path::named("portable", &Path::available()), Ok(Path::Portable));
        assert_eq!(Path::named(" AVX2", &Path::ALL), Ok(Path::Avx2));
        for path in Path::available() {
            let without = path.without_bytes();
            assert!(without.tolerance() < 0.1 && Path::available().contains(&without), "{path:?}: {without:?}");
            assert_eq!(without == path, path.tolerance() < 0.1);
        }
        let error = Path::named("avx512", &[Path::Portable]).unwrap_err();
        assert!(error.contains("processor") && error.contains("portable"), "{error}");
        let error = Path::named("sse", &[Path::Portable, Path::Avx2]).unwrap_err();
        assert!(error.contains("\"sse\" is not an instruction set") && error.contains("portable, avx2"), "{error}");
    }
}
