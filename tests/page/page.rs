//! The page: its files over HTTP and on disk, and everything a person does with it, in a real browser without a window.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use doublecross::bots::LEVELS;

use crate::common::tools::{has_chromium, has_firefox, has_node};
use crate::common::{DOUBLECROSS, Running, program, repository, succeed};

/// A running `doublecross serve` on a free port, ended with the test.
struct Served {
    _process: Running,
    address: String,
}

impl Served {
    fn start(arguments: &[&str]) -> Served {
        let mut command = program(".".as_ref());
        command.args(["serve", "--port", "0"]).args(arguments).stdout(Stdio::piped());
        let mut process = Running(command.spawn().expect("the program starts"));
        let mut line = String::new();
        BufReader::new(process.0.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let address = line.trim_start_matches("http://").split('/').next().expect("an address").to_string();
        assert!(address.starts_with("127.0.0.1:"), "{line}");
        Served { _process: process, address }
    }

    /// The status line and headers of an answer, and its body.
    fn ask(&self, request: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        write!(stream, "{request} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        (String::from_utf8_lossy(&answer[..end]).into_owned(), answer[end + 4..].to_vec())
    }
}

/// Runs a script of tests/page under node and fails the test with its output.
fn node(script: &str, arguments: &[&str]) {
    let output = Command::new("node").arg(repository("tests/page").join(script)).args(arguments).output();
    let output = output.expect("node starts");
    let printed = [output.stdout, output.stderr].concat();
    let printed = String::from_utf8_lossy(&printed);
    assert!(output.status.success() && printed.contains("ok "), "{script}: {printed}");
}

#[test]
fn rules_addresses_and_logs_are_read_as_the_program_reads_them() {
    if has_node() {
        node("rules.mjs", &[]);
        node("drawings.mjs", &[]);
        node("training.mjs", &[]);
        node("scores.mjs", &[]);
    }
}

/// Every text of the page stands in `site/texts/`, so that a translation is one more file.
#[test]
fn the_texts_of_the_page_stand_in_one_place() {
    if has_node() {
        node("texts.mjs", &[]);
    }
}

/// Shapes and mistakes are those that exact values show, and that the bots of the page find.
#[test]
fn the_mistakes_of_a_review_are_named_truly() {
    if has_node() {
        let served = Served::start(&[]);
        let url = format!("http://{}/", served.address);
        node("shapes.mjs", &[&url]);
        node("mistakes.mjs", &[&url]);
    }
}

/// The claims of the lessons hold by exhaustive search, and the puzzles are sound.
#[test]
fn lessons_and_puzzles_are_true() {
    if has_node() {
        node("lessons.mjs", &[]);
        node("puzzles.mjs", &[]);
    }
}

/// A game that was saved from the page is a match log.
#[test]
fn a_saved_game_is_replayed() {
    if !has_node() {
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let saved = Command::new("node").arg(repository("tests/page/saved.mjs")).output().expect("node starts");
    fs::write(scratch.path().join("saved.jsonl"), saved.stdout).unwrap();
    let told = succeed(scratch.path(), &["replay", "saved.jsonl"]);
    assert!(told.starts_with("1 game: 1 correct"), "{told}");
}

/// The arena rates bots as `leaderboard` does, and its referee, observations and logs are those of the program.
#[test]
fn the_arena_counts_as_the_program_does() {
    if has_node() {
        node("arena.mjs", &[DOUBLECROSS]);
    }
}

/// The page offers the levels of the program, with its words.
#[test]
fn the_levels_of_the_page_are_those_of_the_program() {
    let listed = fs::read_to_string(repository("site/play/strengths.js")).unwrap();
    let texts = fs::read_to_string(repository("site/texts/english.js")).unwrap();
    let mut rest = texts.split_once("const LEVELS").expect("the levels").1;
    for level in &LEVELS {
        let line = format!("[\"{}\", \"{}\"],\n", level.name, level.description);
        rest = rest.split_once(&line).unwrap_or_else(|| panic!("{} is missing or out of order", level.bot)).1;
    }
    let searching: Vec<&str> =
        ["net"].into_iter().chain(LEVELS.iter().filter(|level| level.searches()).map(|level| level.bot)).collect();
    assert!(listed.contains(&format!("const WITH_NETWORK = {searching:?};")), "{searching:?}");
}

/// Runs the checks of the page in a browser.
fn check_in_browser(options: &[&str]) {
    let served = Served::start(&[]);
    let url = format!("http://{}/", served.address);
    node("checks.mjs", &[&[&*url][..], options].concat());
}

/// The whole page in Chromium: games, analysis, replays, themes, a phone's window.
#[test]
#[ignore = "long: run with --include-ignored"]
fn everything_works_in_chromium() {
    if has_node() && has_chromium() {
        check_in_browser(&[]);
    }
}

/// The most usual things that a person does, in Firefox.
#[test]
#[ignore = "long: run with --include-ignored"]
fn the_page_works_in_firefox() {
    if has_node() && has_firefox() {
        check_in_browser(&["--browser", "firefox", "--flows"]);
    }
}

/// The page opens with the network that `serve` was given as the opponent, and with the runs that it follows.
#[test]
#[ignore = "long: run with --include-ignored"]
fn the_page_opens_with_what_serve_was_given() {
    if !(has_node() && has_chromium()) {
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let run = scratch.path().join("first");
    fs::create_dir_all(run.join("checkpoints/gen-000001")).unwrap();
    fs::copy(repository("checkpoints/3x3/ema.dxw"), run.join("checkpoints/gen-000001/ema.dxw")).unwrap();
    let later = scratch.path().join("later");
    let [run, later] = [run, later].map(|path| path.to_str().unwrap().to_string());
    let [play, watch, both] = [&[&*run][..], &["--run", &later], &[&*run, "--run", &run]].map(Served::start);
    let urls = [&play, &watch, &both].map(|served| format!("http://{}/", served.address));
    node("opening.mjs", &[&urls[0], &urls[1], &urls[2], &later]);
}

/// Each run has its own progress, read anew, and a name that distinguishes it from the others.
#[test]
fn several_runs_are_followed() {
    let scratch = tempfile::tempdir().unwrap();
    let folders = ["a/5x5", "b/5x5", "4x4"].map(|folder| scratch.path().join(folder).to_str().unwrap().to_string());
    let [a, b, c] = &folders;
    fs::create_dir_all(a).unwrap();
    let served = Served::start(&["--run", a, "--run", b, "--run", c]);
    let list: serde_json::Value = serde_json::from_slice(&served.ask("GET /bots.json").1).unwrap();
    let names: Vec<&str> = list["runs"].as_array().unwrap().iter().map(|run| run["name"].as_str().unwrap()).collect();
    assert_eq!(names, [&**a, &**b, "4x4"]);
    for (folder, run) in folders.iter().zip(list["runs"].as_array().unwrap()) {
        let request = format!("GET /{}", run["progress"].as_str().unwrap());
        assert!(served.ask(&request).1.is_empty());
        // The folder of a run that has not begun.
        fs::create_dir_all(folder).unwrap();
        fs::write(format!("{folder}/progress.jsonl"), folder).unwrap();
        assert_eq!(served.ask(&request).1, folder.as_bytes());
    }
}

#[test]
fn only_the_page_is_served() {
    let served = Served::start(&[]);
    let (head, body) = served.ask("GET /");
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("Content-Security-Policy: default-src 'self'"), "{head}");
    assert!(body.starts_with(b"<!doctype html>"));
    for path in ["/Cargo.toml", "/../Cargo.toml", "//etc/passwd", "/%2e%2e/Cargo.toml", "/runs/1/progress.jsonl"] {
        let (head, body) = served.ask(&format!("GET {path}"));
        assert!(head.starts_with("HTTP/1.1 404"), "{path}: {head}");
        assert_eq!(body, b"there is no such file\n");
    }
    assert!(served.ask("POST /").0.starts_with("HTTP/1.1 405"));
}

#[test]
fn the_same_files_are_written_for_any_host() {
    let scratch = tempfile::tempdir().unwrap();
    let told = succeed(scratch.path(), &["serve", "--export", "page"]);
    let folder = scratch.path().join("page");
    assert!(told.contains("index.html") && told.contains(".wasm"), "{told}");
    let list: serde_json::Value = serde_json::from_slice(&fs::read(folder.join("bots.json")).unwrap()).unwrap();
    let served = Served::start(&[]);
    for path in ["index.html", list["bots"][0]["module"].as_str().unwrap()] {
        assert!(served.ask(&format!("GET /{path}")).1 == fs::read(folder.join(path)).unwrap(), "{path}");
    }
}
