//! Intervals of shares.

/// The 95 % interval of a share by Wilson's method, for `found` of `total`, in percent.
pub fn wilson(found: f64, total: f64) -> (f64, f64) {
    const Z: f64 = 1.96;
    let share = found / total;
    let center = share + Z * Z / (2.0 * total);
    let spread = Z * (share * (1.0 - share) / total + Z * Z / (4.0 * total * total)).sqrt();
    let scale = 100.0 / (1.0 + Z * Z / total);
    ((center - spread) * scale, (center + spread) * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `checkpoints/4x4/evaluation.txt` has these.
    #[test]
    fn intervals_are_those_of_eval() {
        let rounded = |found, total| {
            let (low, high) = wilson(found, total);
            (format!("{low:.1}"), format!("{high:.1}"))
        };
        assert_eq!(rounded(43.0, 50.0), ("73.8".into(), "93.0".into()));
        assert_eq!(rounded(100.0, 100.0), ("96.3".into(), "100.0".into()));
    }
}
