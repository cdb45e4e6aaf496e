//! Words of commands that messages advise.

use std::path::Path;

/// Returns a path or another word as a shell reads it, so that a command can be pasted.
///
/// ```
/// use doublecross_run::shell_quoted;
/// assert_eq!(shell_quoted("runs/mine"), "runs/mine");
/// assert_eq!(shell_quoted("my runs/o'clock"), r"'my runs/o'\''clock'");
/// ```
pub fn shell_quoted(word: impl AsRef<Path>) -> String {
    let word = word.as_ref().display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:,=@%".contains(c);
    if word.chars().all(is_plain) && !word.is_empty() { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
}
