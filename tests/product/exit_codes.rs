//! The exit statuses of docs/command-line.md, and what a command prints to which stream.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};

use crate::common::{Running, json, program, progress, repository, run, succeed, train, wait_until};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Every command that can succeed with a line. Those that fail are in `messages.rs`.
#[test]
fn a_command_that_succeeds_has_status_0() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let checkpoint = repository("checkpoints/3x3").display().to_string();
    for arguments in [
        &["solve", "2x2"][..],
        &["match", "first", "random", "--board", "1x1", "--games", "2", "--log", "games.jsonl"],
        &["match", "exec:exit 3", "first", "--board", "1x1", "--games", "2", "--allow-faults"],
        &["replay", "games.jsonl"],
        &["leaderboard", "games.jsonl"],
        &["puzzles", "--board", "1x2", "--games", "2"],
        &["bot", "first"],
        &["eval", &checkpoint, "--sims", "1"],
        &["export", &checkpoint, "--to", "out", "--form", "safetensors"],
        &["serve", "--export", "page"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
        &["train", "--help"],
        &["--version"],
        &["fleet", "init", "fleet", "--workers", "1"],
        &["fleet", "key", "fleet", "laptop"],
        &["fleet", "revoke", "fleet", "laptop"],
    ] {
        succeed(folder, arguments);
    }
}

/// A signal ends each command that works for long with status 130, after what was done is printed.
#[cfg(unix)]
#[test]
fn an_interrupted_command_has_status_130() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let interrupted = |arguments: &[&str], signal: &str, is_at_work: &mut dyn FnMut() -> bool| -> Output {
        let mut command = program(folder);
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = Running(command.spawn().unwrap());
        wait_until("the command works", is_at_work);
        crate::common::signal(&child.0, signal);
        let output = child.output();
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{arguments:?}: {errors}");
        assert!(errors.contains("doublecross: interrupted"), "{arguments:?}: {errors}");
        output
    };
    let lines = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default().lines().count();
    let games = ["match", "mcts:50", "random", "--board", "2x2", "--games", "1000000", "--json", "--log", "log"];
    let output = interrupted(&games, "-INT", &mut || lines("log") >= 2);
    assert!(json(&text(&output.stdout))["pairs"][0]["games"].as_u64().unwrap() >= 2);
    let solve = ["solve", "5x5", "--json", "--table", "1M", "--log-from", "100", "--log", "proof.log"];
    let output =
        interrupted(&solve, "-TERM", &mut || fs::metadata(folder.join("proof.log")).is_ok_and(|log| log.len() > 0));
    assert_eq!(json(&text(&output.stdout))["settled"], false);
    // The program opens the pipe as soon as it is at work.
    let (path, mut pipe) = (folder.join("pipe"), None);
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    interrupted(&["puzzles", "--check", "pipe"], "-INT", &mut || {
        pipe = fs::File::options().write(true).open(&path).ok();
        pipe.is_some()
    });
    let smoke = repository("configs/smoke.toml").display().to_string();
    let long = ["--set", "generations=100000", "--set", "finish.games=0"];
    for signal in ["-INT", "-TERM"] {
        let run = format!("a run{signal}");
        let train = [&["train", &smoke, "--run", &run][..], &long].concat();
        let output = interrupted(&train, signal, &mut || !progress(&folder.join(&run)).is_empty());
        let errors = text(&output.stderr);
        let advice = format!("doublecross: interrupted; resume with: doublecross train '{run}'");
        assert_eq!(errors.lines().last(), Some(&*advice), "{errors}");
        // The advice holds.
        let done = progress(&folder.join(&run)).len();
        let target = format!("generations={}", done + 1);
        succeed(folder, &["train", &run, "--set", &target]);
        assert_eq!(progress(&folder.join(&run)).len(), done + 1);
    }
}

