//! Words of a command line as a shell reads them, for messages.

use std::ffi::OsStr;

/// Returns a text as one word of a command line that can be pasted into a shell: as it stands, or between quotation
/// marks where a shell would read it differently. Characters that a terminal might interpret are escaped.
///
/// ```
/// use doublecross_core::shell::shell_word;
/// assert_eq!(shell_word("runs/5x5"), "runs/5x5");
/// assert_eq!(shell_word("2x2 H0,0"), if cfg!(windows) { "\"2x2 H0,0\"" } else { "'2x2 H0,0'" });
/// ```
pub fn shell_word(text: impl AsRef<OsStr>) -> String {
    let text = text.as_ref().to_string_lossy();
    if cfg!(windows) {
        let is_plain = !text.is_empty() && text.chars().all(|c| is_plain(c) || c == '\\');
        return if is_plain { text.into() } else { format!("\"{text}\"") };
    }
    // A shell may read a first `=` as the name of a program, and a person a last mark as one of the sentence.
    let is_word = !text.is_empty() && !text.starts_with('=') && !text.ends_with([':', ',', '.']);
    if (is_word || text == ".") && text.chars().all(is_plain) {
        return text.into();
    }
    if text.chars().any(is_interpreted) {
        return format!("$'{}'", text.chars().map(escaped).collect::<String>());
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns `true` for a character that no shell reads as anything else.
fn is_plain(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_alphanumeric() || "/._-+,:=@%".contains(c),
        false => !c.is_whitespace() && !is_interpreted(c),
    }
}

/// Returns `true` for a control character, and for one that changes the direction of what follows.
fn is_interpreted(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns a character as it stands between `$'` and `'`.
fn escaped(c: char) -> String {
    match c {
        '\n' => r"\n".into(),
        '\t' => r"\t".into(),
        '\'' | '\\' => format!(r"\{c}"),
        c if is_interpreted(c) => format!(r"\u{:04x}", c as u32),
        c => c.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[cfg(unix)]
    #[test]
    fn only_what_a_shell_would_change_is_quoted() {
        for (text, word) in [
            ("net:runs/5x5,sims=400", "net:runs/5x5,sims=400"),
            ("é", "é"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("~/runs", "'~/runs'"),
            ("=x", "'=x'"),
            ("net:", "'net:'"),
            (".", "."),
            ("{a,b}", "'{a,b}'"),
            ("a\u{1b}[2Jb\n\u{202e}'", r"$'a\u001b[2Jb\n\u202e\''"),
        ] {
            assert_eq!(shell_word(text), word);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[cfg(unix)]
        #[test]
        fn a_shell_reads_the_text(text in "[a-z \"'$`\\\\!*?~=#&|;<>(){},\\[\\]éß-]{0,12}") {
            let script = format!("printf %s {}", shell_word(&text));
            let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
            prop_assert_eq!(String::from_utf8(output.stdout).unwrap(), text);
        }
    }
}
