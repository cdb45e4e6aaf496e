//! The parts that all figures share: frame, texts, axes, lines and marks.

use anyhow::{Context, Result};
use plotters::chart::ChartContext;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::axis::Axis;
use crate::theme::Theme;

/// Units of a drawing per pixel. plotters rounds to whole units, which would make lines uneven.
const UNIT: i32 = 4;

/// plotters writes the sizes of fonts divided by this.
const FONT: f64 = 1.24;

/// Pixels left of and below a plot, for the labels of its axes.
const LABELS: (i32, i32) = (58, 28);

/// A position in pixels from the upper left corner of a figure.
pub type Pixels = (i32, i32);

/// A figure that is being drawn.
pub struct Picture<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
    pub theme: Theme,
}

/// The style of a text.
#[derive(Clone, Copy)]
pub struct Font {
    pub pixels: i32,
    pub is_bold: bool,
    pub color: RGBColor,
    /// The point of the text that is at its position.
    pub anchor: HPos,
}

/// A plot with two axes in a figure.
pub struct Chart<'a, 'b> {
    context: ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>,
}

/// The SVG file of a figure with a width and a height in pixels.
pub fn svg((width, height): (u32, u32), theme: Theme, draw: impl FnOnce(&Picture) -> Result<()>) -> Result<String> {
    let unit = UNIT.unsigned_abs();
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, (width * unit, height * unit)).into_drawing_area();
    area.fill(&theme.background)?;
    let picture = Picture { area, theme };
    draw(&picture)?;
    picture.area.present()?;
    drop(picture);
    let units = format!("width=\"{}\" height=\"{}\" viewBox", width * unit, height * unit);
    let pixels = format!("width=\"{width}\" height=\"{height}\" viewBox");
    Ok(svg.replacen(&units, &pixels, 1))
}

impl<'b> Picture<'b> {
    /// Writes the title, and below it what the figure shows.
    pub fn title(&self, title: &str, note: &str) -> Result<()> {
        self.text(title, (20, 28), self.font(20).bold())?;
        self.text(note, (20, 54), self.font(15).colored(self.theme.muted))
    }

    /// A font for text that begins at its position.
    pub fn font(&self, pixels: i32) -> Font {
        Font { pixels, is_bold: false, color: self.theme.text, anchor: HPos::Left }
    }

    /// Writes a text with its middle at a height.
    pub fn text(&self, text: &str, (x, y): Pixels, font: Font) -> Result<()> {
        let style = if font.is_bold { FontStyle::Bold } else { FontStyle::Normal };
        let size = f64::from(font.pixels * UNIT) * FONT;
        let style = FontDesc::new(FontFamily::SansSerif, size, style).color(&font.color);
        let style = style.pos(Pos::new(font.anchor, VPos::Center));
        Ok(self.area.draw_text(text, &style, (x * UNIT, y * UNIT))?)
    }

    /// Draws the grid of a plot with these left, top, right and bottom margins in pixels.
    pub fn chart(&self, margins: [i32; 4], x: Axis, y: Axis) -> Result<Chart<'_, 'b>> {
        let [left, top, right, bottom] = margins;
        let mut context = ChartBuilder::on(&self.area)
            .margin_left((left - LABELS.0) * UNIT)
            .margin_top(top * UNIT)
            .margin_right(right * UNIT)
            .margin_bottom((bottom - LABELS.1) * UNIT)
            .y_label_area_size(LABELS.0 * UNIT)
            .x_label_area_size(LABELS.1 * UNIT)
            .build_cartesian_2d(x, y)?;
        let label = FontDesc::new(FontFamily::SansSerif, f64::from(14 * UNIT) * FONT, FontStyle::Normal);
        context
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(self.theme.grid.stroke_width(4))
            .axis_style(self.theme.grid.stroke_width(4))
            .set_all_tick_mark_size(5 * UNIT)
            .label_style(label.color(&self.theme.muted))
            .draw()?;
        Ok(Chart { context })
    }
}

impl Font {
    /// The same in bold.
    pub fn bold(self) -> Self {
        Self { is_bold: true, ..self }
    }

    /// The same in another color.
    pub fn colored(self, color: RGBColor) -> Self {
        Self { color, ..self }
    }

    /// The same for text that is centered at its position.
    pub fn centered(self) -> Self {
        Self { anchor: HPos::Center, ..self }
    }

    /// The same for text that ends at its position.
    pub fn ending(self) -> Self {
        Self { anchor: HPos::Right, ..self }
    }
}

impl Chart<'_, '_> {
    /// The place of a point in the figure.
    pub fn place(&self, point: (f64, f64)) -> Pixels {
        let (x, y) = self.context.backend_coord(&point);
        (x / UNIT, y / UNIT)
    }

    /// Draws a line through points, with a dot at each if `dot` is not 0.
    pub fn line(&mut self, points: &[(f64, f64)], color: RGBColor, width: u32, dot: i32) -> Result<()> {
        let style = color.stroke_width(width * UNIT.unsigned_abs());
        self.context.draw_series(LineSeries::new(points.iter().copied(), style))?;
        if dot > 0 {
            let dots = points.iter().map(|&point| Circle::new(point, dot * UNIT, color.filled()));
            self.context.draw_series(dots)?;
        }
        Ok(())
    }

    /// Draws a filled rectangle between two corners.
    pub fn bar(&mut self, corners: [(f64, f64); 2], color: RGBColor) -> Result<()> {
        self.context.draw_series([Rectangle::new(corners, color.filled())])?;
        Ok(())
    }
}

/// The last of some points.
pub fn last(points: &[(f64, f64)]) -> Result<(f64, f64)> {
    points.last().copied().context("a series without a point")
}
