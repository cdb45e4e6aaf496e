//! Sixteen sums in two vectors, for processors without AVX-512: by the dot products of bytes that those of laptops have
//! (AVX-VNNI), or by AVX2 alone.

use std::arch::x86_64::*;
use std::marker::PhantomData;

use super::{Application, LANES, Sums, WORD};

/// Numbers in a vector.
const HALF: usize = LANES / 2;

/// Applies a layer by AVX2 alone.
#[target_feature(enable = "avx2")]
pub(in crate::net) fn apply_bytes_avx2(application: Application<'_>) {
    // SAFETY: this is compiled for what holds the sums.
    unsafe { application.run::<Halves<TwoSteps>>() };
}

/// Applies a layer by dot products of bytes, which go by two names.
///
/// # Safety
/// The processor has AVX2, and AVX-VNNI or AVX-512's VNNI and VL.
pub(in crate::net) unsafe fn apply_bytes_avxvnni(application: Application<'_>) {
    // SAFETY: it has the one that is asked for, or the other.
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
    // SAFETY: this is compiled for what holds the sums, and for the instruction of this name.
    unsafe { application.run::<Halves<AvxVnni>>() };
}

#[target_feature(enable = "avx2,avx512vnni,avx512vl")]
fn apply_by_avx512(application: Application<'_>) {
    // SAFETY: as above.
    unsafe { application.run::<Halves<Avx512Vnni>>() };
}

/// How products of bytes are added to eight sums.
trait Dot: Copy {
    /// What the largest input becomes.
    const LARGEST: f32 = 255.0;

    /// Cells that are computed together at most.
    const CELLS: usize = 6;

    /// Adds words of inputs times words of weights.
    ///
    /// # Safety
    /// As for [`Sums`].
    unsafe fn plus(sums: __m256i, inputs: __m256i, weights: __m256i) -> __m256i;
}

#[derive(Clone, Copy)]
struct AvxVnni;

impl Dot for AvxVnni {
    #[inline(always)]
    unsafe fn plus(sums: __m256i, inputs: __m256i, weights: __m256i) -> __m256i {
        // SAFETY: the caller's.
        unsafe { _mm256_dpbusd_avx_epi32(sums, inputs, weights) }
    }
}

#[derive(Clone, Copy)]
struct Avx512Vnni;

impl Dot for Avx512Vnni {
    #[inline(always)]
    unsafe fn plus(sums: __m256i, inputs: __m256i, weights: __m256i) -> __m256i {
        // SAFETY: the caller's.
        unsafe { _mm256_dpbusd_epi32(sums, inputs, weights) }
    }
}

/// Two products at a time as 16 bits, then two of these as 32.
#[derive(Clone, Copy)]
struct TwoSteps;

impl Dot for TwoSteps {
    /// Two products of it and the largest weight, 127, are within 16 bits: 32,766.
    const LARGEST: f32 = 129.0;
    /// As many as leave registers for what is between the steps.
    const CELLS: usize = 4;

    #[inline(always)]
    unsafe fn plus(sums: __m256i, inputs: __m256i, weights: __m256i) -> __m256i {
        // SAFETY: the caller's.
        unsafe {
            let pairs = _mm256_madd_epi16(_mm256_maddubs_epi16(inputs, weights), _mm256_set1_epi16(1));
            _mm256_add_epi32(sums, pairs)
        }
    }
}

/// Sums in two vectors.
#[derive(Clone, Copy)]
struct Halves<D>([__m256i; 2], PhantomData<D>);

impl<D: Dot> Sums for Halves<D> {
    const LARGEST: f32 = D::LARGEST;
    const CELLS: usize = D::CELLS;

