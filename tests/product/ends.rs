//! Ends by a signal: within a second, whatever is being computed, with what was finished.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{DOUBLECROSS, Running, json, program, repository, signal, succeed, wait_until};

/// The time that an end may take, on a machine with much other work. What is ended would take hours.
const SOON: Duration = Duration::from_secs(10);

fn start(folder: &Path, arguments: &[&str]) -> Child {
    let mut command = program(folder);
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Ends a program with a signal and returns its output.
fn end(child: Child, how: &str) -> Output {
    signal(&child, how);
    let start = Instant::now();
    let output = Running(child).output();
    assert!(start.elapsed() < SOON, "ended after {:?}", start.elapsed());
    output
}

/// Moves that take hours, each in another way.
#[test]
fn a_search_that_takes_hours_ends_at_once() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let checkpoint = repository("checkpoints/5x5");
    let checkpoint = checkpoint.to_str().unwrap();
    succeed(folder, &["match", "first", "first", "--board", "5x5", "--games", "2", "--log", "log", "--quiet"]);
    let log = fs::read_to_string(folder.join("log")).unwrap();
    // The first game is right, and the bots of the second would play for hours.
    let lines: Vec<&str> = log.lines().collect();
    fs::write(
        folder.join("log"),
        format!("{}\n{}\n", lines[0], lines[1].replace("\"first\"", "\"solver:900000000000\"")),
    )
    .unwrap();
    let suite = succeed(folder, &["suite", "--board", "5x5", "--undrawn", "8", "--positions", "4", "--quiet"]);
    fs::write(folder.join("easy.tsv"), suite).unwrap();
    fs::write(folder.join("hard.tsv"), "5x5\tempty\t60\t0x0\t1\t0x1\n").unwrap();
    let games = ["--games", "2", "--threads", "2", "--opening", "0"];
    let searches = [
        (&["match", "solver:900000000000", "first", "--board", "5x5"][..], "no games"),
        (&["match", "mcts:1000000,nodes=0", "first", "--board", "9x9"], "no games"),
        (&["match", "net,sims=1000000,nodes=900000000000", "first", "--board", "5x5", "--json"], "\"games\":0"),
        (&["match", "net,seconds=3600", "first", "--board", "5x5"], "no games"),
        (&["eval", checkpoint, "--suite", "easy.tsv", "--sims", "10", "--against", "solver:900000000000"], "easy"),
        (&["eval", checkpoint, "--suite", "easy.tsv", "--suite", "hard.tsv", "--sims", "1000000"], "easy"),
        (&["replay", "log"], "1 game: 1 correct"),
        (&["book", "extend", "solver:900000000000", "--board", "5x5", "--log", "book.log"], ""),
        (&["suite", "--board", "5x5", "--undrawn", "50", "--nodes", "900000000000"], ""),
        (&["puzzles", "--board", "7x7", "--nodes", "900000000000"], ""),
        (&["solve", "5x5", "--no-book"], "5x5"),
        (&["prove", "5x5", "--log", "proof.log"], "5x5"),
    ];
    for ((arguments, printed), signal) in searches.into_iter().zip(["-INT", "-TERM"].into_iter().cycle()) {
        let more: &[&str] = match arguments {
            ["match", ..] | ["eval", .., "--against", _] => &games,
            ["eval", ..] => &games[2..4],
            _ => &[],
        };
        let child = start(folder, &[arguments, more, &["--quiet"]].concat());
        sleep(Duration::from_millis(1500));
        let output = end(child, signal);
        let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(130), "{arguments:?}: {text}{errors}");
        assert!(text.contains(printed) && errors.contains("interrupted"), "{arguments:?}: {text}{errors}");
    }
}

#[test]
fn what_was_tuned_is_printed() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let config = repository("configs/smoke.toml");
    let arguments = [
        "tune",
        config.to_str().unwrap(),
        "--folder",
        "t",
        "--try",
        "wide: network.channels=48",
        "--set",
        "generations=2",
    ];
    let arguments =
        [&arguments[..], &["--positions", "20", "--sims", "8", "--seeds", "500", "--set", "resources.threads=1"]]
            .concat();
    for is_json in [false, true] {
        let more: &[&str] = if is_json { &["--json", "--quiet"] } else { &["--quiet"] };
        let _ = fs::remove_dir_all(folder.join("t"));
        let child = start(folder, &[&arguments[..], more].concat());
        wait_until("a trial is scored", || {
            folder.join("t/base/seed-1.json").exists() && folder.join("t/wide/seed-1").exists()
        });
        let output = end(child, "-TERM");
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(130));
        if is_json {
            let object = json(&text);
            assert!(object["interrupted"] == true && object["variants"][0]["trials"][0]["seed"] == 1, "{text}");
        } else {
            assert!(text.lines().nth(1).is_some_and(|line| line.starts_with("base") && line.contains('%')), "{text}");
        }
    }
}

