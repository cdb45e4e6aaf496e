//! The inner loops: one plain source, compiled for several instruction sets.
//!
//! A layer's weights are packed `[block of LANES outputs][tap][input][LANES]`. For a block of outputs and a few cells
//! at a time, the sums stay in registers while all taps and inputs go by.

use super::Path;
#[cfg(target_arch = "x86_64")]
use super::bf16::{PairLayer, pairs::apply_pairs, tiles::Tiles};
use super::groups::{evenly, for_each_group};
#[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
use super::int8::{Application, ByteLayer, apply_bytes};
#[cfg(target_arch = "x86_64")]
use super::int8::{apply_bytes_avx2, apply_bytes_avxvnni};
use super::lines::Lines;

/// A convolution's weights (or, with one tap, a layer's that works on each cell alone), packed for the loops.
#[derive(Clone, Debug)]
pub(crate) struct FloatLayer {
    /// `[block of LANES outputs][tap][input][LANES]`.
    pub packed: Lines<f32>,
    /// Padded with zeros.
    pub bias: Vec<f32>,
    pub inputs: usize,
    pub taps: usize,
}

/// The same in every form that a path asks for.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub floats: FloatLayer,
    #[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
    bytes: ByteLayer,
    #[cfg(target_arch = "x86_64")]
    pairs: PairLayer,
}

/// Outputs computed together; every layer's outputs are padded to a multiple of it.
pub(crate) const LANES: usize = 16;

/// Outputs of a layer, padded.
pub(super) const fn padded(outputs: usize) -> usize {
    outputs.div_ceil(LANES) * LANES
}

/// Each place in an output's weights, `[input][tap]`, and the line of a packed block, `[tap][input]`, that holds it.
// In this order sixteen rows are read and nine written side by side: learning packs anew for each part of a batch.
fn lines_in_order(inputs: usize, taps: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..inputs * taps).map(move |place| (place, place % taps * inputs + place / taps))
}

/// What was packed `[block of LANES outputs][tap][input][LANES]` as weights `[outputs][inputs][taps]`.
#[cfg(feature = "trainer")]
pub(crate) fn unpacked(packed: &[f32], inputs: usize, taps: usize) -> Vec<f32> {
    let mut weights = vec![0.0; packed.len()];
    let of_block = LANES * inputs * taps;
    for (weights, packed) in weights.chunks_exact_mut(of_block).zip(packed.chunks_exact(of_block)) {
        for (place, line) in lines_in_order(inputs, taps) {
            for (lane, weight) in packed[line * LANES..][..LANES].iter().enumerate() {
                weights[lane * inputs * taps + place] = *weight;
            }
        }
    }
    weights
}

impl FloatLayer {
    /// Packs weights `[outputs][inputs][taps]`.
    pub fn new(weights: &[f32], bias: &[f32], inputs: usize, taps: usize) -> FloatLayer {
        debug_assert_eq!(weights.len(), bias.len() * inputs * taps);
        let outputs = padded(bias.len());
        let mut packed = Lines::zeros(outputs * taps * inputs);
        for (block, packed) in packed.chunks_exact_mut(LANES * inputs * taps).enumerate() {
            for (place, line) in lines_in_order(inputs, taps) {
                for (lane, packed) in packed[line * LANES..][..LANES].iter_mut().enumerate() {
                    let output = block * LANES + lane;
                    *packed = weights.get(output * inputs * taps + place).copied().unwrap_or(0.0);
                }
            }
        }
        let mut bias = bias.to_vec();
        bias.resize(outputs, 0.0);
        FloatLayer { packed, bias, inputs, taps }
    }
}

impl Layer {
    /// Packs weights `[outputs][inputs][taps]`.
    pub fn new(weights: &[f32], bias: &[f32], inputs: usize, taps: usize) -> Layer {
        let floats = FloatLayer::new(weights, bias, inputs, taps);
        Layer {
            #[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
            bytes: ByteLayer::new(&floats.packed, inputs, taps),
            #[cfg(target_arch = "x86_64")]
            pairs: PairLayer::new(&floats.packed, inputs),
            floats,
        }
    }

    #[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
    fn on_bytes<'a>(
        &'a self,
        grid: &'a Grid,
        input: &'a [f32],
        output: &'a mut [f32],
        words: &'a mut Lines<u32>,
    ) -> Application<'a> {
        Application { layer: &self.floats, bytes: &self.bytes, grid, input, output, words }
    }
}

