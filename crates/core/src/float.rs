//! `exp` and `ln` that give the same bits on every machine.
//!
//! The standard library leaves the precision of its functions open, and each platform computes them
//! otherwise. These use only what IEEE 754 specifies to the bit: addition, subtraction,
//! multiplication, division and conversions. There is no fused multiply-add, which is slow where
//! the processor lacks it, and no branch in [`exp`], so that loops over it are vectorized.
//!
//! The functions for f32 compute in f64 and round once at the end, which leaves an error of at most
//! 0.51 units in the last place.

/// Returns e to the power of `x`, with an error of at most 0.51 units in the last place.
///
/// The result is 0 for negative infinity, infinity for infinity, and [`f32::NAN`] for NaN. Results
/// beyond the largest number are infinite, and those below the smallest normal number are subnormal
/// or 0, rounded correctly.
///
/// ```
/// use doublecross_core::float::exp;
/// assert_eq!(exp(0.0), 1.0);
/// assert_eq!(exp(1.0), std::f32::consts::E);
/// assert_eq!(exp(f32::NEG_INFINITY), 0.0);
/// ```
#[inline]
pub fn exp(x: f32) -> f32 {
    // Beyond these the result is infinity or 0.
    let x = if x > 89.0 { 89.0 } else { x };
    let x = if x < -104.0 { -104.0 } else { x };
    // e^x = 2^power = 2^whole * 2^rest, with the rest in -0.5..=0.5. A sum with `ROUND` is a whole
    // number in the lowest bits.
    const ROUND: f64 = (3u64 << 51) as f64;
    let power = x as f64 * std::f64::consts::LOG2_E;
    let whole = power + ROUND;
    let f = power - (whole - ROUND);
    // The polynomial that agrees with 2^f at 0 and at seven Chebyshev nodes; its relative error is
    // at most 2^-33.
    let (f2, f4) = (f * f, f * f * (f * f));
    let low = (1.0 + std::f64::consts::LN_2 * f) + f2 * (0.24022650922288757 + 0.055504108839096185 * f);
    let high =
        (0.009618056678524637 + 0.001333350238616277 * f) + f2 * (0.0001546144469856913 + 1.5297323760701075e-05 * f);
    let scaled = f64::from_bits((low + f4 * high).to_bits().wrapping_add(whole.to_bits() << 52));
    if x.is_nan() { f32::NAN } else { scaled as f32 }
}

/// Returns the natural logarithm of `x`, with an error of at most 0.51 units in the last place.
///
/// The result is negative infinity for 0 and -0, infinity for infinity, and [`f32::NAN`] for
/// negative numbers and NaN.
///
/// ```
/// use doublecross_core::float::ln;
/// assert_eq!(ln(1.0), 0.0);
/// assert_eq!(ln(0.0), f32::NEG_INFINITY);
/// assert!(ln(-1.0).is_nan());
/// ```
#[inline]
pub fn ln(x: f32) -> f32 {
    if !(x > 0.0 && x < f32::INFINITY) {
        return if x == 0.0 {
            f32::NEG_INFINITY
        } else if x > 0.0 {
            x
        } else {
            f32::NAN
        };
    }
    // Every number of f32 is a normal one of f64.
    let (k, f) = split(x as f64);
    // ln(1 + f) = 2 artanh(s) = 2 (s + s^3/3 + s^5/5 + ...), with s = f / (2 + f).
    let s = f / (2.0 + f);
    let (z, z2) = (s * s, s * s * (s * s));
    let low = (2.0 + 2.0 / 3.0 * z) + z2 * (2.0 / 5.0 + 2.0 / 7.0 * z);
    let high = 2.0 / 9.0 + 2.0 / 11.0 * z;
    (k as f64 * std::f64::consts::LN_2 + s * (low + z2 * z2 * high)) as f32
}

/// Returns the natural logarithm of `x`, with an error below one unit in the last place.
///
/// The result is negative infinity for 0 and -0, infinity for infinity, and [`f64::NAN`] for
/// negative numbers and NaN.
///
/// The method and its constants are those of `log` in FDLIBM (Sun Microsystems, 1993).
///
/// ```
/// use doublecross_core::float::ln_f64;
/// assert_eq!(ln_f64(1.0), 0.0);
/// assert_eq!(ln_f64(2.0), std::f64::consts::LN_2);
/// ```
#[inline]
pub fn ln_f64(x: f64) -> f64 {
    if x == f64::INFINITY {
        return f64::INFINITY;
    }
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x < 0.0 || x.is_nan() {
        return f64::NAN;
    }
    // Subnormal numbers are scaled to normal ones.
    let (x, scale) = if x < f64::MIN_POSITIVE { (x * (1u64 << 54) as f64, -54) } else { (x, 0) };
    let (k, f) = split(x);
    let k = (k + scale) as f64;
    // ln(1 + f) = f - f^2/2 + s * (f^2/2 + R(s^2)), with s = f / (2 + f).
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (0.3999999999940942 + w * (0.22222198432149784 + w * 0.15313837699209373));
    let odd = z * (0.6666666666666735 + w * (0.2857142874366239 + w * (0.1818357216161805 + w * 0.14798198605116586)));
    let half_square = 0.5 * f * f;
    // The logarithm of 2 in two parts, of which the first has so few digits that its product with k
    // is exact.
    const LN_2_HIGH: f64 = 0.6931471803691238;
    const LN_2_LOW: f64 = 1.9082149292705877e-10;
    k * LN_2_HIGH - ((half_square - (s * (half_square + (even + odd)) + k * LN_2_LOW)) - f)
}

