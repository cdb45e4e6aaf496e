//! How often a player finds a best move in positions of play, by undrawn edges.

use std::path::Path;

use anyhow::Result;
use plotters::style::RGBColor;

use crate::axis::Axis;
use crate::interval::wilson;
use crate::picture::Picture;
use crate::table::Table;
use crate::theme::Theme;

/// The plot of a board.
struct Panel {
    board: &'static str,
    /// Left and right margins in pixels.
    margins: [i32; 2],
    undrawn: [f64; 2],
    ticks: &'static [f64],
    players: &'static [Player],
}

/// A line of a plot.
struct Player {
    name: &'static str,
    color: fn(Theme) -> RGBColor,
    /// The end of its label: undrawn edges and percent.
    label: (f64, f64),
}

const PANELS: [Panel; 2] = [
    Panel {
        board: "4x4",
        margins: [58, 476],
        undrawn: [11.0, 29.0],
        ticks: &[12.0, 16.0, 20.0, 24.0, 28.0],
        players: &[
            Player { name: "with the solver", color: |theme| theme.green, label: (29.0, 103.5) },
            Player { name: "200 simulations", color: |theme| theme.orange, label: (23.2, 94.0) },
        ],
    },
    Panel {
        board: "5x5",
        margins: [396, 24],
        undrawn: [27.5, 42.5],
        ticks: &[28.0, 30.0, 32.0, 34.0, 36.0, 38.0, 40.0, 42.0],
        players: &[
            Player { name: "800 simulations and the solver", color: |theme| theme.green, label: (42.5, 103.5) },
            Player { name: "800 simulations", color: |theme| theme.blue, label: (41.0, 75.0) },
            Player { name: "100 simulations", color: |theme| theme.orange, label: (41.0, 67.0) },
        ],
    },
];

/// Draws the share of best moves by undrawn edges for each player.
pub fn draw(root: &Path, picture: &Picture) -> Result<()> {
    picture.title("Expert: right in drawn positions", "Best moves found, %, by undrawn edges, with 95 % intervals")?;
    let table = Table::read(root, "strength")?;
    for panel in PANELS {
        let [left, right] = panel.margins;
        let [from, to] = panel.undrawn;
        picture.text(&format!("{} boxes", panel.board), (left, 94), picture.font(16).bold())?;
        let y = Axis::linear(58.0..101.0, &[60.0, 70.0, 80.0, 90.0, 100.0]);
        let mut chart = picture.chart([left, 130, right, 42], Axis::linear(from..to, panel.ticks), y)?;
        let rows = table.with("board", panel.board)?;
        for (index, player) in panel.players.iter().enumerate() {
            let color = (player.color)(picture.theme);
            // Intervals of different players at the same number of edges stand side by side.
            let shift = (1.0 - index as f64) * (to - from) / 120.0;
            let mut points = Vec::new();
            for row in &rows {
                if row.text("player")? == player.name {
                    let (share, positions) = (row.number("best_moves")?, row.number("positions")?);
                    let edges = row.number("undrawn")? + shift;
                    let (low, high) = wilson((share / 100.0 * positions).round(), positions);
                    chart.line(&[(edges, low), (edges, high)], color, 1, 0)?;
                    points.push((edges, share));
                }
            }
            chart.line(&points, color, 3, 4)?;
            picture.text(player.name, chart.place(player.label), picture.font(15).colored(color).bold().ending())?;
        }
    }
    Ok(())
}
