//! The curves of the training runs behind the pretrained networks.

use std::path::Path;

use anyhow::Result;

use crate::axis::Axis;
use crate::picture::{Picture, last};
use crate::progress;

/// Draws the share of best moves by minutes of training.
pub fn draw(root: &Path, picture: &Picture) -> Result<()> {
    picture.title(
        "Learning Dots and Boxes from random weights",
        "Best moves found by search without the solver, % of 200 positions with exact answers",
    )?;
    let ticks = [1.0 / 30.0, 1.0 / 6.0, 1.0, 5.0, 20.0, 60.0, 180.0];
    let x = Axis::logarithmic(1.0 / 40.0..220.0, &ticks).labeled(duration);
    let y = Axis::linear(40.0..101.0, &[40.0, 60.0, 80.0, 90.0, 100.0]);
    let mut chart = picture.chart([58, 82, 110, 66], x, y)?;
    let theme = picture.theme;
    for (board, color) in [("3x3", theme.green), ("4x4", theme.blue), ("5x5", theme.orange)] {
        let scores = progress::read(&root.join(format!("checkpoints/{board}/progress.jsonl")))?;
        let points: Vec<(f64, f64)> = scores.iter().map(|score| (score.minutes, score.best_moves)).collect();
        chart.line(&points, color, 3, 0)?;
        let end = last(&points)?;
        chart.line(&[end], color, 3, 5)?;
        let (x, y) = chart.place(end);
        picture.text(board, (x + 12, y), picture.font(19).colored(color).bold())?;
        picture.text(&format!("{:.1}", end.1), (x + 57, y), picture.font(17).colored(color))?;
    }
    picture.text(
        "wall-clock time on two cores, on 4x4 and 5x5 beside other work",
        (690, 426),
        picture.font(15).colored(theme.muted).ending(),
    )
}

/// A number of minutes in the unit that suits it.
fn duration(minutes: f64) -> String {
    match minutes {
        minutes if minutes < 1.0 => format!("{:.0} s", minutes * 60.0),
        minutes if minutes < 60.0 => format!("{minutes:.0} min"),
        minutes => format!("{:.0} h", minutes / 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_the_unit_that_suits_them() {
        assert_eq!([1.0 / 6.0, 5.0, 180.0].map(duration), ["10 s", "5 min", "3 h"]);
    }
}
