//! The source form: the files of the bot core as one Rust file, with the weights inside. It needs
//! the standard library alone.

use std::fmt::Write;

use crate::solver::Book;

/// Pairs of the name and the text of each file.
macro_rules! files {
    ($($name:literal),* $(,)?) => { &[$(($name, include_str!(concat!("../", $name)))),*] };
}

/// Every file of the bot core that is not a test.
const FILES: &[(&str, &str)] = files![
    "float.rs",
    "mix.rs",
    "board/board_error.rs",
    "board/captures.rs",
    "board/chains.rs",
    "board/drawing.rs",
    "board/edge.rs",
    "board/edges.rs",
    "board/equivalent.rs",
    "board/geometry.rs",
    "board/mod.rs",
    "board/offer.rs",
    "board/openings.rs",
    "board/position.rs",
    "board/state.rs",
    "board/strings.rs",
    "board/symmetry.rs",
    "board/text.rs",
    "board/word.rs",
    "bots/board_networks.rs",
    "bots/knowledge.rs",
    "bots/level/boxes.rs",
    "bots/level/chains.rs",
    "bots/level/chance.rs",
    "bots/level/ladder.rs",
    "bots/level/mod.rs",
    "bots/level/openings.rs",
    "bots/level/player.rs",
    "bots/level/third_sides.rs",
    "bots/level/traits.rs",
    "bots/mod.rs",
    "bots/of_board.rs",
    "bots/searcher.rs",
    "bots/rule/chains.rs",
    "bots/rule/greedy.rs",
    "bots/rule/mod.rs",
    "solver/alpha_beta.rs",
    "solver/bits.rs",
    "solver/book.rs",
    "solver/bounds.rs",
    "solver/change.rs",
    "solver/components.rs",
    "solver/cpu.rs",
    "solver/exact.rs",
    "solver/expected.rs",
    "solver/graph.rs",
    "solver/graph_query.rs",
    "solver/handle.rs",
    "solver/handouts.rs",
    "solver/known.rs",
    "solver/lemma.rs",
    "solver/lengths.rs",
    "solver/loony.rs",
    "solver/memory.rs",
    "solver/mod.rs",
    "solver/move_question.rs",
    "solver/plan.rs",
    "solver/prefetch.rs",
    "solver/order.rs",
    "solver/outline.rs",
    "solver/replay.rs",
    "solver/shared.rs",
    "solver/small_component.rs",
    "solver/solution.rs",
    "solver/state_query.rs",
    "solver/successor.rs",
    "solver/table.rs",
    "solver/zobrist.rs",
    "net/aligned.rs",
    "net/architecture.rs",
    "net/canary.rs",
    "net/cell.rs",
    "net/engine.rs",
    "net/groups.rs",
    "net/isa.rs",
    "net/kernel.rs",
    "net/layout.rs",
    "net/mod.rs",
    "net/network.rs",
    "net/other_board.rs",
    "net/planes.rs",
    "net/weights.rs",
    "net/bf16/mod.rs",
    "net/bf16/pairs.rs",
    "net/bf16/tiles.rs",
    "net/int8/avx2.rs",
    "net/int8/mod.rs",
    "net/int8/simd128.rs",
    "net/int8/vnni.rs",
    "search/budget.rs",
    "search/cache.rs",
    "search/decision.rs",
    "search/diversity.rs",
    "search/evaluator.rs",
    "search/expand.rs",
    "search/halving.rs",
    "search/mod.rs",
    "search/network.rs",
    "search/node.rs",
    "search/outcome.rs",
    "search/play.rs",
    "search/proof.rs",
    "search/rollout.rs",
    "search/root.rs",
    "search/selection.rs",
    "search/settings.rs",
    "search/simulate.rs",
    "search/tree.rs",
    "search/uniform.rs",
    "search/utility.rs",
    "search/variation.rs",
    "protocol/action.rs",
    "protocol/mod.rs",
    "protocol/observation.rs",
    "protocol/respond.rs",
    "protocol/json/mod.rs",
    "protocol/json/parser.rs",
    "protocol/json/write.rs",
    "protocol/lines.rs",
    "export/submission.rs",
];

/// The top-level modules of the file.
const MODULES: [&str; 8] = ["float", "mix", "board", "solver", "net", "search", "bots", "protocol"];

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
    source += "\n#[allow(dead_code)]\n";
    source += &nested("mod submission {", &flattened("export/submission.rs", 1));
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
    FILES.iter().find(|(name, _)| *name == file).map(|(_, text)| *text)
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
    use std::path::Path;

    #[test]
    fn every_file_of_the_core_is_listed_or_holds_tests() {
        fn list(folder: &Path, files: &mut Vec<String>) {
            for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    list(&entry, files);
                } else {
                    let name = entry.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
                    files.push(name.to_str().unwrap().replace('\\', "/"));
                }
            }
        }
        let mut files = vec!["float.rs".to_string(), "mix.rs".to_string(), "export/submission.rs".to_string()];
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        MODULES[2..].iter().for_each(|module| list(&source.join(module), &mut files));
        let tests = ["solver/tests.rs", "solver/large_boards.rs", "search/tests.rs", "search/golden.rs"];
        files.retain(|file| !tests.contains(&file.as_str()));
        files.sort();
        let mut listed: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
        listed.sort_unstable();
        assert_eq!(files, listed);
    }

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
