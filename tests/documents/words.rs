//! Code and documents keep to the words of CONTRIBUTING.md, in American spelling.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::repository;

/// Parts of words that are spelled otherwise in American English. A word may go on behind them.
const BRITISH: [&str; 38] = [
    "analyse ",
    "analysed",
    "analysing",
    "artefact",
    "behaviour",
    "cancelled",
    "cancelling",
    "catalogue",
    "centre",
    "colour",
    "defence",
    "favour",
    "generalis",
    "grey",
    "honour",
    "initialis",
    "judgement",
    "labelled",
    "labelling",
    "learnt",
    "licence",
    "maximis",
    "memoris",
    "minimis",
    "misspelt",
    "modelled",
    "modelling",
    "neighbour",
    "normalis",
    "optimis",
    "organis",
    "quantis",
    "randomis",
    "recognis",
    "summaris",
    "travelled",
    "vectoris",
    "whilst",
];

/// Words that hold such a part and are right.
const RIGHT: [&str; 3] = ["labelledby", "optimist", "pessimist"];

/// Folders that hold no text of this project's own.
const SKIPPED: [&str; 9] =
    ["target", "runs", "dist", "node_modules", ".git", "seeds", "reference", "foreign", "proofs"];

/// Files that name such words.
const EXEMPT: [&str; 3] = ["CONTRIBUTING.md", "display-license.txt", "words.rs"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            if !SKIPPED.contains(&name.as_str()) {
                files(&path, found);
            }
            continue;
        }
        let is_text = [".rs", ".md", ".js", ".mjs", ".ts", ".html", ".css", ".py", ".toml", ".txt"]
            .iter()
            .any(|ending| name.ends_with(ending));
        if is_text && !EXEMPT.contains(&name.as_str()) {
            found.push(path);
        }
    }
}

/// The words of the last column of the table under "Words".
fn avoided() -> Vec<String> {
    let text = fs::read_to_string(repository("CONTRIBUTING.md")).unwrap();
    let section = text.split("\n## Words\n").nth(1).expect("a section Words").split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| ")).skip(1);
    let words: Vec<String> = rows
        .filter_map(|row| row.trim_end_matches('|').rsplit('|').next().map(str::trim))
        .flat_map(|cell| cell.split(", ").map(str::to_lowercase))
        .filter(|word| !word.is_empty())
        .collect();
    assert!(words.len() > 15, "{words:?}");
    words
}

/// Returns `true` if `line` has `word` as a whole word. Underscores and dashes end a word.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

#[test]
fn one_word_for_one_thing_in_american_spelling() {
    let mut paths = Vec::new();
    files(&repository(""), &mut paths);
    assert!(paths.len() > 500, "{} files", paths.len());
    let avoided = avoided();
    let mut found = Vec::new();
    for path in paths {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for (number, line) in text.lines().enumerate() {
            let line = RIGHT.iter().fold(line.to_lowercase(), |line, right| line.replace(right, ""));
            let british = BRITISH.iter().filter(|part| line.contains(**part)).map(|part| part.to_string());
            let other = avoided.iter().filter(|word| has_word(&line, word)).cloned();
            for word in british.chain(other) {
                found.push(format!("{}:{}: {word}", path.display(), number + 1));
            }
        }
    }
    assert!(found.is_empty(), "words that CONTRIBUTING.md avoids:\n{}", found.join("\n"));
}

#[test]
fn a_word_is_found_as_a_whole() {
    assert!(has_word("the loan of it", "loan") && has_word("a_loan", "loan") && has_word("loan", "loan"));
    assert!(!has_word("loans", "loan") && !has_word("reloan", "loan"));
}
