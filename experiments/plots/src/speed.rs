//! How fast networks are evaluated, beside other programs.

use std::path::Path;

use anyhow::Result;

use crate::axis::Axis;
use crate::picture::Picture;
use crate::table::Table;

/// Draws a bar for each program on each machine.
pub fn draw(root: &Path, picture: &Picture) -> Result<()> {
    let theme = picture.theme;
    picture
        .title("Evaluating a network", "Positions a second on one core, a network of the size of checkpoints/5x5")?;
    let table = Table::read(root, "speed")?;
    let machines = table.values("machine")?;
    // A line for each machine's name and one for each of its bars.
    let lines = (table.rows().count() + machines.len()) as f64;
    let x = Axis::linear(0.0..18_000.0, &[0.0, 5_000.0, 10_000.0, 15_000.0]).labeled(thousands);
    let y = Axis::linear(-lines..0.0, &[]);
    let mut chart = picture.chart([250, 76, 84, 40], x, y)?;
    let mut height = -0.5;
    for machine in machines {
        let (_, y) = chart.place((0.0, height));
        picture.text(machine, (20, y), picture.font(15).bold())?;
        for row in table.with("machine", machine)? {
            height -= 1.0;
            let (program, number) = (row.text("program")?, row.number("evaluations")?);
            let color = if program == "doublecross" { theme.blue } else { theme.gray };
            chart.bar([(0.0, height - 0.34), (number, height + 0.34)], color)?;
            let (x, y) = chart.place((number, height));
            let label = format!("{program}, {}", row.text("arithmetic")?);
            picture.text(&label, (238, y), picture.font(15).ending())?;
            picture.text(&thousands(number), (x + 8, y), picture.font(15).bold())?;
        }
        height -= 1.0;
    }
    Ok(())
}

/// A number with a comma before its last three digits.
fn thousands(number: f64) -> String {
    match number {
        number if number < 1000.0 => format!("{number}"),
        number => format!("{},{:03}", (number / 1000.0).floor(), number % 1000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_have_a_comma() {
        assert_eq!([0.0, 1058.0, 10_000.0].map(thousands), ["0", "1,058", "10,000"]);
    }
}