/// Where cells lie in a padded grid, and how far a layer's taps are from a cell.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub cells: Vec<usize>,
    offsets: [isize; 9],
    pub places: usize,
}

impl Grid {
    /// A grid of `height` x `width` cells with a border of one.
    pub fn new(height: usize, width: usize) -> Grid {
        let stride = width + 2;
        let cells = (0..height).flat_map(|r| (0..width).map(move |c| (r + 1) * stride + c + 1)).collect();
        let mut offsets = [0; 9];
        for (tap, offset) in offsets.iter_mut().enumerate() {
            *offset = (tap as isize / 3 - 1) * stride as isize + tap as isize % 3 - 1;
        }
        Grid { cells, offsets, places: (height + 2) * stride }
    }

    /// Copies the cells of a position, `[cell][channels]`, into a grid whose borders are zero.
    #[cfg(feature = "trainer")]
    pub fn pad(&self, channels: usize, position: &[f32], padded: &mut [f32]) {
        for (cell, values) in self.cells.iter().zip(position.chunks_exact(channels)) {
            padded[cell * channels..][..channels].copy_from_slice(values);
        }
    }

    pub fn offsets(&self, taps: usize) -> &[isize] {
        if taps == 1 { &self.offsets[4..5] } else { &self.offsets }
    }
}

/// What a forward pass runs on, from its beginning to its end on one thread.
pub(super) struct Pass {
    path: Path,
    #[cfg(target_arch = "x86_64")]
    tiles: Option<Tiles>,
}

impl Pass {
    /// Begins a pass on a path from [`Path::available`].
    pub fn begin(path: Path) -> Pass {
        Pass {
            path,
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a path other than `Portable` is only ever taken from `Path::available`, which asked the processor.
            tiles: (path == Path::Amx).then(|| unsafe { Tiles::new() }),
        }
    }

    /// Applies a layer to every cell: `output[cell] = bias + sum over taps and inputs`. Both grids are `[place][channel]`,
    /// channels padded, and their borders stay zero, and no input is negative. `scratch` is memory to work in.
    #[cfg_attr(not(any(target_arch = "x86_64", target_feature = "simd128")), allow(unused_variables))]
    pub fn apply(&self, layer: &Layer, grid: &Grid, input: &[f32], output: &mut [f32], scratch: &mut Lines<u32>) {
        let floats = &layer.floats;
        match self.path {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a path other than `Portable` is only ever taken from `Path::available`, which asked the processor.
            Path::Int8 => unsafe { apply_bytes(layer.on_bytes(grid, input, output, scratch)) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Path::AvxVnni => unsafe { apply_bytes_avxvnni(layer.on_bytes(grid, input, output, scratch)) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Path::Avx2Bytes => unsafe { apply_bytes_avx2(layer.on_bytes(grid, input, output, scratch)) },
            #[cfg(target_feature = "simd128")]
            Path::Int8 => apply_bytes(layer.on_bytes(grid, input, output, scratch)),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Path::Bf16 => unsafe { apply_pairs(floats, &layer.pairs, grid, input, output, scratch) },
            #[cfg(target_arch = "x86_64")]
            Path::Amx => {
                let tiles = self.tiles.as_ref().expect("a pass on AMX begins with tiles");
                // SAFETY: as above; a processor with AMX has AVX-512.
                unsafe { tiles.apply(floats, &layer.pairs, grid, input, output, scratch) }
            }
            path => apply_floats(path, floats, grid, input, output),
        }
    }
}

/// As [`Pass::apply`] in f32, on a path from [`Path::available`]; inputs may be negative.
pub(crate) fn apply_floats(path: Path, layer: &FloatLayer, grid: &Grid, input: &[f32], output: &mut [f32]) {
    match path.in_floats() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a path other than `Portable` is only ever taken from `Path::available`, which asked the processor.
        Path::Avx2 => unsafe { apply_avx2(layer, grid, input, output) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Path::Avx512 => unsafe { apply_avx512(layer, grid, input, output) },
        // Every 64-bit ARM multiplies and adds at once, and has registers enough.
        _ if cfg!(target_arch = "aarch64") => apply_all::<6, true>(layer, grid, input, output),
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
