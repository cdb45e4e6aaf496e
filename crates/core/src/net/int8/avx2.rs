//! Convolutions on bytes in vectors of 256 bits, two for sixteen sums: by dot products of bytes
//! (AVX-VNNI, which processors of laptops have) or by AVX2 alone.

use std::arch::x86_64::*;
use std::marker::PhantomData;

use super::{Application, LANES, Sums, WORD};

/// Sums in a vector.
const HALF: usize = LANES / 2;

/// Applies a layer by AVX2 alone.
#[target_feature(enable = "avx2")]
pub(in crate::net) fn apply_bytes_avx2(application: Application<'_>) {
    // SAFETY: this function is compiled for AVX2.
    unsafe { application.run::<Halves<TwoSteps>>() };
}

/// Applies a layer by dot products of bytes, an instruction with two encodings.
///
/// # Safety
/// The processor has AVX2, and it has AVX-VNNI or AVX-512's VNNI and VL.
pub(in crate::net) unsafe fn apply_bytes_avxvnni(application: Application<'_>) {
    // SAFETY: the processor has AVX-VNNI if that is detected, and otherwise AVX-512's VNNI.
    unsafe {
        if is_x86_feature_detected!("avxvnni") {
            apply_by_avx(application);
        } else {
            apply_by_avx512(application);
        }
    }
}

#[target_feature(enable = "avx2,avxvnni")]
fn apply_by_avx(application: Application<'_>) {
    // SAFETY: this function is compiled for AVX2 and for this encoding.
    unsafe { application.run::<Halves<AvxVnni>>() };
}

#[target_feature(enable = "avx2,avx512vnni,avx512vl")]
fn apply_by_avx512(application: Application<'_>) {
    // SAFETY: as above.
    unsafe { application.run::<Halves<Avx512Vnni>>() };
}

/// An instruction, or a sequence of them, that adds dot products of bytes to eight sums.
trait Dot: Copy {
    /// The value that the largest input is scaled to.
    const LARGEST: f32 = 255.0;

    /// The most cells that are computed together.
    const CELLS: usize = 6;

    /// Adds the dot products of words of inputs and words of weights.
    ///
    /// # Safety
    /// The conditions of [`Sums`].
    unsafe fn plus(sums: __m256i, inputs: __m256i, weights: __m256i) -> __m256i;
}

/// The dot products of AVX-VNNI.
#[derive(Clone, Copy)]
struct AvxVnni;

impl Dot for AvxVnni {
    #[inline(always)]
    unsafe fn plus(sums: __m256i, inputs: __m256i, weights: __m256i) -> __m256i {
        // SAFETY: the caller meets the conditions of `Sums`.
        unsafe { _mm256_dpbusd_avx_epi32(sums, inputs, weights) }
    }
}

/// The dot products of AVX-512 VNNI.
#[derive(Clone, Copy)]
struct Avx512Vnni;

impl Dot for Avx512Vnni {
    #[inline(always)]
    unsafe fn plus(sums: __m256i, inputs: __m256i, weights: __m256i) -> __m256i {
        // SAFETY: the caller meets the conditions of `Sums`.
        unsafe { _mm256_dpbusd_epi32(sums, inputs, weights) }
    }
}

/// Dot products by AVX2 alone: sums of two products in 16 bits, then sums of two of these in 32.
#[derive(Clone, Copy)]
struct TwoSteps;

impl Dot for TwoSteps {
    /// Twice this value times the largest weight, 127, is 32,766, which fits into 16 bits.
    const LARGEST: f32 = 129.0;
    /// Fewer cells than with one instruction, since the intermediate sums need registers.
    const CELLS: usize = 4;

    #[inline(always)]
    unsafe fn plus(sums: __m256i, inputs: __m256i, weights: __m256i) -> __m256i {
        // SAFETY: the caller meets the conditions of `Sums`.
        unsafe {
            let pairs = _mm256_madd_epi16(_mm256_maddubs_epi16(inputs, weights), _mm256_set1_epi16(1));
            _mm256_add_epi32(sums, pairs)
        }
    }
}

/// Sixteen sums in two vectors.
#[derive(Clone, Copy)]
struct Halves<D>([__m256i; 2], PhantomData<D>);

impl<D: Dot> Sums for Halves<D> {
    const LARGEST: f32 = D::LARGEST;
    const CELLS: usize = D::CELLS;

    #[inline(always)]
    unsafe fn write_words(inputs: &[f32], steps: f32, words: &mut [u32]) {
        let (inputs, words) = (&inputs[..LANES], &mut words[..LANES / WORD]);
        // SAFETY: 16 numbers are read and 16 bytes written, the lengths of the two slices.
        unsafe {
            let rounded = |at: usize| {
                let inputs = _mm256_loadu_ps(inputs.as_ptr().add(at));
                _mm256_cvtps_epi32(_mm256_mul_ps(inputs, _mm256_set1_ps(steps)))
            };
            // `packs` interleaves groups of four from its two operands.
            let packed = _mm256_packs_epi32(rounded(0), rounded(HALF));
            let ordered = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
            let (low, high) = (_mm256_castsi256_si128(ordered), _mm256_extracti128_si256::<1>(ordered));
            _mm_storeu_si128(words.as_mut_ptr().cast(), _mm_packus_epi16(low, high));
        }
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller meets the conditions of `Sums`.
        Halves([unsafe { _mm256_setzero_si256() }; 2], PhantomData)
    }

