//! The configs that are built into the program.

use std::path::Path;

use super::{Config, ConfigError, OldName};

/// The name and the text of each built-in config.
const PRESETS: [(&str, &str); 4] = [
    ("3x3", include_str!("../../../configs/3x3.toml")),
    ("4x4", include_str!("../../../configs/4x4.toml")),
    ("5x5", include_str!("../../../configs/5x5.toml")),
    ("any", include_str!("../../../configs/any.toml")),
];

impl Config {
    /// Returns the text of a built-in config by its name, as in `3x3`.
    pub fn preset(name: &str) -> Option<&'static str> {
        PRESETS.iter().find(|(preset, _)| *preset == name).map(|(_, text)| *text)
    }

    /// Reads a config file as [`Config::load`] does, or the built-in config of this name where there is no such
    /// file.
    ///
    /// # Errors
    /// Those of [`Config::load`].
    pub fn load_or_preset(path: &Path, overrides: &[String]) -> Result<(Config, Vec<OldName>), ConfigError> {
        match path.to_str().and_then(Config::preset).filter(|_| !path.exists()) {
            Some(text) => Config::parse(text, &path.display().to_string(), overrides),
            None => Config::load(path, overrides),
        }
    }

    /// Returns the names of the built-in configs.
    pub fn presets() -> impl Iterator<Item = &'static str> {
        PRESETS.iter().map(|(name, _)| *name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_preset_is_a_config_of_its_board() {
        for name in Config::presets() {
            let text = Config::preset(name).expect("a preset");
            let (config, notices) = Config::parse(text, name, &[]).unwrap_or_else(|error| panic!("{error}"));
            assert!(notices.is_empty());
            assert!(name == "any" || config.board == name, "{name}: {}", config.board);
        }
        assert_eq!(Config::preset("7x7"), None);
    }
}
