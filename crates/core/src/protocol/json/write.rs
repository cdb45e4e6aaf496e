//! Pieces of JSON text.

use std::fmt::Write;

/// Formats a list of values, each of them JSON.
pub(crate) fn list(values: impl Iterator<Item = String>) -> String {
    format!("[{}]", values.collect::<Vec<_>>().join(","))
}

/// Formats a string, with quotes and escapes.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        // Writing to a string cannot fail.
        let _ = match character {
            '"' | '\\' => write!(quoted, "\\{character}"),
            control if control < ' ' => write!(quoted, "\\u{:04x}", control as u32),
            other => write!(quoted, "{other}"),
        };
    }
    quoted + "\""
}
