//! The source form: the files of the bot core as one Rust file, with the weights inside. It needs
//! the standard library alone.

use std::fmt::Write;

use doublecross_core::solver::Book;
use doublecross_core::sources::SOURCES;

/// The top-level modules of the file.
const MODULES: [&str; 10] =
    ["float", "mix", "shell", "board", "solver", "net", "search", "bots", "protocol", "submission"];

/// Characters of base 64 in a line.
const LINE: usize = 116;

/// Returns the text of a Rust file that plays with the weights of a weights file and with a book,
/// with a budget of `simulations` and solver `nodes` for each move.
///
/// The file can be a module of a program or a library by itself, in edition 2021 or later.
pub fn source_file(weights: &[u8], book: Option<&Book>, simulations: u32, nodes: u32) -> String {
    let mut source = include_str!("template/head.rs").to_string();
    for name in MODULES {
        source += "\n#[allow(dead_code, unused_imports)]\n";
        source += &module("", &format!("mod {name};"), name, 0);
    }
    let tail = include_str!("template/tail.rs");
    source += &tail.replace("SIMULATIONS", &simulations.to_string()).replace("NODES", &nodes.to_string());
    let book = book.map_or_else(Vec::new, Book::to_bytes);
    source + &constant("A weights file", "WEIGHTS", weights) + &constant("A book, or nothing,", "BOOK", &book)
}

/// Returns the declaration of a constant that holds bytes in base 64.
fn constant(what: &str, name: &str, bytes: &[u8]) -> String {
    let mut text = format!("\n/// {what} in base 64.\nconst {name}: &str = \"\\\n");
    for line in base64(bytes).as_bytes().chunks(LINE) {
        let _ = writeln!(text, "{}\\", String::from_utf8_lossy(line));
    }
    text + "\";\n"
}

/// Returns a module's declaration with its text in place, for a module of `folder` that lies
/// `depth` modules deep.
fn module(folder: &str, declaration: &str, name: &str, depth: usize) -> String {
    let head = declaration.replace(';', " {");
    let file = [format!("{folder}{name}.rs"), format!("{folder}{name}/mod.rs")].into_iter().find(|f| text(f).is_some());
    nested(&head, &flattened(&file.unwrap_or_default(), depth + 1))
}

/// Returns `text` indented, between the line `head` and a closing brace.
fn nested(head: &str, text: &str) -> String {
    let mut nested = format!("{head}\n");
    for line in text.lines() {
        let _ = if line.is_empty() { writeln!(nested) } else { writeln!(nested, "    {line}") };
    }
    nested + "}\n"
}

/// Returns the text of a file of the bot core.
fn text(file: &str) -> Option<&'static str> {
    SOURCES.iter().find(|(name, _)| *name == file).map(|(_, text)| *text)
}

/// Returns the text of a file that is a module `depth` modules deep, without its tests and with the
/// modules that it declares in place.
fn flattened(file: &str, depth: usize) -> String {
    let folder = match file.strip_suffix("mod.rs") {
        Some(folder) => folder.to_string(),
        None => format!("{}/", file.trim_end_matches(".rs")),
    };
    let folder = folder.as_str();
    let mut flat = String::new();
    let mut lines = text(file).unwrap_or_default().lines();
    while let Some(line) = lines.next() {
        let declared = line
            .strip_suffix(';')
            .and_then(|line| line.split_once("mod "))
            .filter(|(before, _)| ["", "pub ", "pub(super) ", "pub(crate) "].contains(before));
        if line == "#[cfg(test)]" {
            // Skips the item up to its closing brace.
            let item = lines.next().unwrap_or_default();
            if !item.ends_with(';') {
                lines.by_ref().find(|line| *line == "}");
            }
        } else if let Some((_, name)) = declared {
            flat += &module(folder, line, name, depth);
        } else {
            flat += &line.replace("crate::", &"super::".repeat(depth));
            flat.push('\n');
        }
    }
    flat
}

/// Encodes bytes in base 64 (RFC 4648), without padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let word = three.iter().fold(0u32, |word, &byte| word << 8 | byte as u32) << (8 * (3 - three.len()));
        for place in 0..=three.len() {
            text.push(DIGITS[(word >> (18 - 6 * place)) as usize % 64] as char);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_encoded_in_base_64() {
        assert_eq!(
            ["", "f", "fo", "foo", "foobar"].map(|text| base64(text.as_bytes())),
            ["", "Zg", "Zm8", "Zm9v", "Zm9vYmFy"]
        );
    }

    #[test]
    fn the_source_file_holds_no_tests() {
        let source = source_file(b"weights", None, 5, 7);
        assert!(!source.contains("cfg(test)") && !source.contains("crate::") && !source.contains("proptest"));
        assert!(source.contains("fn forward") && source.contains("Budget::new(5, 7)"));
    }
}
