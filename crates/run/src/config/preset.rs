//! Configs that a program has built in.

use doublecross_core::board::Board;

/// The configs that a program has built in, by their names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Presets(pub &'static [(&'static str, &'static str)]);

impl Presets {
    /// Returns the text of a config by its name, as in `3x3`.
    pub fn text(self, name: &str) -> Option<&'static str> {
        self.0.iter().find(|(preset, _)| *preset == name).map(|(_, text)| *text)
    }

    /// Returns the config that is named after the board that is nearest to this one by the number of its boxes.
    pub(super) fn nearest(self, board: Board) -> Option<(&'static str, &'static str)> {
        let named = |(name, text): &(&'static str, &'static str)| Some((name.parse::<Board>().ok()?, *name, *text));
        let boards = self.0.iter().filter_map(named);
        let nearest = boards.min_by_key(|(other, ..)| other.boxes().abs_diff(board.boxes()));
        nearest.map(|(_, name, text)| (name, text))
    }

    /// Returns the names of the configs.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|(name, _)| *name)
    }
}
