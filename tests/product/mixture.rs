//! One network of several boards, end to end: training, scores, matches and exported bots.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::{feed, json, run, succeed};
use doublecross::board::{Board, Position};
use doublecross::net::Weights;
use doublecross::protocol::format_observation;

/// A run of three boards whose generations are of 3x3, 2x2, 2x3 and 3x3.
const CONFIG: &str = include_str!("../data/mixture.toml");

/// The exit status, stdout and stderr of the program.
fn told(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = run(folder, arguments);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn a_run_of_several_boards_trains_one_network() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    fs::write(folder.join("mixed.toml"), CONFIG).unwrap();
    succeed(folder, &["train", "mixed.toml", "--run", "whole"]);
    // A run that is interrupted comes to the same weights.
    succeed(folder, &["train", "mixed.toml", "--run", "halved", "--set", "generations=3"]);
    succeed(folder, &["train", "halved", "--set", "generations=4"]);
    let weights = |run: &str| fs::read(folder.join(run).join("checkpoints/gen-000004/ema.dxw")).unwrap();
    assert!(weights("whole") == weights("halved"));
    succeed(folder, &["verify", "whole"]);
    let read = Weights::from_bytes(&weights("whole")).unwrap();
    let names: Vec<String> = read.other_boards.iter().map(ToString::to_string).collect();
    assert_eq!((read.board.to_string().as_str(), names.join(" ").as_str()), ("3x3", "2x2 2x3"));
    // Scored on a suite of each board, which it never learns from.
    let progress = fs::read_to_string(folder.join("whole/progress.jsonl")).unwrap();
    let last = json(progress.lines().last().unwrap());
    let boards: Vec<&String> = last["suite_boards"].as_object().unwrap().keys().collect();
    assert_eq!(boards, ["2x2", "2x3", "3x3"]);
    let suites = ["suite.tsv", "suite-2x2.tsv", "suite-2x3.tsv"].map(|name| format!("whole/{name}"));
    let scored = ["eval", "whole", "--json", "--suite", &suites[0], "--suite", &suites[1], "--suite", &suites[2]];
    let bands = json(&succeed(folder, &scored))["bands"].as_array().unwrap().len();
    assert!(bands >= 6, "{bands} bands");
    // Without suites, on those of the run.
    assert_eq!(json(&succeed(folder, &["eval", "whole", "--json"]))["bands"].as_array().unwrap().len(), bands);
}

#[test]
fn a_run_of_several_boards_starts_again_and_from_another() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    fs::write(folder.join("mixed.toml"), CONFIG).unwrap();
    // A run that was ended before its first games are there, and then has another mixture.
    succeed(folder, &["train", "mixed.toml", "--run", "begun", "--set", "generations=1", "--set", "finish.games=0"]);
    for left in ["shards", "checkpoints", "tensorboard"] {
        fs::remove_dir_all(folder.join("begun").join(left)).unwrap();
    }
    fs::remove_file(folder.join("begun/progress.jsonl")).unwrap();
    assert!(folder.join("begun/suite-2x2.tsv").exists());
    succeed(
        folder,
        &["train", "mixed.toml", "--run", "begun", "--set", "mixture=2x3:1 3x3:1", "--set", "finish.games=0"],
    );
    assert!(!folder.join("begun/suite-2x2.tsv").exists() && folder.join("begun/suite-2x3.tsv").exists());
    // With the samples of another run of these boards, and games that are ahead of learning.
    let ahead = ["--set", "selfplay.lag=1", "--set", "finish.games=0"];
    succeed(folder, &[&["train", "mixed.toml", "--run", "ahead", "--samples", "begun"][..], &ahead].concat());
    succeed(folder, &["verify", "ahead"]);
    // Those of a board that is not one of the run's are refused.
    let (status, _, stderr) =
        told(folder, &["train", "mixed.toml", "--run", "no", "--samples", "begun", "--set", "mixture=2x2:1 3x3:1"]);
    assert_eq!(status, Some(2), "{stderr}");
}

