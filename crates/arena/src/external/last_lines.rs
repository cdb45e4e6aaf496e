//! The last lines that a bot prints on stderr.

use std::collections::VecDeque;

use super::printable;

/// The most lines that are kept.
const MOST: usize = 30;

/// The last lines of a text, in a form that can be printed. Blank lines do not count.
#[derive(Clone, Debug, Default)]
pub(super) struct LastLines(VecDeque<String>);

impl LastLines {
    /// Adds a line, with or without its line break.
    pub fn push(&mut self, line: &[u8]) {
        let line = printable(&String::from_utf8_lossy(line.trim_ascii_end()));
        if line.trim().is_empty() {
            return;
        }
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(line);
    }

    /// Returns `true` if a line has one of these words, in any case.
    pub fn mention(&self, words: &[&str]) -> bool {
        self.0.iter().map(|line| line.to_lowercase()).any(|line| words.iter().any(|word| line.contains(word)))
    }

    /// Returns the lines, each behind a line break.
    pub fn text(&self) -> String {
        self.0.iter().map(|line| format!("\n{line}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept() {
        let mut lines = LastLines::default();
        lines.push(b" \n");
        assert_eq!(lines.text(), "");
        (0..MOST + 2).for_each(|number| lines.push(format!("  line {number}\r\n").as_bytes()));
        lines.push(b"Memory\x1bError");
        assert!(lines.text().starts_with("\n  line 3\n  line 4\n"), "{}", lines.text());
        assert!(lines.text().ends_with("\n  line 31\nMemory Error"), "{}", lines.text());
        assert!(lines.mention(&["disk", "memory"]) && !lines.mention(&["line 2\n"]));
    }
}
