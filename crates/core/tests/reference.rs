//! The reference programs in `tests/reference`, and the golden trees that they print.

#[path = "../../../tests/common/tools.rs"]
#[allow(dead_code)]
mod tools;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tools::has_python;

/// A file of this crate.
fn in_crate(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Runs a program of the folder and returns its stdout, or `None` if there is no python3. With the
/// environment variable `DOUBLECROSS_REQUIRE_TOOLS` set to 1, a missing python3 fails the test.
fn output_of(program: &str) -> Option<String> {
    if !has_python() {
        return None;
    }
    let path = in_crate("tests/reference").join(program);
    let output = Command::new("python3").arg("-B").arg(path).output().expect("python3 starts");
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).expect("text on stdout"))
}

#[test]
fn the_golden_trees_match_the_reference() {
    let Some(printed) = output_of("search.py") else { return };
    // A checkout may have changed the line breaks.
    let committed = fs::read_to_string(in_crate("tests/reference/golden.tsv")).unwrap().replace("\r\n", "\n");
    assert!(printed == committed, "golden.tsv is not what search.py prints; search.py --write writes it");
}

#[test]
fn the_moves_of_the_reference_agree_with_minimax() {
    let Some(printed) = output_of("board.py") else { return };
    assert!(printed.ends_with("3x3, border drawn: 4096 positions agree\n"), "{printed}");
}
