//! What it takes to solve a position, by its undrawn edges.

use std::path::Path;

use anyhow::Result;

use crate::axis::Axis;
use crate::picture::{Picture, last};
use crate::table::{Row, Table};

/// Nodes of one core in a second, about the middle of what the page gives.
const NODES_A_SECOND: f64 = 2.5e6;

/// Draws the nodes of the solver, on a logarithmic axis.
pub fn draw(root: &Path, picture: &Picture) -> Result<()> {
    let theme = picture.theme;
    picture.title("Solving exactly", "Median nodes of the solver for the margin, or for who wins, by undrawn edges")?;
    let x = Axis::linear(23.5..100.0, &[30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0]);
    let ticks = [2, 4, 6, 8, 10].map(|power| 10_f64.powi(power));
    let y = Axis::logarithmic(50.0..4e10, &ticks).labeled(nodes);
    let mut chart = picture.chart([66, 84, 24, 42], x, y)?;
    chart.line(&[(23.5, NODES_A_SECOND), (100.0, NODES_A_SECOND)], theme.gray, 1, 0)?;
    let (x, y) = chart.place((100.0, NODES_A_SECOND));
    picture.text("a second of one core", (x - 4, y - 10), picture.font(14).colored(theme.muted).ending())?;
    let table = Table::read(root, "solving")?;
    for series in table.values("series")? {
        let rows = table.with("series", series)?;
        let point = |row: &Row| Ok((row.number("undrawn")?, row.number("nodes")?));
        let points: Vec<(f64, f64)> = rows.iter().map(point).collect::<Result<_>>()?;
        if series == "empty boards" {
            for (row, point) in rows.iter().zip(points) {
                chart.line(&[point], theme.text, 3, 4)?;
                let (x, y) = chart.place(point);
                picture.text(row.text("name")?, (x, y - 15), picture.font(14).centered())?;
            }
            continue;
        }
        let color = match series {
            "5x5" => theme.blue,
            "5x5, who wins?" => theme.orange,
            _ => theme.purple,
        };
        chart.line(&points, color, 3, 4)?;
        let font = picture.font(16).colored(color).bold();
        if series == "5x5" {
            // Next to its upper end is the other line of this board.
            let (x, y) = chart.place(points[0]);
            picture.text(series, (x - 10, y), font.ending())?;
        } else {
            let (x, y) = chart.place(last(&points)?);
            picture.text(series, (x + 10, y), font)?;
        }
    }
    Ok(())
}

/// A number of nodes, short.
fn nodes(number: f64) -> String {
    match number {
        number if number < 1e3 => format!("{number:.0}"),
        number if number < 1e6 => format!("{:.0} k", number / 1e3),
        number if number < 1e9 => format!("{:.0} M", number / 1e6),
        number => format!("{:.0} G", number / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_short() {
        assert_eq!([100.0, 1e4, 1e8, 1e10].map(nodes), ["100", "10 k", "100 M", "10 G"]);
    }
}
