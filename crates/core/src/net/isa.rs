//! Instruction sets that the engine can run on.

use std::fmt;

use crate::shell::shell_word;

/// An instruction set that the engine's loops are compiled for, in the order of their speed, the
/// fastest last.
///
/// Instruction sets round differently, so that the same network may choose another move on another
/// one (docs/bots.md, `isa`). On the same one a network gives the same bits on every machine
/// (docs/reproducibility.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// The instructions that every processor of the target has, without fused multiply-add.
    Portable,
    /// NEON with fused multiply-add, which every 64-bit ARM processor has.
    Neon,
    /// AVX2 and FMA.
    Avx2,
    /// AVX2 alone. Weights of convolutions are rounded to 8 bits and inputs to about 7.
    Avx2Bytes,
    /// Dot products of bytes, 256 bits at a time: AVX-VNNI, or AVX-512 with VNNI. Weights and
    /// inputs of convolutions are rounded to 8 bits.
    AvxVnni,
    /// AVX-512F.
    Avx512,
    /// AVX-512 with dot products of bytes (VNNI), or WebAssembly's SIMD in a module that was
    /// compiled with it. Weights and inputs of convolutions are rounded to 8 bits.
    Int8,
    /// The tiles of AMX. Weights and inputs of convolutions are rounded to 16 bits.
    Amx,
}

impl Isa {
    /// Every instruction set, those of other processors included.
    pub const ALL: [Isa; 8] =
        [Isa::Portable, Isa::Neon, Isa::Avx2, Isa::Avx2Bytes, Isa::AvxVnni, Isa::Avx512, Isa::Int8, Isa::Amx];

    /// The name of the instruction set in options, logs and reports.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Portable => "portable",
            Isa::Neon => "neon",
            Isa::Avx2 => "avx2",
            Isa::Avx2Bytes => "avx2bytes",
            Isa::AvxVnni => "avxvnni",
            Isa::Avx512 => "avx512",
            Isa::Int8 => "int8",
            Isa::Amx => "amx",
        }
    }

    /// The largest [`deviation`](super::deviation) of logits from those in f32 that rounding
    /// explains.
    pub fn tolerance(self) -> f32 {
        match self {
            _ if self.is_on_bytes() => 0.3,
            _ if self.is_float() => 1e-4,
            _ => 0.04,
        }
    }

    /// Returns `true` if convolutions are computed on bytes.
    fn is_on_bytes(self) -> bool {
        matches!(self, Isa::Avx2Bytes | Isa::AvxVnni | Isa::Int8)
    }

    /// The fastest f32 instruction set that every processor with this one has.
    pub fn in_floats(self) -> Isa {
        match self {
            Isa::Portable => Isa::Portable,
            Isa::Neon => Isa::Neon,
            Isa::Avx2 | Isa::Avx2Bytes | Isa::AvxVnni => Isa::Avx2,
            Isa::Avx512 | Isa::Int8 | Isa::Amx => Isa::Avx512,
        }
    }

    /// Returns this instruction set, or the fastest available one before it, that rounds nothing to
    /// bytes.
    pub fn without_bytes(self) -> Isa {
        let kept = |isa: &Isa| *isa as usize <= self as usize && !isa.is_on_bytes();
        Isa::available().into_iter().rfind(kept).unwrap_or(Isa::Portable)
    }

    /// Returns `true` if everything is computed in f32.
    pub fn is_float(self) -> bool {
        self == self.in_floats()
    }

    /// The fastest instruction set of this processor.
    pub fn fastest() -> Isa {
        Isa::available().last().copied().unwrap_or(Isa::Portable)
    }

    /// Returns this instruction set if the processor has it, else the portable one.
    pub fn or_portable(self) -> Isa {
        if Isa::available().contains(&self) { self } else { Isa::Portable }
    }

    /// The fastest instruction set of this processor that computes everything in f32.
    pub fn fastest_float() -> Isa {
        Isa::available().into_iter().rfind(|isa| isa.is_float()).unwrap_or(Isa::Portable)
    }

    /// Returns the instruction set with this name, in upper or lower case, if it is one of
    /// `available`.
    ///
    /// # Errors
    /// Returns an error that lists the available ones if none of them has this name.
    pub fn named(name: &str, available: &[Isa]) -> Result<Isa, UnknownIsa> {
        let known = Isa::ALL.into_iter().find(|isa| isa.name() == name.trim().to_lowercase());
        known.filter(|isa| available.contains(isa)).ok_or_else(|| {
            let available = available.iter().map(|isa| isa.name()).collect();
            UnknownIsa { name: name.into(), exists: known.is_some(), available }
        })
    }

    /// The instruction sets that this processor can run, the fastest last.
    pub fn available() -> Vec<Isa> {
        #[allow(unused_mut)] // Nothing is pushed on other targets.
        let mut isas = vec![Isa::Portable];
        #[cfg(target_feature = "simd128")]
        isas.push(Isa::Int8);
        #[cfg(target_arch = "aarch64")]
        isas.push(Isa::Neon);
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                isas.extend([Isa::Avx2, Isa::Avx2Bytes]);
                // AVX-512 has the same instruction under another name.
                let has_avx512_vnni = is_x86_feature_detected!("avx512vnni") && is_x86_feature_detected!("avx512vl");
                if is_x86_feature_detected!("avxvnni") || has_avx512_vnni {
                    isas.push(Isa::AvxVnni);
                }
                if is_x86_feature_detected!("avx512f") {
                    isas.push(Isa::Avx512);
                    if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vnni") {
                        isas.push(Isa::Int8);
                    }
                    if is_x86_feature_detected!("avx512bw") && super::tiles_are_available() {
                        isas.push(Isa::Amx);
                    }
                }
            }
        }
        isas
    }
}

/// An instruction set that does not exist, or that this processor lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownIsa {
    /// The name that was given.
    pub name: String,
    /// `true` for an instruction set of other processors.
    pub exists: bool,
    /// The names of the available instruction sets.
    pub available: Vec<&'static str>,
}

impl fmt::Display for UnknownIsa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, available) = (shell_word(&self.name), self.available.join(", "));
        if self.exists {
            write!(f, "this processor lacks the instruction set {name}: it has {available}")
        } else {
            write!(f, "{name} is not an instruction set: this processor has {available}")
        }
    }
}

impl std::error::Error for UnknownIsa {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_instruction_sets_are_read() {
        for isa in Isa::available() {
            assert_eq!(Isa::named(isa.name(), &Isa::available()), Ok(isa));
        }
        assert_eq!(Isa::named("portable", &Isa::available()), Ok(Isa::Portable));
        assert_eq!(Isa::named(" AVX2", &Isa::ALL), Ok(Isa::Avx2));
        for isa in Isa::available() {
            let without = isa.without_bytes();
            assert!(without.tolerance() < 0.1 && Isa::available().contains(&without), "{isa:?}: {without:?}");
            assert_eq!(without == isa, isa.tolerance() < 0.1);
        }
        let unknown = |name: &str, exists, available| Err(UnknownIsa { name: name.into(), exists, available });
        assert_eq!(Isa::named("avx512", &[Isa::Portable]), unknown("avx512", true, vec!["portable"]));
        assert_eq!(Isa::named("sse", &[Isa::Portable, Isa::Avx2]), unknown("sse", false, vec!["portable", "avx2"]));
    }
}
