//! `doublecross puzzles`: a small set is made, the page's set is proved, and damage is found.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{repository, run, succeed};

const MAKE: [&str; 9] = ["puzzles", "--board", "2x3", "--board", "3x3", "--games", "30", "--count", "16"];

/// Makes puzzles on this number of threads and returns the file.
fn make(folder: &Path, threads: &str) -> String {
    succeed(folder, &[&MAKE[..], &["--threads", threads, "--quiet"]].concat())
}

fn puzzles(text: &str) -> Vec<Value> {
    serde_json::from_str::<Value>(text).unwrap()["puzzles"].as_array().unwrap().clone()
}

#[test]
fn the_same_options_make_the_same_puzzles() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let text = make(folder, "1");
    assert_eq!(text, make(folder, "3"));
    let out = [&MAKE[..], &["-o", "puzzles.json"]].concat();
    assert!(succeed(folder, &out).is_empty());
    assert_eq!(fs::read_to_string(folder.join("puzzles.json")).unwrap(), text);
    // What stands there is kept, unless it may be overwritten.
    fs::write(folder.join("puzzles.json"), "mine").unwrap();
    assert_eq!(run(folder, &out).status.code(), Some(2));
    assert_eq!(fs::read_to_string(folder.join("puzzles.json")).unwrap(), "mine");
    succeed(folder, &[&out[..], &["--force"]].concat());
    assert_eq!(fs::read_to_string(folder.join("puzzles.json")).unwrap(), text);
    assert_eq!(puzzles(&text).len(), 16);
    assert_ne!(text, succeed(folder, &[&MAKE[..], &["--seed", "2", "-q"]].concat()));
    let fives = succeed(folder, &["puzzles", "--board", "3x3", "--games", "30", "--count", "3", "--level", "5", "-q"]);
    assert_eq!(puzzles(&fives).iter().map(|puzzle| &puzzle["level"]).collect::<Vec<_>>(), [5, 5, 5]);
    assert_eq!(succeed(folder, &["puzzles", "--check", "puzzles.json"]), "16 puzzles: 16 correct, 0 wrong\n");
}

/// The page's set is proved whole, and holds what a person should find there.
#[test]
fn the_puzzles_of_the_page_are_right() {
    let scratch = tempfile::tempdir().unwrap();
    let path = repository("site/puzzles.json");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.len() < 40_000, "{} bytes", text.len());
    let puzzles = puzzles(&text);
    assert_eq!((puzzles.len(), text.lines().count()), (240, 242));
    let told = succeed(scratch.path(), &["puzzles", "--check", path.to_str().unwrap()]);
    assert_eq!(told, "240 puzzles: 240 correct, 0 wrong\n");
    let mut of_level: BTreeMap<u64, usize> = BTreeMap::new();
    for puzzle in &puzzles {
        *of_level.entry(puzzle["level"].as_u64().unwrap()).or_default() += 1;
    }
    // Level 9 grades no puzzle.
    assert!(
        (1..=10).filter(|level| *level != 9).all(|level| of_level.get(&level).is_some_and(|&count| count >= 20)),
        "{of_level:?}"
    );
    for theme in ["take", "control", "safe", "sacrifice", "open"] {
        assert!(puzzles.iter().filter(|puzzle| puzzle["theme"] == theme).count() >= 15, "{theme}");
    }
    for board in ["3x3/", "4x4/", "5x5/"] {
        let is_meant = |puzzle: &&Value| puzzle["game"].as_str().unwrap().starts_with(board);
        assert!(puzzles.iter().filter(is_meant).count() >= 40, "{board}");
    }
}

#[test]
fn wrong_puzzles_are_found_and_damaged_files_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let text = make(folder, "2");
    let first = puzzles(&text)[0].clone();
    let check = |text: &str| {
        fs::write(folder.join("changed.json"), text).unwrap();
        let output = run(folder, &["puzzles", "--check", "changed.json"]);
        let [printed, errors] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (output.status.code().unwrap(), printed, errors)
    };
    fs::write(folder.join("whole.json"), &text).unwrap();
    let (edge, margin) = (first["edges"][0].as_str().unwrap(), first["margin"].as_i64().unwrap());
    let another = if edge == "H0,0" { "H0,1" } else { "H0,0" };
    for (old, new, part) in [
        (format!("\"margin\":{margin}"), format!("\"margin\":{}", margin + 2), "margin"),
        (format!("\"next\":{}", first["next"]), "\"next\":-99".into(), "-99"),
        (format!("\"level\":{}", first["level"]), "\"level\":9".into(), "level"),
        (format!("\"theme\":{}", first["theme"]), "\"theme\":\"sacrifice\"".into(), "sacrifice"),
        (format!("[\"{edge}\""), format!("[\"{another}\""), another),
    ] {
        let (status, printed, errors) = check(&text.replacen(&old, &new, 1));
        assert_eq!(status, 3, "{old}: {printed}{errors}");
        assert!(printed.starts_with("puzzle 1: ") && printed.contains(part), "{printed}");
        assert!(
            printed.ends_with("16 puzzles: 15 correct, 1 wrong\n") && errors.contains("1 of 16"),
            "{printed}{errors}"
        );
    }
    // A budget that is too small shows nothing of the file.
    let output = run(folder, &["puzzles", "--check", "whole.json", "--nodes", "1"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.code() == Some(5) && printed.contains("0 wrong, ") && printed.contains("--nodes"),
        "{printed}"
    );
    let game = first["game"].as_str().unwrap();
    // Nothing is known of an early position of a large board, and that no move wins needs no other one.
    let of_first = |part: &str| puzzles(&text)[0][part].to_string();
    for (changed, status, part) in [
        (text.replacen(game, "9x9/", 1), 5, "out of the solver's reach"),
        (
            text.replacen(&format!("\"edges\":{}", of_first("edges")), "\"edges\":[]", 1).replacen(game, "1x1/", 1),
            3,
            "none",
        ),
    ] {
        let (found, printed, errors) = check(&changed);
        assert!(found == status && printed.contains(part), "{part}: {printed}{errors}");
    }
    for (changed, part) in [
        (text[..text.len() / 2].to_string(), "changed.json"),
        (text.replacen("\"format\":1", "\"format\":7", 1), "7"),
        (text.replacen(game, &format!("{game}zz"), 1), "puzzle 1"),
        (text.replacen("\"theme\"", "\"topic\"", 1), "theme"),
    ] {
        let (status, printed, errors) = check(&changed);
        assert_eq!((status, printed.as_str()), (2, ""), "{errors}");
        assert!(errors.contains(part) && errors.lines().count() == 1, "{errors}");
    }
}
