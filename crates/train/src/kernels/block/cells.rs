//! The steps of a block between its convolutions, cell by cell.
//!
//! The loops are plain, and compiled for the instruction set of the function that they are part of.

use doublecross_core::net::LANES;

/// Writes `max(t, 0)` and its mean and maximum over the cells of a position: `pooled` has the means of all channels and
/// then the maxima.
#[inline(always)]
pub(super) fn pool(t: &[f32], pooled: &mut [f32]) {
    let channels = pooled.len() / 2;
    let share = channels as f32 / t.len() as f32;
    let (means, maxima) = pooled.split_at_mut(channels);
    means.fill(0.0);
    maxima.fill(0.0);
    for t in t.chunks_exact(channels) {
        for ((mean, maximum), &t) in means.iter_mut().zip(maxima.iter_mut()).zip(t) {
            let t = if t > 0.0 { t } else { 0.0 };
            *mean += t;
            *maximum = if t > *maximum { t } else { *maximum };
        }
    }
    means.iter_mut().for_each(|mean| *mean *= share);
}

/// Writes `max(t + spread, 0)`, where `spread` is added to each cell of a position.
#[inline(always)]
pub(super) fn add_spread(t: &[f32], spread: &[f32], u: &mut [f32]) {
    for (t, u) in t.chunks_exact(spread.len()).zip(u.chunks_exact_mut(spread.len())) {
        for ((u, &t), &spread) in u.iter_mut().zip(t).zip(spread) {
            let sum = t + spread;
            *u = if sum > 0.0 { sum } else { 0.0 };
        }
    }
}

/// Replaces `y` by `max(x + y, 0)`.
#[inline(always)]
pub(super) fn add_input(x: &[f32], y: &mut [f32]) {
    for (y, &x) in y.iter_mut().zip(x) {
        let sum = x + *y;
        *y = if sum > 0.0 { sum } else { 0.0 };
    }
}

/// Replaces the gradient by 0 where the output is not positive.
#[inline(always)]
pub(super) fn mask(output: &[f32], gradient: &mut [f32]) {
    for (gradient, &output) in gradient.iter_mut().zip(output) {
        *gradient = if output > 0.0 { *gradient } else { 0.0 };
    }
}

/// Writes the gradient, and 0 where the output is not positive.
#[inline(always)]
pub(super) fn masked(output: &[f32], gradient: &[f32], to: &mut [f32]) {
    for ((to, &gradient), &output) in to.iter_mut().zip(gradient).zip(output) {
        *to = if output > 0.0 { gradient } else { 0.0 };
    }
}

/// Adds `of` to `to`.
#[inline(always)]
pub(super) fn add(of: &[f32], to: &mut [f32]) {
    to.iter_mut().zip(of).for_each(|(to, of)| *to += of);
}

/// Adds the numbers of all cells to `sums`, one for each channel.
#[inline(always)]
pub(super) fn add_cells(cells: &[f32], sums: &mut [f32]) {
    cells.chunks_exact(sums.len()).for_each(|cell| add(cell, sums));
}

/// Adds the gradient by `t` to `by_t`, where `by_pooled` is that by the mean and the maximum of `max(t, 0)`. That of a
/// maximum goes to the first cell that has it.
#[inline(always)]
pub(super) fn add_pool_gradient(t: &[f32], pooled: &[f32], by_pooled: &mut [f32], by_t: &mut [f32]) {
    let channels = pooled.len() / 2;
    let share = channels as f32 / t.len() as f32;
    let maxima = &pooled[channels..];
    let (by_mean, rest) = by_pooled.split_at_mut(channels);
    by_mean.iter_mut().for_each(|by_mean| *by_mean *= share);
    for (t, by_t) in t.chunks_exact(channels).zip(by_t.chunks_exact_mut(channels)) {
        let lanes = t.as_chunks::<LANES>().0.iter().zip(by_t.as_chunks_mut::<LANES>().0);
        let pooled = maxima.as_chunks::<LANES>().0.iter().zip(by_mean.as_chunks::<LANES>().0);
        for (((t, by_t), (maxima, by_mean)), rest) in lanes.zip(pooled).zip(rest.as_chunks_mut::<LANES>().0) {
            // On copies, so that the loop is one of vectors.
            let (own_t, own_rest, mut sums, mut left) = (*t, *rest, *by_t, *rest);
            for lane in 0..LANES {
                let is_maximum = own_t[lane] == maxima[lane];
                let of_maximum = if is_maximum { own_rest[lane] } else { 0.0 };
                // What the first cell with the maximum has taken is gone.
                left[lane] = own_rest[lane] - of_maximum;
                let of_pooled = by_mean[lane] + of_maximum;
                sums[lane] += if own_t[lane] > 0.0 { of_pooled } else { 0.0 };
            }
            (*by_t, *rest) = (sums, left);
        }
    }
}

/// Adds the products of rows of factors and a matrix, `[factor][sum]`, to rows of sums. Each row of the matrix is read
/// once for up to four rows of sums.
#[inline(always)]
pub(super) fn add_products(factors: &[f32], matrix: &[f32], sums: &mut [f32], rows: usize) {
    let (inputs, outputs) = (factors.len() / rows, sums.len() / rows);
    for (factors, sums) in factors.chunks(4 * inputs).zip(sums.chunks_mut(4 * outputs)) {
        for (input, row) in matrix.chunks_exact(outputs).enumerate() {
            for (factors, sums) in factors.chunks_exact(inputs).zip(sums.chunks_exact_mut(outputs)) {
                let factor = factors[input];
                sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += factor * weight);
            }
        }
    }
}

/// Adds, for each pair of a row of `left` and a row of `right`, the products of all their numbers to `matrix`,
/// `[number of left][number of right]`.
#[inline(always)]
pub(super) fn add_outer(left: &[f32], right: &[f32], matrix: &mut [f32], rows: usize) {
    let (height, width) = (left.len() / rows, right.len() / rows);
    for (index, sums) in matrix.chunks_exact_mut(width).enumerate() {
        for (left, right) in left.chunks_exact(height).zip(right.chunks_exact(width)) {
            let factor = left[index];
            sums.iter_mut().zip(right).for_each(|(sum, number)| *sum += factor * number);
        }
    }
}
