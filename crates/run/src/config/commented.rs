//! A config as a file with the meaning of each key.

use toml::Value;

use super::by_board::{example, meaning};
use super::key::{Key, split};
use super::tables::Config;

/// The most columns of a line with a key and its meaning. The meaning of a longer one stands above it.
const MOST_COLUMNS: usize = 150;

impl Config {
    /// Returns the config as a file that lists every key with its meaning, below these lines of comment. A key that is
    /// absent is a comment with a value that it may have.
    pub fn to_commented_toml(&self, head: &str) -> String {
        let values = self.values();
        let mut text = format!("{}\n", head.trim_end());
        for section in Config::sections() {
            text.push('\n');
            if !section.name().is_empty() {
                text += &format!("# {}\n[{}]\n", section.doc, section.name());
            }
            let within = values.iter().filter(|(key, _)| section.keys.contains(key));
            let lines: Vec<(String, String)> =
                within.map(|(key, value)| (self.line(key, value.as_ref()), meaning(self.reach, key))).collect();
            let is_long =
                |(line, doc): &(String, String)| line.len() + "  # ".len() + doc.chars().count() > MOST_COLUMNS;
            let short = lines.iter().filter(|line| !is_long(line));
            let width = short.map(|(line, _)| line.len()).max().unwrap_or_default();
            for line in lines {
                let (key, doc) = &line;
                text += &if is_long(&line) { format!("# {doc}\n{key}\n") } else { format!("{key:width$}  # {doc}\n") };
            }
        }
        for phase in &self.phases {
            text += &format!("\n# Keys that change from this generation on.\n[[phase]]\nfrom = {}\n", phase.from);
            for (key, value) in phase.changes() {
                text += &format!("{} = {value}\n", key.path);
            }
        }
        text
    }

    /// Returns the line of a key and its value.
    fn line(&self, key: &Key, value: Option<&Value>) -> String {
        let (_, name) = split(key.path);
        if let Some(value) = value {
            return format!("{name} = {value}");
        }
        format!("# {name} = {}", example(self.board, self.reach, key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_absent_is_a_comment() {
        let set = ["board=4x4", "selfplay.root_undrawn=20"].map(String::from);
        let config = Config::parse("[[phase]]\nfrom = 5\nlearn.passes = 2", "run.toml", &set).unwrap();
        let text = config.to_commented_toml("# A run.");
        let line = |name: &str| text.lines().find(|line| line.contains(&format!("{name} = "))).unwrap();
        assert!(text.starts_with("# A run.\n\nboard = \"4x4\""), "{text}");
        assert!(line("root_undrawn").starts_with("root_undrawn = 20 "), "{text}");
        assert!(
            line("leaf_undrawn").starts_with("# leaf_undrawn = 20 ")
                && line("leaf_undrawn").contains("Absent: reach - 9.")
        );
        assert!(line("threads").starts_with("# threads = 2 "), "{text}");
        assert_eq!(Config::parse(&text, "run.toml", &[]).unwrap(), config);
        let many = Config::parse("mixture = \"2x2:1 3x3:1 3x4:1 4x4:1 4x5:1 5x5:1\"", "run.toml", &[]).unwrap();
        let text_of_many = many.to_commented_toml("# A run.");
        let mut lines = text_of_many.lines().skip_while(|line| !line.starts_with("# Boards that"));
        assert!(
            lines.nth(1).is_some_and(|line| line.starts_with("mixture = ") && !line.contains('#')),
            "{text_of_many}"
        );
        // Every example is a value.
        let given =
            |line: &str| line.strip_prefix("# ").filter(|rest| rest.contains(" = ")).unwrap_or(line).to_string();
        // Labels of one board go without a mixture.
        for other in ["# data = ", "# mixture = "] {
            let lines = text.lines().filter(|line| !line.starts_with(other));
            let all: String = lines.map(|line| given(line) + "\n").collect();
            let config = Config::parse(&all, "run.toml", &[]).unwrap();
            let absent = config.values().iter().filter(|(_, value)| value.is_none()).count();
            assert_eq!(absent, 1, "{all}");
        }
    }
}