/// Splits a positive normal number into k and f, so that it is 2^k (1 + f) with 1 + f between the
/// square roots of 1/2 and 2.
#[inline]
fn split(x: f64) -> (i64, f64) {
    const SQRT_HALF: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    let k = x.to_bits().wrapping_sub(SQRT_HALF) as i64 >> 52;
    (k, f64::from_bits(x.to_bits().wrapping_sub((k as u64) << 52)) - 1.0)
}

/// Returns the larger of two numbers, or `b` if they are equal or either is NaN.
///
/// `f32::max` leaves open which of 0 and -0 it returns.
#[inline]
pub(crate) fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Returns the smaller of two numbers, or `b` if they are equal or either is NaN.
#[inline]
pub(crate) fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the distance of `found` from `exact` in units of the last place of f32.
    fn ulps(found: f32, exact: f64) -> f64 {
        let exponent = (exact.to_bits() >> 52 & 0x7ff) as i32 - 1023;
        (found as f64 - exact).abs() / 2f64.powi(exponent.max(-126) - 23)
    }

    /// The numbers of f32 whose bits are a multiple of a prime, among them some of every binade and
    /// of either sign.
    fn numbers() -> impl Iterator<Item = f32> {
        (0..=u32::MAX).step_by(1_009).map(f32::from_bits).filter(|x| !x.is_nan())
    }

    #[test]
    fn exp_is_off_by_little_more_than_half_a_unit() {
        let dense = (-10_400_000..8_900_000).step_by(7).map(|i| i as f32 / 100_000.0);
        let mut most = 0.0f64;
        for x in numbers().chain(dense) {
            let (found, exact) = (exp(x), (x as f64).exp());
            if exact > f32::MAX as f64 + 2f64.powi(103) {
                assert_eq!(found, f32::INFINITY, "{x}");
            } else if found != f32::INFINITY {
                most = most.max(ulps(found, exact));
            }
        }
        assert!(most <= 0.51, "{most}");
    }

    #[test]
    fn ln_is_off_by_little_more_than_half_a_unit() {
        let near_1 = (-200_000..200_000).map(|i| 1.0 + i as f32 * f32::EPSILON / 2.0);
        let mut most = 0.0f64;
        for x in numbers().filter(|&x| x > 0.0 && x < f32::INFINITY).chain(near_1) {
            most = most.max(if x == 1.0 { ln(x).abs() as f64 } else { ulps(ln(x), (x as f64).ln()) });
        }
        assert!(most <= 0.51, "{most}");
    }

    #[test]
    fn ln_in_f64_is_that_of_the_platform_but_for_the_last_bits() {
        let all = (1..1 << 20).map(|i| f64::from_bits(i * (f64::INFINITY.to_bits() >> 20) + i % 4_093));
        let uniform = (0..1_000_000).map(|i| (i as f64 + 0.37) / 1_000_000.0);
        let near_1 = (-100_000..100_000).map(|i| 1.0 + i as f64 * f64::EPSILON / 2.0);
        let mut most = 0;
        for x in all.chain(uniform).chain(near_1) {
            most = most.max(ln_f64(x).to_bits().abs_diff(x.ln().to_bits()));
        }
        assert!(most <= 2, "{most}");
    }

    #[test]
    fn special_values_are_as_specified() {
        let (inf, nan) = (f32::INFINITY, f32::NAN.to_bits());
        assert_eq!([0.0, -0.0, -inf, inf, 1e30, -1e30].map(exp), [1.0, 1.0, 0.0, inf, inf, 0.0]);
        assert_eq!([88.72284, 88.72283].map(|x| exp(x) == inf), [true, false]);
        // The smallest number and half of it, between which the result is rounded to even.
        assert_eq!([-103.27893, -103.97207, -103.97209].map(|x| exp(x).to_bits()), [1, 1, 0]);
        assert_eq!([0.0, -0.0, 1.0, inf].map(ln), [-inf, -inf, 0.0, inf]);
        assert!(ln(1.0).is_sign_positive() && ln_f64(1.0).is_sign_positive());
        assert_eq!(ln(f32::from_bits(1)), -103.27893);
        for x in [f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001), f32::from_bits(0xffff_ffff)] {
            assert_eq!([exp(x), ln(x)].map(f32::to_bits), [nan, nan]);
        }
        assert_eq!([-1.0, -inf, -1e-45].map(|x| ln(x).to_bits()), [nan; 3]);
        assert_eq!([0.0, -0.0, f64::INFINITY].map(ln_f64), [f64::NEG_INFINITY, f64::NEG_INFINITY, f64::INFINITY]);
        assert_eq!([-1.0, f64::NEG_INFINITY, -f64::NAN].map(|x| ln_f64(x).to_bits()), [f64::NAN.to_bits(); 3]);
        assert_eq!(ln_f64(f64::from_bits(1)), f64::from_bits(1).ln());
    }

    #[test]
    fn of_equal_numbers_the_second_is_returned() {
        assert_eq!([larger(1.0, 2.0), larger(2.0, 1.0), smaller(1.0, 2.0), smaller(2.0, 1.0)], [2.0, 2.0, 1.0, 1.0]);
        assert!(larger(0.0, -0.0).is_sign_negative() && larger(-0.0, 0.0).is_sign_positive());
        assert!(smaller(0.0, -0.0).is_sign_negative() && smaller(-0.0, 0.0).is_sign_positive());
        assert_eq!([larger(f32::NAN, 1.0), smaller(f32::NAN, 1.0)], [1.0, 1.0]);
    }
}
