//! How often a bot keeps the value of the empty board.

use std::path::Path;

use anyhow::Result;

use crate::axis::Axis;
use crate::interval::wilson;
use crate::picture::Picture;
use crate::table::Table;

/// Draws the share of games that keep the value, a line for each opponent.
pub fn draw(root: &Path, picture: &Picture) -> Result<()> {
    let theme = picture.theme;
    picture.title(
        "Champion: right from the empty board",
        "Games that keep the board's value, %; on 5x5 as the first player, who is said to win",
    )?;
    let table = Table::read(root, "champion")?;
    let rows: Vec<_> = table.rows().collect();
    let count = rows.len() as f64;
    let x = Axis::linear(60.0..101.0, &[60.0, 70.0, 80.0, 90.0, 100.0]);
    let y = Axis::linear(-count..0.0, &[]);
    let mut chart = picture.chart([330, 76, 84, 40], x, y)?;
    for (index, row) in rows.into_iter().enumerate() {
        let height = -0.5 - index as f64;
        let (kept, games) = (row.number("kept")?, row.number("games")?);
        let (low, high) = wilson(kept, games);
        let color = if row.text("board")? == "4x4" { theme.blue } else { theme.orange };
        chart.line(&[(low, height), (high, height)], color, 3, 0)?;
        chart.line(&[(100.0 * kept / games, height)], color, 3, 6)?;
        let (_, y) = chart.place((60.0, height));
        picture.text(
            &format!("{}, {}", row.text("board")?, row.text("bot")?),
            (314, y - 9),
            picture.font(16).ending(),
        )?;
        let against = format!("against {}", row.text("opponent")?);
        picture.text(&against, (314, y + 10), picture.font(14).colored(theme.muted).ending())?;
        picture.text(&format!("{kept}/{games}"), (728, y), picture.font(15).colored(color))?;
    }
    Ok(())
}
