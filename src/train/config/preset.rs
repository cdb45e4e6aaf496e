//! The configs that are built into the program.

/// The name and the text of each built-in config.
const PRESETS: [(&str, &str); 4] = [
    ("3x3", include_str!("../../../configs/3x3.toml")),
    ("4x4", include_str!("../../../configs/4x4.toml")),
    ("5x5", include_str!("../../../configs/5x5.toml")),
    ("any", include_str!("../../../configs/any.toml")),
];

/// Returns the text of a built-in config by its name, as in `3x3`.
pub fn preset(name: &str) -> Option<&'static str> {
    PRESETS.iter().find(|(preset, _)| *preset == name).map(|(_, text)| *text)
}

/// Returns the names of the built-in configs.
pub fn preset_names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::Config;

    #[test]
    fn each_preset_is_a_config_of_its_board() {
        for name in preset_names() {
            let text = preset(name).expect("a preset");
            let (config, notices) = Config::parse(text, name, &[]).unwrap_or_else(|error| panic!("{error}"));
            assert!(notices.is_empty());
            assert!(name == "any" || config.board == name, "{name}: {}", config.board);
        }
        assert_eq!(preset("7x7"), None);
    }
}
