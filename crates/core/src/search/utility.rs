//! The utility of a final margin.

/// A function from final margins to values in -1..=1, a mixture of the result and the margin. It is
/// odd and non-decreasing.
///
/// ```
/// use doublecross_core::search::Utility;
/// let utility = Utility::new(0.5, 25);
/// assert_eq!(utility.of(25), 1.0);
/// assert_eq!(utility.of(-1), -utility.of(1));
/// assert!(utility.of(3) > utility.of(1));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Utility {
    result: f32,
    margin: f32,
}

impl Utility {
    /// Creates the utility `(1 - margin_weight) * sign(margin) + margin_weight * margin / boxes`.
    pub fn new(margin_weight: f32, boxes: usize) -> Utility {
        Utility { result: 1.0 - margin_weight, margin: margin_weight / boxes as f32 }
    }

    /// Returns the value of a final margin, in boxes.
    pub fn of(&self, margin: i32) -> f32 {
        self.result * margin.signum() as f32 + self.margin * margin as f32
    }
}
