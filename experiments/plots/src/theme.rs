//! Colors of light and dark pages.

use plotters::style::RGBColor;

/// The colors of a figure.
#[derive(Clone, Copy)]
pub struct Theme {
    pub background: RGBColor,
    pub text: RGBColor,
    /// Axis labels and notes.
    pub muted: RGBColor,
    pub grid: RGBColor,
    pub blue: RGBColor,
    pub orange: RGBColor,
    pub green: RGBColor,
    pub purple: RGBColor,
    pub gray: RGBColor,
}

impl Theme {
    pub const LIGHT: Self = Self {
        background: RGBColor(255, 255, 255),
        text: RGBColor(31, 35, 40),
        muted: RGBColor(89, 99, 110),
        grid: RGBColor(225, 229, 234),
        blue: RGBColor(9, 105, 218),
        orange: RGBColor(188, 76, 0),
        green: RGBColor(26, 127, 55),
        purple: RGBColor(130, 80, 223),
        gray: RGBColor(145, 152, 161),
    };

    pub const DARK: Self = Self {
        background: RGBColor(13, 17, 23),
        text: RGBColor(240, 246, 252),
        muted: RGBColor(145, 152, 161),
        grid: RGBColor(40, 46, 54),
        blue: RGBColor(68, 147, 248),
        orange: RGBColor(240, 136, 62),
        green: RGBColor(63, 185, 80),
        purple: RGBColor(171, 125, 248),
        gray: RGBColor(101, 108, 118),
    };
}
