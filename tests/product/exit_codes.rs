//! The exit statuses of docs/command-line.md, and what a command prints to which stream.

use std::fs;
use std::process::{Command, Output, Stdio};

use crate::common::{Running, json, program, progress, repository, run, succeed, train, wait_until};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Every status that the page lists, for each command that can end with it.
#[test]
fn each_end_has_its_status() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let smoke = repository("configs/smoke.toml").display().to_string();
    let checkpoint = repository("checkpoints/3x3").display().to_string();
    fs::write(folder.join("file"), "").unwrap();
    fs::write(folder.join("bad.toml"), "[learn]\nbatch = \"x\"\n").unwrap();
    succeed(folder, &["match", "first", "random", "--board", "1x1", "--games", "2", "--log", "games.jsonl", "-q"]);
    let log = fs::read_to_string(folder.join("games.jsonl")).unwrap();
    fs::write(folder.join("damaged.jsonl"), format!("{log}no game\n")).unwrap();
    for (status, arguments, part) in [
        (0, &["solve", "2x2"][..], ""),
        (0, &["match", "first", "random", "--board", "1x1", "--games", "2"], ""),
        (0, &["replay", "games.jsonl"], ""),
        (0, &["leaderboard", "games.jsonl"], ""),
        (0, &["puzzles", "--board", "1x2", "--games", "2"], "only 0 of 240 puzzles"),
        (0, &["bot", "first"], ""),
        (0, &["eval", &checkpoint, "--sims", "1"], ""),
        (0, &["export", &checkpoint, "--to", "out", "--form", "safetensors"], ""),
        (0, &["serve", "--export", "page"], ""),
        (0, &["completions", "bash"], ""),
        (0, &["man"], ""),
        (0, &["--help"], ""),
        (0, &["train", "--help"], ""),
        (0, &["--version"], ""),
        (1, &["match", "first", "random", "--games", "2", "--log", "nowhere/log"], "cannot write nowhere/log"),
        (1, &["train", &smoke, "--run", "file/run"], "file/run"),
        (1, &["puzzles", "--out", "nowhere/puzzles"], "cannot write nowhere/puzzles"),
        (3, &["replay", "damaged.jsonl"], "damaged lines: 1"),
        (3, &["solve", "2x2", "2x2:zz"], "refused positions: 1 of 2"),
        (4, &["match", "exec:exit 3", "first", "--board", "1x1", "--games", "2"], "acted on none of its own turns"),
        (0, &["match", "exec:exit 3", "first", "--board", "1x1", "--games", "2", "--allow-faults"], ""),
        (2, &["nonsense"], "unrecognized subcommand 'nonsense'"),
        (2, &["solve"], "<POSITION>"),
        (2, &["solve", "2x2:0x"], ""),
        (2, &["solve", "2x2", "--log", "file/log"], "cannot write file/log"),
        (2, &["solve", "2x2", "--table", "0"], "4K to 1024G"),
        (2, &["solve", "2x2", "--nonsense"], "'--nonsense'"),
        (2, &["match", "first"], "2 values required"),
        (2, &["match", "first", "greddy"], "greddy"),
        (
            2,
            &["match", "first", "random", "--games", "-2"],
            "'-2' for '--games <N>': expected a whole number of 0 or more",
        ),
        (
            2,
            &["match", "first", "random", "--games=-2"],
            "'-2' for '--games <N>': expected a whole number of 0 or more",
        ),
        (
            2,
            &["match", "first", "random", "--board", "1x1", "--opening", "5"],
            "--opening: an opening of 5 edges on 1x1; expected at most 4",
        ),
        (2, &["solve", "2x2", "--threads", "-1"], "-1 is not in 1..="),
        (2, &["match", "first", "random", "--threads", "0"], "0 is not in 1..="),
        (2, &["prove", "check", "file", "--threads", "0"], "0 is not in 1..="),
        (2, &["bench", "--games", "-1"], "-1 is not in 1..="),
        (2, &["train", "bad.toml"], "bad.toml"),
        (2, &["train", &smoke, "--run", "zero", "--set", "board=0x0"], "a board of 0x0 boxes has no box"),
        (2, &["train", &smoke, "--run", "zero", "--set", "board=33"], "expected"),
        (2, &["bench", "--set", "board=0x0"], "a board of 0x0 boxes has no box"),
        (2, &["replay", "nowhere"], "nowhere"),
        (2, &["leaderboard", "nowhere"], "nowhere"),
        (2, &["puzzles", "--check", "nowhere"], "cannot read nowhere"),
        (2, &["puzzles", "--check", "file"], "file: not a file of puzzles"),
        (2, &["puzzles", "--check", "file", "--count", "1"], "cannot be used with"),
        (2, &["puzzles", "--level", "11"], "11 is not in 1..=10"),
        (2, &["puzzles", "--out", "."], "it is a folder"),
        (2, &["bot", "nonsense"], "nonsense"),
        (2, &["export", &checkpoint, "--to", "file"], "it is a file"),
        (2, &["serve", "nowhere"], "nowhere"),
        (2, &["completions", "cmd"], "cmd"),
        (2, &["solve", "2x2", "--color", "blue"], "blue"),
        (2, &["solve", "2x2", "--quiet", "--verbose"], "--verbose"),
    ] {
        let output = run(folder, arguments);
        let (printed, errors) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {errors}");
        assert!(errors.contains(part), "{arguments:?}: {errors}");
        if status == 2 {
            assert!(printed.is_empty() && errors.lines().count() == 1, "{arguments:?}: {printed}{errors}");
            assert!(errors.starts_with("doublecross: "), "{errors}");
        }
    }
    for (status, arguments, part) in [
        (0, &["fleet", "init", "fleet", "--workers", "1"][..], ""),
        (2, &["fleet", "init", "fleet"], "fleet is not empty"),
        (2, &["fleet", "init", "new", "--host", "a b"], "host \"a b\": expected a name or an IP address"),
        (2, &["fleet", "init", "new", "--port", "0"], "0 is not in 1..="),
        (2, &["fleet", "init", "new", "--workers", "-1"], "-1 is not in 0..="),
        (1, &["fleet", "init", "file/new"], "cannot write file/new"),
        (0, &["fleet", "key", "fleet", "laptop"], ""),
        (2, &["fleet", "key", "fleet", "laptop"], "laptop has a key already"),
        (2, &["fleet", "key", "fleet", "Lap/top"], "expected 1 to 32 of the characters"),
        (2, &["fleet", "key", "fleet", "boss", "--role", "coordinator"], "worker, observer"),
        (2, &["fleet", "key", "nowhere", "laptop"], "cannot read nowhere/fleet.toml"),
        (2, &["fleet", "revoke", "fleet", "coordinator"], "is the coordinator"),
        (0, &["fleet", "revoke", "fleet", "laptop"], ""),
        (2, &["fleet", "revoke", "fleet", "laptop"], "expected one of coordinator, observer, worker-1"),
    ] {
        let output = run(folder, arguments);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {errors}");
        assert!(errors.contains(part) && errors.lines().count() == usize::from(status > 0), "{arguments:?}: {errors}");
    }
    assert!(!folder.join("new").exists(), "a refused command writes nothing");
    assert!(!folder.join("zero").exists(), "a refused command writes nothing");
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
fn colours_are_for_terminals_and_those_who_ask() {
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
    assert!(fs::read_to_string(folder.join("man1/doublecross-train.1")).unwrap().contains("\\-\\-rows"));
    let version = concat!("doublecross ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(succeed(folder, &["-V"]), version);
    let long = succeed(folder, &["--version"]);
    assert!(long.starts_with(version) && long.contains("\ncommit: ") && long.contains("\ninstruction set: "), "{long}");
    let output = program(folder).arg("--version").env("DOUBLECROSS_ISA", "portable").output().unwrap();
    assert!(text(&output.stdout).contains("\ninstruction set: portable (of portable"));
}
