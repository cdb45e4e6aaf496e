//! Convolutions on each instruction set. The loops in f32 are one portable source, compiled for
//! several instruction sets.
//!
//! A layer's weights are packed `[block of LANES outputs][tap][input][LANES]`. The sums of one
//! block of outputs at a few cells stay in registers while the loops go over all taps and inputs.

use super::Isa;
use super::aligned::AlignedBuffer;
#[cfg(target_arch = "x86_64")]
use super::bf16::PairLayer;
#[cfg(target_arch = "x86_64")]
use super::bf16::tiles::Tiles;
use super::groups::{evenly, for_each_group};
#[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
use super::int8::{Application, ByteLayer, apply_bytes};
#[cfg(target_arch = "x86_64")]
use super::int8::{apply_bytes_avx2, apply_bytes_avxvnni};
use super::layout::{FloatLayer, Grid, LANES, Tensors};

/// A convolution, packed in each form that an instruction set of the target needs.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub floats: FloatLayer,
    #[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
    bytes: ByteLayer,
    #[cfg(target_arch = "x86_64")]
    pairs: PairLayer,
}

impl Layer {
    /// Packs the next layer, a convolution.
    pub fn take(tensors: &mut Tensors) -> Layer {
        let floats = FloatLayer::take(tensors);
        Layer {
            #[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
            bytes: ByteLayer::new(&floats.packed, floats.inputs, floats.taps),
            #[cfg(target_arch = "x86_64")]
            pairs: PairLayer::new(&floats),
            floats,
        }
    }

    /// The layer with the operands of its application on bytes.
    #[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
    fn on_bytes<'a>(
        &'a self,
        grid: &'a Grid,
        input: &'a [f32],
        output: &'a mut [f32],
        words: &'a mut AlignedBuffer<u32>,
    ) -> Application<'a> {
        Application { layer: &self.floats, bytes: &self.bytes, grid, input, output, words }
    }
}

/// The instruction set of one forward pass on one thread, with the registers that the pass keeps
/// configured.
pub(super) struct Pass {
    isa: Isa,
    #[cfg(target_arch = "x86_64")]
    tiles: Option<Tiles>,
}

impl Pass {
    /// Begins a pass on an instruction set from [`Isa::available`].
    pub fn begin(isa: Isa) -> Pass {
        Pass {
            isa,
            #[cfg(target_arch = "x86_64")]
            // SAFETY: instruction sets other than `Portable` come from `Isa::available` alone,
            // which checks the processor, and a thread runs one pass at a time.
            tiles: (isa == Isa::Amx).then(|| unsafe { Tiles::new() }),
        }
    }

    /// Applies a layer to every cell: `output[cell] = bias + sum over taps and inputs`.
    ///
    /// Input and output are padded grids `[place][channel]`, with the output's channels padded to a
    /// multiple of [`LANES`]. Borders stay zero. No input is negative.
    #[cfg_attr(not(any(target_arch = "x86_64", target_feature = "simd128")), allow(unused_variables))]
    pub fn apply(
        &self,
        layer: &Layer,
        grid: &Grid,
        input: &[f32],
        output: &mut [f32],
        scratch: &mut AlignedBuffer<u32>,
    ) {
        let floats = &layer.floats;
        match self.isa {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: instruction sets other than `Portable` come from `Isa::available` alone,
            // which checks the processor.
            Isa::Int8 => unsafe { apply_bytes(layer.on_bytes(grid, input, output, scratch)) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Isa::AvxVnni => unsafe { apply_bytes_avxvnni(layer.on_bytes(grid, input, output, scratch)) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Isa::Avx2Bytes => unsafe { apply_bytes_avx2(layer.on_bytes(grid, input, output, scratch)) },
            #[cfg(target_feature = "simd128")]
            Isa::Int8 => apply_bytes(layer.on_bytes(grid, input, output, scratch)),
            #[cfg(target_arch = "x86_64")]
            Isa::Amx => {
                let tiles = self.tiles.as_ref().expect("a pass on AMX has configured tiles");
                // SAFETY: as above; a processor with AMX has AVX-512.
                unsafe { tiles.apply(floats, &layer.pairs, grid, input, output, scratch) }
            }
            isa => apply_floats(isa, floats, grid, input, output),
        }
    }
}

/// Applies a layer in f32 as [`Pass::apply`] does, on an instruction set from [`Isa::available`].
/// Inputs may be negative.
pub(super) fn apply_floats(isa: Isa, layer: &FloatLayer, grid: &Grid, input: &[f32], output: &mut [f32]) {
    match isa.in_floats() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: instruction sets other than `Portable` come from `Isa::available` alone, which
        // checks the processor.
        Isa::Avx2 => unsafe { apply_avx2(layer, grid, input, output) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Isa::Avx512 => unsafe { apply_avx512(layer, grid, input, output) },
        // Registers for six cells.
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => apply_all::<6, true>(layer, grid, input, output),
        _ => apply_all::<4, false>(layer, grid, input, output),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn apply_avx2(layer: &FloatLayer, grid: &Grid, input: &[f32], output: &mut [f32]) {
    apply_all::<6, true>(layer, grid, input, output);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,fma")]
fn apply_avx512(layer: &FloatLayer, grid: &Grid, input: &[f32], output: &mut [f32]) {
    apply_all::<13, true>(layer, grid, input, output);
}

#[inline(always)]
fn apply_all<const CELLS: usize, const FMA: bool>(layer: &FloatLayer, grid: &Grid, input: &[f32], output: &mut [f32]) {
    for_each_group!(&grid.cells, CELLS, cells => apply_group::<_, FMA>(layer, grid, &cells, input, output));
}

#[inline(always)]
fn apply_group<const CELLS: usize, const FMA: bool>(
    layer: &FloatLayer,
    grid: &Grid,
    cells: &[usize; CELLS],
    input: &[f32],
    output: &mut [f32],
) {
    let (inputs, outputs) = (layer.inputs, layer.bias.len());
    let block_size = layer.taps * inputs * LANES;
    for (block, (weights, bias)) in
        layer.packed.chunks_exact(block_size).zip(layer.bias.chunks_exact(LANES)).enumerate()
    {
        let mut start = [0.0; LANES];
        start.copy_from_slice(bias);
        let mut sums = [start; CELLS];
        for (tap, &offset) in weights.chunks_exact(inputs * LANES).zip(grid.offsets(layer.taps)) {
            let mut rows: [&[f32]; CELLS] = [&[]; CELLS];
            for (row, &cell) in rows.iter_mut().zip(cells) {
                *row = &input[cell.wrapping_add_signed(offset) * inputs..][..inputs];
            }
            for (i, weights) in (0..inputs).zip(tap.chunks_exact(LANES)) {
                for (sum, row) in sums.iter_mut().zip(&rows) {
                    let x = row[i];
                    for (s, &w) in sum.iter_mut().zip(weights) {
                        *s = if FMA { x.mul_add(w, *s) } else { *s + x * w };
                    }
                }
            }
        }
        for (sum, &cell) in sums.iter().zip(cells) {
            output[cell * outputs + block * LANES..][..LANES].copy_from_slice(sum);
        }
    }
}