    #[inline(always)]
    unsafe fn load(words: &[u32]) -> Self {
        let words: *const __m256i = words[..LANES].as_ptr().cast();
        // SAFETY: twice 8 words are read, the length of the slice.
        Halves(unsafe { [_mm256_loadu_si256(words), _mm256_loadu_si256(words.add(1))] }, PhantomData)
    }

    #[inline(always)]
    unsafe fn plus(self, input: u32, weights: Self) -> Self {
        // SAFETY: the caller meets the conditions of `Sums`.
        unsafe {
            let input = _mm256_set1_epi32(input as i32);
            let [low, high] = [D::plus(self.0[0], input, weights.0[0]), D::plus(self.0[1], input, weights.0[1])];
            Halves([low, high], PhantomData)
        }
    }

    #[inline(always)]
    unsafe fn write(self, step: f32, steps: &[f32], bias: &[f32], place: &mut [f32]) {
        let numbers = steps[..LANES].chunks_exact(HALF).zip(bias[..LANES].chunks_exact(HALF));
        for ((place, (steps, bias)), sums) in place[..LANES].chunks_exact_mut(HALF).zip(numbers).zip(self.0) {
            // SAFETY: all three slices have 8 numbers.
            unsafe {
                let steps = _mm256_mul_ps(_mm256_loadu_ps(steps.as_ptr()), _mm256_set1_ps(step));
                // Not fused, so that the outputs are the same on processors without FMA.
                let products = _mm256_mul_ps(_mm256_cvtepi32_ps(sums), steps);
                _mm256_storeu_ps(place.as_mut_ptr(), _mm256_add_ps(products, _mm256_loadu_ps(bias.as_ptr())));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::vnni::apply_bytes;
    use super::super::{AlignedBuffer, ByteLayer, FloatLayer, Grid};
    use super::*;
    use crate::net::Isa;

    /// The outputs by each implementation that the processor has.
    fn outputs_of_all(layer: &FloatLayer, grid: &Grid, input: &[f32]) -> Vec<Vec<f32>> {
        let isas = Isa::available();
        let bytes = ByteLayer::new(&layer.packed, layer.inputs, layer.taps);
        let mut found: Vec<Vec<f32>> = Vec::new();
        let mut found_by = |apply: &dyn Fn(Application<'_>)| {
            let (mut output, mut words) = (vec![0.0; grid.places * layer.bias.len()], AlignedBuffer::zeros(0));
            let bytes = &bytes;
            apply(Application { layer, bytes, grid, input, output: &mut output, words: &mut words });
            found.push(output);
        };
        // SAFETY: each is called only if the processor has it.
        unsafe {
            if isas.contains(&Isa::Avx2Bytes) {
                found_by(&|application| apply_bytes_avx2(application));
            }
            if isas.contains(&Isa::Int8) {
                found_by(&|application| apply_bytes(application));
            }
            if is_x86_feature_detected!("avx512vnni") && is_x86_feature_detected!("avx512vl") {
                found_by(&|application| apply_by_avx512(application));
            }
            if is_x86_feature_detected!("avxvnni") {
                found_by(&|application| apply_by_avx(application));
            }
        }
        found
    }

    #[test]
    fn all_implementations_agree() {
        for [height, width, inputs, outputs, taps] in [[6, 6, 20, 32, 9], [1, 3, 4, 16, 9], [5, 5, 32, 48, 1]] {
            let numbers = |count: usize, step: f32| (0..count).map(|i| (i as f32 * step).sin()).collect::<Vec<f32>>();
            let (weights, bias) = (numbers(outputs * inputs * taps, 1.1), numbers(outputs, 0.3));
            let (grid, layer) = (Grid::new(height, width), FloatLayer::new(&weights, &bias, inputs, taps));
            let input: Vec<f32> = numbers(grid.places * inputs, 0.7).iter().map(|x| x.max(0.0)).collect();
            // The first is AVX2 alone, which rounds inputs more.
            let found: Vec<Vec<f32>> = outputs_of_all(&layer, &grid, &input).into_iter().skip(1).collect();
            assert!(found.windows(2).all(|two| two[0] == two[1]));
        }
    }

    #[test]
    fn sums_of_the_largest_inputs_and_weights_do_not_overflow() {
        let (grid, inputs) = (Grid::new(6, 6), 128);
        for weight in [1.0, -1.0] {
            let layer = FloatLayer::new(&vec![weight; LANES * inputs * 9], &[0.0; LANES], inputs, 9);
            for output in outputs_of_all(&layer, &grid, &vec![1.0; grid.places * inputs]) {
                let expected = weight * 9.0 * inputs as f32;
                for cell in &grid.cells {
                    let found = output[cell * LANES];
                    assert!((found - expected).abs() < 1e-3 * expected.abs(), "{found} {expected}");
                }
            }
        }
    }
}
