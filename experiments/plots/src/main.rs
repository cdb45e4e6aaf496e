//! Draws the figures of `docs/results.md`: `cargo run --release -p doublecross-plots`.
//!
//! Reads the curves of `checkpoints/*/progress.jsonl` and the tables in `docs/pictures/data`, and
//! writes each figure to `docs/pictures`, once for light pages and once for dark ones.

mod axis;
mod champion;
mod curves;
mod interval;
mod learning;
mod picture;
mod progress;
mod solving;
mod speed;
mod strength;
mod table;
mod theme;

use std::path::Path;

use anyhow::{Context, Result};

use picture::Picture;
use theme::Theme;

/// Draws a figure from the files below the root of the repository.
type Draw = fn(&Path, &Picture) -> Result<()>;

/// The figures: name, width and height in pixels, and function.
const FIGURES: [(&str, (u32, u32), Draw); 6] = [
    ("curves", (800, 440), curves::draw),
    ("learning", (800, 420), learning::draw),
    ("strength", (800, 420), strength::draw),
    ("champion", (800, 400), champion::draw),
    ("solving", (800, 460), solving::draw),
    ("speed", (800, 370), speed::draw),
];

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, size, draw) in FIGURES {
        for (suffix, theme) in [("", Theme::LIGHT), ("-dark", Theme::DARK)] {
            let svg = picture::svg(size, theme, |picture| draw(&root, picture)).context(name)?;
            let path = root.join(format!("docs/pictures/{name}{suffix}.svg"));
            std::fs::write(&path, svg).with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}
