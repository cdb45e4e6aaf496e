//! The axes of plots.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// An axis: its range, and the values at which it has a line of the grid and a label.
pub struct Axis {
    range: Range<f64>,
    ticks: Vec<f64>,
    is_logarithmic: bool,
    label: fn(f64) -> String,
}

impl Axis {
    /// A linear axis whose labels are the values.
    pub fn linear(range: Range<f64>, ticks: &[f64]) -> Self {
        Self { range, ticks: ticks.into(), is_logarithmic: false, label: |value| value.to_string() }
    }

    /// A logarithmic axis whose labels are the values.
    pub fn logarithmic(range: Range<f64>, ticks: &[f64]) -> Self {
        Self { is_logarithmic: true, ..Self::linear(range, ticks) }
    }

    /// The same axis with labels of another form.
    pub fn labeled(self, label: fn(f64) -> String) -> Self {
        Self { label, ..self }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let scale = |value: f64| if self.is_logarithmic { value.ln() } else { value };
        let (start, end) = (scale(self.range.start), scale(self.range.end));
        let share = (scale(*value) - start) / (end - start);
        from + (share * f64::from(to - from)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        (self.label)(*value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithmic_axes_give_each_power_the_same_room() {
        let axis = Axis::logarithmic(1.0..100.0, &[]);
        assert_eq!([1.0, 10.0, 100.0].map(|value| axis.map(&value, (0, 200))), [0, 100, 200]);
        let axis = Axis::linear(0.0..100.0, &[]);
        assert_eq!([0.0, 25.0, 100.0].map(|value| axis.map(&value, (200, 0))), [200, 150, 0]);
    }
}
