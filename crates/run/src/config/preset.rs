//! Configs that a program has built in.

/// The configs that a program has built in, by their names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Presets(pub &'static [(&'static str, &'static str)]);

impl Presets {
    /// Returns the text of a config by its name, as in `3x3`.
    pub fn text(self, name: &str) -> Option<&'static str> {
        self.0.iter().find(|(preset, _)| *preset == name).map(|(_, text)| *text)
    }

    /// Returns the names of the configs.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|(name, _)| *name)
    }
}