#[test]
fn a_network_of_several_boards_plays_any_and_says_which_it_does_not_know() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    fs::write(folder.join("mixed.toml"), CONFIG).unwrap();
    succeed(folder, &["train", "mixed.toml", "--run", "mixed", "--set", "finish.games=0"]);
    let play = |board: &str| told(folder, &["match", "net:mixed,sims=4", "greedy", "--board", board, "--games", "2"]);
    for board in ["2x2", "3x3", "2x4", "6x6"] {
        let (status, stdout, stderr) = play(board);
        assert!(status == Some(0) && stdout.contains("2 games"), "{stderr}");
        let is_known = board.starts_with("2x2") || board == "3x3";
        assert_eq!(stderr.contains("not trained on") && stderr.contains(board), !is_known, "{stderr}");
    }
    // Without its run it is scored on the default suites of its boards.
    fs::copy(folder.join("mixed/checkpoints/gen-000004/ema.dxw"), folder.join("alone.dxw")).unwrap();
    let scored = succeed(folder, &["eval", "alone.dxw", "--sims", "2"]);
    assert!(["2x2-default", "2x3-default", "3x3-default"].iter().all(|suite| scored.contains(suite)), "{scored}");
    // So does eval, on a board that is named.
    let against = ["eval", "mixed", "--sims", "4", "--nodes", "0", "--against", "greedy", "--games", "2", "--json"];
    let played = succeed(folder, &[&against[..], &["--board", "2x4"]].concat());
    assert_eq!(json(&played)["match"]["board"], "2x4");
    assert_eq!(json(&succeed(folder, &against))["match"]["board"], "3x3");
    // Without --board, on its own.
    assert!(succeed(folder, &["match", "net:mixed,sims=4", "greedy", "--games", "2"]).contains("2 games"));
    // An exported bot plays every board with the network: with the same budget as the bot of the program does.
    succeed(folder, &["export", "mixed", "--to", "all", "--form", "bundle", "--sims", "4", "--solver-nodes", "0"]);
    let bundle = folder.join("all/bot");
    for (rows, cols) in [(2, 3), (3, 3), (3, 4)] {
        let board = Board::new(rows, cols).unwrap();
        let position = Position::new(board);
        let observation = format!("{}\n", format_observation(&position, position.mover(), 1));
        let bundled = Command::new(&bundle).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut bundled = bundled.expect("the bot starts");
        bundled.stdin.take().unwrap().write_all(observation.as_bytes()).unwrap();
        let answer = bundled.wait_with_output().unwrap().stdout;
        let expected = feed(folder, &["bot", "net:mixed,sims=4,nodes=0"], observation.as_bytes());
        assert_eq!(String::from_utf8(answer).unwrap(), String::from_utf8(expected).unwrap(), "{board}");
    }
    // Or one board alone.
    succeed(folder, &["export", "mixed", "--to", "bot", "--board", "2x3", "--form", "bundle", "--form", "safetensors"]);
    let tensors = fs::read(folder.join("bot/weights.safetensors")).unwrap();
    assert!(String::from_utf8_lossy(&tensors[..4000.min(tensors.len())]).contains("2x3"));
    let larger = ["export", "mixed", "--to", "large", "--board", "2x5", "--form", "bundle"];
    let (status, _, stderr) = told(folder, &larger);
    assert_eq!(status, Some(0), "{stderr}");
    // A network of one board plays no other.
    succeed(folder, &["train", "mixed.toml", "--run", "one", "--set", "mixture=none", "--set", "generations=1"]);
    let (status, _, stderr) = told(folder, &["eval", "one", "--against", "greedy", "--board", "2x3"]);
    assert_eq!(status, Some(2), "{stderr}");
    let (status, _, stderr) = told(folder, &["export", "one", "--to", "two", "--board", "2x3"]);
    assert_eq!(status, Some(2), "{stderr}");
}

#[test]
fn a_mixture_that_cannot_be_trained_is_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    fs::write(folder.join("mixed.toml"), CONFIG).unwrap();
    for (mixture, expected) in [
        ("3x3:1 4x4:1", "4x4 is larger than the run's board (set board=4x4)"),
        ("2x2:1 2x3:1", "it lacks the run's board (add 3x3:1, or set board)"),
        ("3x3", "\"3x3\" is not a board with its share, as in 3x3:1"),
    ] {
        let set = format!("mixture={mixture}");
        let (status, _, stderr) = told(folder, &["train", "mixed.toml", "--run", "r", "--set", &set]);
        assert!(status == Some(2) && stderr.contains(expected), "{stderr}");
        assert!(!folder.join("r").exists());
    }
}
