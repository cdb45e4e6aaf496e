//! Learning speed beside other trainers.

use std::path::Path;

use anyhow::{Context, Result};
use plotters::style::RGBColor;
use serde::Deserialize;

use crate::axis::Axis;
use crate::picture::{Picture, last};

/// The runs of each trainer.
const SEEDS: u32 = 3;

/// A line of a curve, as the programs in experiments/learning write it.
#[derive(Deserialize)]
struct Judgment {
    processor_seconds: f64,
    search: Shares,
}

/// Shares of positions where the edge is best.
#[derive(Deserialize)]
struct Shares {
    capture_free: f64,
}

/// Draws the share of best moves by processor time, a line for each run.
pub fn draw(root: &Path, picture: &Picture) -> Result<()> {
    picture.title(
        "Learning 3x3 in processor time, on one thread",
        "Best moves found by search without the solver, % of positions without a box on offer",
    )?;
    let ticks = [1.0, 5.0, 15.0, 60.0, 300.0, 900.0];
    let x = Axis::logarithmic(0.8..1100.0, &ticks).labeled(duration);
    let y = Axis::linear(0.0..101.0, &[0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
    let mut chart = picture.chart([58, 82, 190, 66], x, y)?;
    let theme = picture.theme;
    let trainers: [(&str, &str, RGBColor); 4] = [
        ("ours", "with labels", theme.green),
        ("alone", "without a solver", theme.blue),
        ("textbook", "textbook AlphaZero", theme.orange),
        ("openspiel", "OpenSpiel", theme.muted),
    ];
    for (name, label, color) in trainers {
        let mut ends = Vec::new();
        for seed in 1..=SEEDS {
            let points = read(&root.join(format!("docs/pictures/data/learning/{name}-{seed}.jsonl")))?;
            chart.line(&points, color, 2, 0)?;
            ends.push(last(&points)?);
        }
        ends.sort_by(|a, b| a.1.total_cmp(&b.1));
        let median = ends[ends.len() / 2];
        let (x, y) = chart.place(median);
        picture.text(label, (x + 12, y), picture.font(15).colored(color).bold())?;
    }
    Ok(())
}

/// The points of a curve: processor seconds, and percent of best moves.
fn read(path: &Path) -> Result<Vec<(f64, f64)>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    parse(&text).with_context(|| path.display().to_string())
}

fn parse(text: &str) -> Result<Vec<(f64, f64)>> {
    let point = |line| {
        let Judgment { processor_seconds, search } = serde_json::from_str(line)?;
        Ok((processor_seconds, 100.0 * search.capture_free))
    };
    text.lines().map(point).collect()
}

/// A number of seconds in the unit that suits it.
fn duration(seconds: f64) -> String {
    if seconds < 60.0 { format!("{seconds:.0} s") } else { format!("{:.0} min", seconds / 60.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_has_a_point_for_each_judgment() {
        let text = concat!(
            "{\"processor_seconds\":1.5,\"games\":64,\"policy\":{\"all\":0.5,\"capture_free\":0.1},",
            "\"search\":{\"all\":0.75,\"capture_free\":0.25}}\n",
        );
        assert_eq!(parse(text).unwrap(), [(1.5, 25.0)]);
        assert!(parse("{}").is_err());
        assert_eq!([15.0, 300.0].map(duration), ["15 s", "5 min"]);
    }
}