    #[inline(always)]
    unsafe fn write_words(inputs: &[f32], steps: f32, words: &mut [u32]) {
        let (inputs, words) = (&inputs[..LANES], &mut words[..LANES / WORD]);
        // SAFETY: 16 numbers are read and 16 bytes written, which is what the two have.
        unsafe {
            let rounded = |at: usize| {
                let inputs = _mm256_loadu_ps(inputs.as_ptr().add(at));
                _mm256_cvtps_epi32(_mm256_mul_ps(inputs, _mm256_set1_ps(steps)))
            };
            // Packing takes four from each in turn.
            let packed = _mm256_packs_epi32(rounded(0), rounded(HALF));
            let ordered = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
            let (low, high) = (_mm256_castsi256_si128(ordered), _mm256_extracti128_si256::<1>(ordered));
            _mm_storeu_si128(words.as_mut_ptr().cast(), _mm_packus_epi16(low, high));
        }
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller's.
        Halves([unsafe { _mm256_setzero_si256() }; 2], PhantomData)
    }

    #[inline(always)]
    unsafe fn load(words: &[u32]) -> Self {
        let words: *const __m256i = words[..LANES].as_ptr().cast();
        // SAFETY: twice 8 words are read, which is what the slice has.
        Halves(unsafe { [_mm256_loadu_si256(words), _mm256_loadu_si256(words.add(1))] }, PhantomData)
    }

    #[inline(always)]
    unsafe fn plus(self, input: u32, weights: Self) -> Self {
        // SAFETY: the caller's.
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
            // SAFETY: all three have 8 numbers.
            unsafe {
                let steps = _mm256_mul_ps(_mm256_loadu_ps(steps.as_ptr()), _mm256_set1_ps(step));
                // Not fused, as with AVX-512.
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

    /// What a processor does not have is passed over.
    fn by_all_names(layer: &FloatLayer, grid: &Grid, input: &[f32]) -> Vec<Vec<f32>> {
        let isas = Isa::available();
        let bytes = ByteLayer::new(&layer.packed, layer.inputs, layer.taps);
        let mut found: Vec<Vec<f32>> = Vec::new();
        let mut found_by = |apply: &dyn Fn(Application<'_>)| {
            let (mut output, mut words) = (vec![0.0; grid.places * layer.bias.len()], AlignedBuffer::zeros(0));
            let bytes = &bytes;
            apply(Application { layer, bytes, grid, input, output: &mut output, words: &mut words });
            found.push(output);
        };
        // SAFETY: each is asked for.
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
    fn all_widths_and_names_give_the_same() {
        for [height, width, inputs, outputs, taps] in [[6, 6, 20, 32, 9], [1, 3, 4, 16, 9], [5, 5, 32, 48, 1]] {
            let numbers = |count: usize, step: f32| (0..count).map(|i| (i as f32 * step).sin()).collect::<Vec<f32>>();
            let (weights, bias) = (numbers(outputs * inputs * taps, 1.1), numbers(outputs, 0.3));
            let (grid, layer) = (Grid::new(height, width), FloatLayer::new(&weights, &bias, inputs, taps));
            let input: Vec<f32> = numbers(grid.places * inputs, 0.7).iter().map(|x| x.max(0.0)).collect();
            // AVX2 alone rounds inputs more.
            let found: Vec<Vec<f32>> = by_all_names(&layer, &grid, &input).into_iter().skip(1).collect();
            assert!(found.windows(2).all(|two| two[0] == two[1]));
        }
    }

    /// The largest inputs and weights are within what sums are held by.
    #[test]
    fn nothing_is_too_large() {
        let (grid, inputs) = (Grid::new(6, 6), 128);
        for weight in [1.0, -1.0] {
            let layer = FloatLayer::new(&vec![weight; LANES * inputs * 9], &[0.0; LANES], inputs, 9);
            for output in by_all_names(&layer, &grid, &vec![1.0; grid.places * inputs]) {
                let expected = weight * 9.0 * inputs as f32;
                for cell in &grid.cells {
                    let found = output[cell * LANES];
                    assert!((found - expected).abs() < 1e-3 * expected.abs(), "{found} {expected}");
                }
            }
        }
    }
}