/// A pipe that nobody reads does not keep a program alive.
#[test]
fn a_reader_is_not_waited_for_after_a_signal() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    assert!(Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap().success());
    for arguments in [
        // Without a reader the pipe cannot be opened.
        &["match", "first", "random", "--games", "100000", "--quiet", "--log", "pipe"][..],
        &["suite", "--board", "2x2", "--undrawn", "6", "--positions", "2", "--out", "pipe"],
        &["prove", "3x3", "--log", "pipe"],
    ] {
        let child = start(folder, arguments);
        sleep(Duration::from_millis(500));
        assert_eq!(end(child, "-TERM").status.code(), Some(130), "{arguments:?}");
    }
    // A reader that reads nothing: this process, which has the pipe open for both.
    let open = fs::File::options().read(true).write(true).open(folder.join("pipe")).unwrap();
    let child = start(folder, &["match", "first", "random", "--games", "100000", "--quiet", "--log", "pipe"]);
    sleep(Duration::from_millis(1500));
    let output = end(child, "-TERM");
    assert!(String::from_utf8_lossy(&output.stdout).contains("first - random"), "{output:?}");
    drop(open);
    // Stdout that is full.
    let mut command = program(folder);
    command.args(["solve", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        use std::io::Write;
        while writeln!(input, "2x2").is_ok() {}
    });
    sleep(Duration::from_millis(2000));
    signal(&child, "-TERM");
    let started = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if started.elapsed() > SOON => {
                child.kill().unwrap();
                panic!("it waits for its reader");
            }
            None => sleep(Duration::from_millis(10)),
        }
    };
    assert_eq!(status.code(), Some(130));
    writer.join().unwrap();
}

/// The first process of a container, which has no default reactions to signals.
#[cfg(target_os = "linux")]
#[test]
fn the_first_process_of_a_container_ends() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let unshare = || {
        let mut command = Command::new("unshare");
        command
            .args(["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"])
            .current_dir(folder);
        command
    };
    if !unshare().arg("true").status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: no namespaces");
        return;
    }
    let checkpoint = repository("checkpoints/3x3");
    succeed(folder, &["export", checkpoint.to_str().unwrap(), "--to", "bots", "--form", "bundle"]);
    let bundle = folder.join("bots/bot");
    let weights = checkpoint.join("ema.dxw");
    for (program, arguments) in [
        (Path::new(DOUBLECROSS), &["bot", "chains"][..]),
        (&bundle, &[]),
        (Path::new(DOUBLECROSS), &["bot", "exec:cat", "--no-sandbox"]),
        (Path::new(DOUBLECROSS), &["serve", weights.to_str().unwrap(), "--port", "0"]),
        (Path::new(DOUBLECROSS), &["replay", "/dev/stdin"]),
        (Path::new(DOUBLECROSS), &["solve", "5x5", "--no-book"]),
    ] {
        for how in ["-INT", "-TERM"] {
            let mut command = unshare();
            command.arg(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            let mut outer = Running(command.spawn().unwrap());
            sleep(Duration::from_millis(700));
            let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", outer.0.id())).unwrap();
            let inner = children.split_whitespace().next().expect("the program runs").to_owned();
            assert!(Command::new("kill").args([how, &inner]).status().unwrap().success());
            let started = Instant::now();
            let status = loop {
                match outer.0.try_wait().unwrap() {
                    Some(status) => break status,
                    None => assert!(started.elapsed() < SOON, "{program:?} {arguments:?} ignores {how}"),
                }
                sleep(Duration::from_millis(10));
            };
            // A server has nothing to finish.
            let expected = if arguments.first() == Some(&"serve") { 0 } else { 130 };
            assert_eq!(status.code(), Some(expected), "{program:?} {arguments:?} {how}");
        }
    }
}
