//! `doublecross solve`: scores, limits, interruption, and a log that survives a kill.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{DOUBLECROSS, Running, json, program, run, succeed, wait_until};
use serde_json::Value;

/// A position with 54 undrawn edges, which cannot be settled in a second.
const DEEP: &str = "5x5:0x100040004000811";

#[test]
fn the_score_decides_the_outcome() {
    let folder = tempfile::tempdir().unwrap();
    // Two boxes are closed, and the player to move loses the rest by 3.
    for (score, outcome) in [("2-0", "loss"), ("0-2", "loss")] {
        let arguments = ["solve", "5x5:0x37651497f4c5f2c", "--json", "--score", score];
        let answer = json(&succeed(folder.path(), &arguments));
        assert_eq!((&answer["margin"], &answer["outcome"]), (&Value::from(-3), &Value::from(outcome)));
    }
    // One box is closed, and the player to move takes the other one.
    for (score, outcome) in [("1-0", "win"), ("0-1", "tie")] {
        let answer = json(&succeed(folder.path(), &["solve", "1x2:0x35", "--json", "--score", score]));
        assert_eq!((&answer["margin"], &answer["outcome"]), (&Value::from(1), &Value::from(outcome)));
    }
    let text = succeed(folder.path(), &["solve", "3x4", "--score", "0-0", "--moves"]);
    assert!(text.contains("margin +0 (tie at 0-0), best V0,2 (18), V1,2 (23), V2,2 (28)"), "{text}");
    assert!(text.contains("safe edges: 31; chains: none; loops: none") && text.contains("control:"), "{text}");
    for (option, value) in [
        ("--score", "1-0"),
        ("--score", "one"),
        ("--table", "12Q"),
        ("--seconds", "soon"),
        ("--threads", "0"),
        ("--log", "/"),
    ] {
        let output = run(folder.path(), &["solve", "2x2", option, value]);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{option} {value}: {errors}");
        assert!(errors.contains(value), "{option} {value}: {errors}");
    }
}

/// A game whose moves are arguments of their own is refused, with the command that solves it.
#[test]
fn a_game_without_quotes_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, command) in [
        (&["solve", "2x2", "H0,0", "--moves"][..], "solve '2x2 H0,0' --moves"),
        (&["book", "show", "5x5", "H0,0", "V1,2"], "book show '5x5 H0,0 V1,2'"),
    ] {
        let output = run(folder.path(), arguments);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(&format!("doublecross {command}")) && output.stdout.is_empty(), "{errors}");
        let script = format!("{DOUBLECROSS} {command}");
        assert!(Command::new("sh").args(["-c", &script]).output().unwrap().status.success(), "{script}");
    }
}

/// With known bounds the same margin takes fewer nodes.
#[test]
fn known_bounds_are_not_proved_again() {
    let folder = tempfile::tempdir().unwrap();
    let solve = |known: &[&str]| {
        let arguments = ["solve", "3x3", "--threads", "1", "--json"];
        json(&succeed(folder.path(), &[&arguments, known].concat()))
    };
    let (fresh, upper, closed) = (solve(&[]), solve(&["--known", "..-1"]), solve(&["--known", "-3..-3"]));
    for answer in [&fresh, &upper, &closed] {
        assert_eq!((&answer["margin"], answer["best"].as_array().map(Vec::len)), (&Value::from(-3), Some(24)));
    }
    assert!(upper["nodes"].as_u64() < fresh["nodes"].as_u64());
    assert!(closed["nodes"].as_u64() < upper["nodes"].as_u64());
    for known in ["4..0", "soon", "-2..-2"] {
        let output = run(folder.path(), &["solve", "3x3", "--known", known]);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{known}: {errors}");
        assert!(errors.contains("--known"), "{known}: {errors}");
    }
}

#[test]
fn limits_leave_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let started = Instant::now();
    let answer = json(&succeed(folder.path(), &["solve", DEEP, "--seconds", "0.5", "--json", "--moves"]));
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!((&answer["settled"], &answer["margin"]), (&Value::Bool(false), &Value::Null));
    assert!(answer["lower"].as_i64() < answer["upper"].as_i64());
    assert!(!answer["moves"].as_array().unwrap().is_empty());
}

#[test]
fn a_killed_solve_resumes_from_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let arguments = ["solve", DEEP, "--table", "1M", "--log", "log", "--log-from", "100"];
    let child = program(folder.path()).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let child = Running(child);
    wait_until("lemmas are logged", || fs::metadata(&log).is_ok_and(|log| log.len() > 2000));
    drop(child);
    let output = run(folder.path(), &[&arguments[..], &["--seconds", "0.3", "--json"]].concat());
    assert!(String::from_utf8(output.stderr).unwrap().contains("lemmas, which are believed"));
    assert_eq!(json(&String::from_utf8(output.stdout).unwrap())["settled"], false);
    let output = run(folder.path(), &["solve", "4x4", "--table", "1M", "--log", "log"]);
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(["log, line 1", "5x5:", "4x4"].iter().all(|part| errors.contains(part)), "{errors}");
}

/// Solves that a signal ends.
#[cfg(unix)]
mod interrupted {
    use std::path::Path;

    use super::*;
    use crate::common::signal;

    /// Starts to solve positions, and waits until something is logged.
    fn solve_until_logged(log: &Path, positions: &[&str]) -> Running {
        let mut command = program(Path::new("."));
        command.arg("solve").args(positions).args(["--json", "--table", "1M", "--log-from", "100", "--log"]).arg(log);
        let child = Running(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
        wait_until("lemmas are logged", || fs::metadata(log).is_ok_and(|log| log.len() > 2000));
        child
    }

    #[test]
    fn an_interrupt_ends_with_the_bounds_proved_so_far() {
        let folder = tempfile::tempdir().unwrap();
        let child = solve_until_logged(&folder.path().join("log"), &[DEEP]);
        signal(&child.0, "-INT");
        let output = child.output();
        assert_eq!(output.status.code(), Some(130));
        let answer = json(&String::from_utf8(output.stdout).unwrap());
        assert_eq!(answer["settled"], false);
        assert!(answer["nodes"].as_u64() > Some(1000));
    }

    /// An interrupt ends the whole command, not one position.
    #[test]
    fn an_interrupt_ends_all_positions() {
        let folder = tempfile::tempdir().unwrap();
        let child = solve_until_logged(&folder.path().join("log"), &[DEEP; 3]);
        signal(&child.0, "-INT");
        let output = child.output();
        assert_eq!(output.status.code(), Some(130));
        assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 1);
    }
}
