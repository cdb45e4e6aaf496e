//! Nothing that a game depends on uses a function whose result may differ between platforms.

use std::fs;

use crate::common::repository;

/// The functions of the standard library whose precision is left open.
const IMPRECISE: [&str; 24] = [
    "exp", "exp2", "exp_m1", "ln", "ln_1p", "log", "log2", "log10", "powf", "powi", "sin", "cos", "sin_cos", "tan",
    "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "cbrt", "hypot", "gamma",
];

/// The files that may use them: nothing that a game, a label, a score or the initial weights depend on.
const REPORTS_AND_LEARNING: [&str; 5] = [
    "crates/arena/src/statistics/elo.rs",
    "crates/arena/src/statistics/rating.rs",
    "crates/arena/src/statistics/seeds.rs",
    "crates/run/src/config/course.rs",
    "crates/train/src/learn/loss.rs",
];

#[test]
fn games_use_no_function_of_open_precision() {
    let (mut files, mut folders) = (Vec::new(), vec![repository("src"), repository("crates")]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() { folders.push(entry) } else { files.push(entry) }
        }
    }
    let mut allowed = 0;
    for path in files.iter().filter(|path| path.extension().is_some_and(|end| end == "rs")) {
        let text = fs::read_to_string(path).unwrap().replace("\r\n", "\n");
        let name = path.strip_prefix(repository("")).unwrap().display().to_string().replace('\\', "/");
        let is_test = name.ends_with("tests.rs") || name.ends_with("golden.rs");
        let text = if is_test { "" } else { text.split("#[cfg(test)]\nmod ").next().unwrap() };
        let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let uses = |function: &&str| {
            let paths = [format!("f32::{function}"), format!("f64::{function}")];
            code.contains(&format!(".{function}("))
                || paths.iter().any(|path| {
                    // As a whole word.
                    code.match_indices(path)
                        .any(|(at, _)| !code[at + path.len()..].starts_with(|c: char| c == '_' || c.is_alphanumeric()))
                })
        };
        let used: Vec<&str> = IMPRECISE.into_iter().filter(uses).collect();
        match REPORTS_AND_LEARNING.contains(&name.as_str()) {
            true => allowed += !used.is_empty() as usize,
            false => assert!(used.is_empty(), "{name} uses {used:?}; see crates/core/src/float.rs"),
        }
    }
    assert_eq!(allowed, REPORTS_AND_LEARNING.len(), "a file is allowed what it does not use");
}
