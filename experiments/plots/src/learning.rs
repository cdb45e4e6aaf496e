//! How soon trainers find best moves, by processor time.

use std::path::Path;

use anyhow::Result;
use plotters::style::RGBColor;

use crate::axis::Axis;
use crate::picture::{Picture, last};
use crate::table::Table;
use crate::theme::Theme;

/// A trainer of the table.
struct Trainer {
    name: &'static str,
    color: fn(Theme) -> RGBColor,
    label: &'static str,
    /// The distance of the label below the end of the curve, in pixels.
    down: i32,
}

const TRAINERS: [Trainer; 4] = [
    Trainer { name: "ours", color: |theme| theme.blue, label: "3x3", down: -8 },
    Trainer { name: "alone", color: |theme| theme.green, label: "3x3-alone", down: 10 },
    Trainer { name: "textbook", color: |theme| theme.orange, label: "textbook", down: 0 },
    Trainer { name: "openspiel", color: |theme| theme.purple, label: "OpenSpiel", down: 0 },
];

/// Draws a line for each run of each trainer.
pub fn draw(root: &Path, picture: &Picture) -> Result<()> {
    picture.title(
        "Learning 3x3, by processor time",
        "Best moves found by search in positions without a box on offer, %, a line for each seed",
    )?;
    let ticks = [10.0, 60.0, 300.0, 900.0];
    let x = Axis::logarithmic(8.0..1000.0, &ticks).labeled(|seconds| match seconds {
        seconds if seconds < 60.0 => format!("{seconds} s"),
        seconds => format!("{} min", seconds / 60.0),
    });
    let y = Axis::linear(15.0..101.0, &[20.0, 40.0, 60.0, 80.0, 100.0]);
    let mut chart = picture.chart([58, 82, 110, 44], x, y)?;
    let table = Table::read(root, "learning")?;
    for Trainer { name, color, label, down } in TRAINERS {
        let (rows, color) = (table.with("trainer", name)?, color(picture.theme));
        for seed in table.values("seed")? {
            let mut points = Vec::new();
            for row in &rows {
                let seconds = row.number("seconds")?;
                if row.text("seed")? == seed && seconds >= 8.0 {
                    points.push((seconds, row.number("search_capture_free")?));
                }
            }
            if points.is_empty() {
                continue;
            }
            chart.line(&points, color, 2, 0)?;
            if seed == "1" {
                let (x, y) = chart.place(last(&points)?);
                picture.text(label, (x + 10, y + down), picture.font(16).colored(color).bold())?;
            }
        }
    }
    Ok(())
}