/// A page that is served until a signal comes has ended as asked.
#[cfg(unix)]
#[test]
fn a_page_that_is_no_longer_served_has_status_0() {
    let scratch = tempfile::tempdir().unwrap();
    for signal in ["-INT", "-TERM"] {
        let mut command = program(scratch.path());
        command.args(["serve", "--port", "0"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = Running(command.spawn().unwrap());
        let mut line = String::new();
        BufReader::new(child.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        crate::common::signal(&child.0, signal);
        let output = child.output();
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{signal}");
    }
}

/// With --quiet, a command that succeeds prints its result on stdout and nothing on stderr.
#[test]
fn a_quiet_command_prints_its_result_alone() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let smoke = repository("configs/smoke.toml").display().to_string();
    for arguments in [
        &["match", "first", "random", "greedy", "--board", "1x2", "--games", "2", "--json", "--quiet"][..],
        &["--quiet", "solve", "2x2", "--json"],
        &["solve", "-q", "2x2", "--json"],
    ] {
        let output = run(folder, arguments);
        assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?}: {}", text(&output.stderr));
        json(&text(&output.stdout));
    }
    let output = run(folder, &["train", &smoke, "--run", "run", "--quiet", "--set", "finish.games=0"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    // Errors are printed all the same.
    let output = run(folder, &["solve", "10x10", "--quiet"]);
    assert!(text(&output.stderr).starts_with("doublecross: "));
    let output = run(folder, &["match", "first", "random", "--board", "1x1", "--games", "2", "--json", "--verbose"]);
    assert!(text(&output.stderr).starts_with("doublecross 0."), "{}", text(&output.stderr));
    json(&text(&output.stdout));
}

/// Training's lines fit a terminal of 80 columns and say how far the run is.
#[test]
fn training_reports_in_short_lines() {
    let scratch = tempfile::tempdir().unwrap();
    let output = train(scratch.path(), "run", &["finish.games=0", "generations=2"]).output().unwrap();
    let errors = text(&output.stderr);
    assert!(errors.lines().all(|line| line.chars().count() <= 80), "{errors}");
    assert!(errors.contains("generation 1/2, ") && errors.contains(" left: policy loss "), "{errors}");
    assert!(errors.contains("\ngeneration 2/2: policy loss ") && errors.contains("\n  suite: policy "), "{errors}");
}

#[test]
fn colors_are_for_terminals_and_those_who_ask() {
    let scratch = tempfile::tempdir().unwrap();
    let is_colored = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = program(scratch.path());
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        let output = command.args(arguments).envs(variables.iter().copied()).output().unwrap();
        [output.stdout, output.stderr].concat().contains(&0x1b)
    };
    for arguments in [&["solve", "10x10"][..], &["solve", "--help"]] {
        let with = |option| [arguments, &["--color", option]].concat();
        assert!(!is_colored(arguments, &[]), "{arguments:?}");
        assert!(is_colored(arguments, &[("CLICOLOR_FORCE", "1")]), "{arguments:?}");
        assert!(!is_colored(arguments, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), "{arguments:?}");
        assert!(is_colored(&with("always"), &[("NO_COLOR", "1")]), "{arguments:?}");
        assert!(!is_colored(&with("never"), &[("CLICOLOR_FORCE", "1")]), "{arguments:?}");
    }
}

/// Help fits 80 columns where the terminal has as many.
#[test]
fn help_is_readable_at_80_columns() {
    let scratch = tempfile::tempdir().unwrap();
    let commands = [
        "train",
        "eval",
        "match",
        "replay",
        "leaderboard",
        "solve",
        "puzzles",
        "bot",
        "export",
        "serve",
        "bench",
        "fleet",
        "fleet init",
        "fleet key",
        "fleet revoke",
        "completions",
        "man",
    ];
    for (command, columns) in [""].iter().chain(&commands).flat_map(|command| [(command, "80"), (command, "200")]) {
        let arguments: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let output = program(scratch.path()).args(&arguments).env("COLUMNS", columns).output().unwrap();
        let help = text(&output.stdout);
        // What follows the options is laid out by hand.
        let tail = ["\nExamples:", "\nThe same command"].iter().find_map(|start| help.find(start));
        let tail = tail.map_or("", |at| &help[at..]);
        let part = if columns == "80" { &help } else { tail };
        let long: Vec<&str> = part.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(long.is_empty(), "{command}: {long:#?}");
    }
}

#[test]
fn completions_manual_pages_and_versions_are_printed() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = succeed(folder, &["completions", shell]);
        for word in ["leaderboard", "--suite", "--quiet"] {
            assert!(script.contains(word.trim_start_matches('-')), "{shell}: {word}");
        }
    }
    let page = succeed(folder, &["man"]);
    assert!(page.contains(".TH doublecross 1") && page.contains("doublecross\\-train"), "{page:.300}");
    let listed = succeed(folder, &["man", "--to", "man1"]);
    for name in ["doublecross.1", "doublecross-train.1", "doublecross-man.1"] {
        assert!(listed.contains(name) && folder.join("man1").join(name).is_file(), "{listed}");
    }
    assert!(folder.join("man1/doublecross-fleet-init.1").is_file());
    assert!(fs::read_to_string(folder.join("man1/doublecross-train.1")).unwrap().contains("\\-\\-samples"));
    let version = concat!("doublecross ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(succeed(folder, &["-V"]), version);
    let long = succeed(folder, &["--version"]);
    assert!(long.starts_with(version) && long.contains("\ncommit: ") && long.contains("\ninstruction set: "), "{long}");
    let output = program(folder).arg("--version").env("DOUBLECROSS_ISA", "portable").output().unwrap();
    assert!(text(&output.stdout).contains("\ninstruction set: portable (of portable"));
}
