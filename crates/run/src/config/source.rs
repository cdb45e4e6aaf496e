//! The sources of configs: files, presets and boards.

use std::fs;
use std::path::Path;

use doublecross_core::board::Board;
use doublecross_core::shell::shell_word;

use super::error::ConfigError;
use super::preset::Presets;
use super::tables::Config;

/// A config's text, and the board that it is read for if that is another one than its own.
#[derive(Clone, Debug)]
pub struct ConfigSource {
    name: String,
    text: String,
    presets: Presets,
    /// The board, and the preset that it is trained like.
    board: Option<(Board, &'static str)>,
}

impl ConfigSource {
    /// Finds a config: the file at `path`, or else the preset of this name, or else that of the nearest board for the
    /// board of this name, as in `4x5`.
    ///
    /// # Errors
    /// Returns an error if there is none, or if the file cannot be read.
    pub fn find(path: &Path, presets: Presets) -> Result<ConfigSource, ConfigError> {
        let name = shell_word(path);
        let built_in = path.to_str().filter(|_| !path.is_file());
        if let Some(text) = built_in.and_then(|name| presets.text(name)) {
            return Ok(ConfigSource { name, text: text.into(), presets, board: None });
        }
        let board = built_in.map(str::parse);
        if let Some(Ok(board)) = board
            && let Some((preset, text)) = presets.nearest(board)
        {
            return Ok(ConfigSource { name, text: text.into(), presets, board: Some((board, preset)) });
        }
        match (fs::read_to_string(path), board) {
            (Ok(text), _) => Ok(ConfigSource { name, text, presets, board: None }),
            // A name of this form is a board that there is not.
            (Err(_), Some(Err(error))) if is_size(&name) => {
                Err(ConfigError::Toml { origin: name, error: error.to_string() })
            }
            (Err(error), _) => Err(ConfigError::Read { path: name, error, presets }),
        }
    }

    /// Reads the config with overrides.
    ///
    /// # Errors
    /// Returns an error as [`Config::parse`] does.
    pub fn config(&self, overrides: &[String]) -> Result<Config, ConfigError> {
        let board = self.board.map(|(board, _)| format!("board={board}"));
        let overrides: Vec<String> = board.into_iter().chain(overrides.iter().cloned()).collect();
        Config::parse(&self.text, &self.name, &overrides)
    }

    /// Returns the comment above a copy of the config as it was read.
    pub fn head(&self, read: &Config) -> String {
        let board = read.board;
        let own = Config::parse(&self.text, &self.name, &[]).map_or(board, |own| own.board);
        if own != board {
            let name = self.board.map_or(self.name.as_str(), |(_, preset)| preset);
            // The name of a board stands for its nearest preset.
            let is_nearest = self.presets.nearest(board).is_some_and(|(_, text)| text == self.text);
            let source = if is_nearest { board.to_string() } else { format!("{name} --set board={board}") };
            return format!(
                "# {board} with the settings of {name}; what counts edges follows from the board. A start: it was not tried.\n\
                 # doublecross config {source} > mine.toml && doublecross train mine.toml\n\
                 # Every key is listed; one behind # is absent. docs/configuration.md tells more."
            );
        }
        let head: Vec<&str> = self.text.lines().take_while(|line| line.starts_with('#')).collect();
        if head.is_empty() { format!("# The config {}.", self.name) } else { head.join("\n") }
    }
}

/// Returns `true` for two numbers with an x between them.
fn is_size(name: &str) -> bool {
    let is_number = |side: &str| !side.is_empty() && side.chars().all(|c| c.is_ascii_digit());
    name.split_once('x').is_some_and(|(rows, cols)| is_number(rows) && is_number(cols))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRESETS: Presets = Presets(&[
        ("any", "board = \"5x5\"\nmixture = \"3x3:1 5x5:1\""),
        ("3x3", "# Small.\nboard = \"3x3\"\nseed = 3\n[selfplay]\nroot_undrawn = 18\nopening_edges = 12"),
        ("5x5", "seed = 5\n[labeled]\nleast_undrawn = 1"),
    ]);

    fn find(name: &str) -> Result<ConfigSource, ConfigError> {
        ConfigSource::find(Path::new(name), PRESETS)
    }

    #[test]
    fn presets_and_boards_are_found_by_their_names() {
        let small = find("3x3").unwrap();
        let config = small.config(&[]).unwrap();
        assert_eq!((small.head(&config).as_str(), config.seed), ("# Small.", 3));
        let other = small.config(&["board=3x4".into()]).unwrap();
        assert!(small.head(&other).starts_with("# 3x4 with the settings of 3x3; "));
        assert_eq!(find("any").unwrap().config(&[]).unwrap().boards().len(), 2);
        // Nearest by its boxes.
        for (name, seed) in [("2x2", 3), ("2x5", 3), ("4x4", 3), ("3x6", 5), ("6x6", 5)] {
            let config = find(name).unwrap().config(&["learn.batch=64".into()]).unwrap();
            assert_eq!((config.board.to_string().as_str(), config.seed, config.learn.batch), (name, seed, 64));
        }
        assert!(matches!(find("4x"), Err(ConfigError::Read { .. })));
        assert!(matches!(find("40x40"), Err(ConfigError::Toml { .. })));
    }

    #[test]
    fn what_counts_edges_follows_from_the_board() {
        let source = find("2x2").unwrap();
        let config = source.config(&[]).unwrap();
        assert!(source.head(&config).starts_with("# 2x2 with the settings of 3x3; "));
        assert_eq!((config.reach, config.selfplay.opening_edges), (9, 6));
        assert_eq!((config.selfplay.root_undrawn, config.labeled.most_undrawn), (None, None));
        // Also those that a preset has for its own board, but not those that are set.
        let config = find("6x6").unwrap().config(&["labeled.most_undrawn=50".into()]).unwrap();
        assert_eq!((config.reach, config.labeled.least_undrawn, config.labeled.most_undrawn), (49, None, Some(50)));
    }
}
