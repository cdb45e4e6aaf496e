//! Text of others, such as the names of files, as it may be printed.

/// Returns a text that others wrote, as a name in a log, with control characters escaped, which a
/// terminal might interpret, and likewise those that change the direction of what follows.
pub fn printable(text: &str) -> String {
    let is_safe = |c: char| {
        !c.is_control() && !matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if is_safe(c) { c.to_string() } else { c.escape_default().to_string() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_might_interpret_is_escaped() {
        assert_eq!(printable("net:runs/é"), "net:runs/é");
        assert_eq!(printable("a\u{1b}[2Jb\n\u{202e}c\u{9b}"), "a\\u{1b}[2Jb\\n\\u{202e}c\\u{9b}");
    }
}
