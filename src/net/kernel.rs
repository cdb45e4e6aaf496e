//! The inner loops: one plain source, compiled for several instruction sets.
//!
//! A layer's weights are packed `[block of LANES outputs][tap][input][LANES]`. For a block of outputs and a few cells
//! at a time, the sums stay in registers while all taps and inputs go by.

/// The instruction set the loops are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// What the target has without asking.
    Portable,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512F.
    Avx512,
}

/// The environment variable that names a path to take instead of the fastest one.
pub const PATH_VARIABLE: &str = "DOUBLECROSS_ISA";

impl Path {
    const ALL: [Path; 3] = [Path::Portable, Path::Avx2, Path::Avx512];

    /// Its name in [`PATH_VARIABLE`] and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Path::Portable => "portable",
            Path::Avx2 => "avx2",
            Path::Avx512 => "avx512",
        }
    }

    /// The path to take: what [`PATH_VARIABLE`] names, else the fastest.
    ///
    /// # Errors
    /// When the variable names no path that this processor can run; says which there are.
    pub fn chosen() -> Result<Path, String> {
        let available = Path::available();
        match std::env::var(PATH_VARIABLE) {
            Ok(name) => Path::named(&name, &available),
            Err(_) => Ok(available.last().copied().unwrap_or(Path::Portable)),
        }
    }

    fn named(name: &str, available: &[Path]) -> Result<Path, String> {
        let known = Path::ALL.into_iter().find(|path| path.name() == name.trim().to_lowercase());
        known.filter(|path| available.contains(path)).ok_or_else(|| {
            let names: Vec<&str> = available.iter().map(|path| path.name()).collect();
            let why = if known.is_some() { "not to be had on this processor" } else { "not an instruction set" };
            format!("{PATH_VARIABLE}={name} is {why}; expected one of {}", names.join(", "))
        })
    }

    /// The paths this processor can run, the fastest last.
    pub fn available() -> Vec<Path> {
        let mut paths = vec![Path::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                paths.push(Path::Avx2);
                if is_x86_feature_detected!("avx512f") {
                    paths.push(Path::Avx512);
                }
            }
        }
        paths
    }
}

/// A convolution's weights (or, with one tap, a layer's that works on each cell alone), packed for the loops.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    packed: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
    taps: usize,
}

/// Outputs computed together; every layer's outputs are padded to a multiple of it.
const LANES: usize = 16;

/// Outputs of a layer, padded.
pub(super) const fn padded(outputs: usize) -> usize {
    outputs.div_ceil(LANES) * LANES
}

impl Layer {
    /// Packs weights `[outputs][inputs][taps]`.
    pub fn new(weights: &[f32], bias: &[f32], inputs: usize, taps: usize) -> Layer {
        let blocks = bias.len().div_ceil(LANES);
        let mut packed = vec![0.0; blocks * taps * inputs * LANES];
        for (output, weights) in weights.chunks_exact(inputs * taps).enumerate() {
            for input in 0..inputs {
                for tap in 0..taps {
                    let place = ((output / LANES * taps + tap) * inputs + input) * LANES + output % LANES;
                    packed[place] = weights[input * taps + tap];
                }
            }
        }
        let mut bias = bias.to_vec();
        bias.resize(blocks * LANES, 0.0);
        Layer { packed, bias, inputs, taps }
    }
}

/// Where cells lie in a padded grid, and how far a layer's taps are from a cell.
#[derive(Clone, Debug)]
pub(super) struct Grid {
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

    fn offsets(&self, taps: usize) -> &[isize] {
        if taps == 1 { &self.offsets[4..5] } else { &self.offsets }
    }
}

/// Applies a layer to every cell: `output[cell] = bias + sum over taps and inputs`. Both grids are `[place][channel]`,
/// channels padded, and their borders stay zero.
pub(super) fn apply(path: Path, layer: &Layer, grid: &Grid, input: &[f32], output: &mut [f32]) {
    match path {
        Path::Portable => apply_all::<4, false>(layer, grid, input, output),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a path other than `Portable` is only ever taken from `Path::available`, which asked the processor.
        Path::Avx2 => unsafe { apply_avx2(layer, grid, input, output) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Path::Avx512 => unsafe { apply_avx512(layer, grid, input, output) },
        #[cfg(not(target_arch = "x86_64"))]
        Path::Avx2 | Path::Avx512 => apply_all::<4, false>(layer, grid, input, output),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn apply_avx2(layer: &Layer, grid: &Grid, input: &[f32], output: &mut [f32]) {
    apply_all::<6, true>(layer, grid, input, output);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,fma")]
fn apply_avx512(layer: &Layer, grid: &Grid, input: &[f32], output: &mut [f32]) {
    apply_all::<12, true>(layer, grid, input, output);
}

#[inline(always)]
fn apply_all<const CELLS: usize, const FMA: bool>(layer: &Layer, grid: &Grid, input: &[f32], output: &mut [f32]) {
    let mut groups = grid.cells.chunks_exact(CELLS);
    for group in &mut groups {
        let mut cells = [0; CELLS];
        cells.copy_from_slice(group);
        apply_group::<CELLS, FMA>(layer, grid, &cells, input, output);
    }
    let mut pairs = groups.remainder().chunks_exact(2);
    for pair in &mut pairs {
        apply_group::<2, FMA>(layer, grid, &[pair[0], pair[1]], input, output);
    }
    for &cell in pairs.remainder() {
        apply_group::<1, FMA>(layer, grid, &[cell], input, output);
    }
}

#[inline(always)]
fn apply_group<const CELLS: usize, const FMA: bool>(
    layer: &Layer,
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
            for (i, weights) in tap.chunks_exact(LANES).enumerate() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_by_their_names() {
        assert_eq!(Path::named("portable", &Path::available()), Ok(Path::Portable));
        assert_eq!(Path::named(" AVX2", &Path::ALL), Ok(Path::Avx2));
        let error = Path::named("avx512", &[Path::Portable]).unwrap_err();
        assert!(error.contains("processor") && error.contains("portable"), "{error}");
        let error = Path::named("sse", &[Path::Portable, Path::Avx2]).unwrap_err();
        assert!(error.contains("DOUBLECROSS_ISA=sse") && error.contains("portable, avx2"), "{error}");
    }
}
