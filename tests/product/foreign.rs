//! Texts of other programs, as they are: observations, logs, suites and positions with the oddities of their writers, and
//! with damage.

use std::fs;

use crate::common::{DOUBLECROSS, feed, feed_command, json, program, repository, run, succeed};
use doublecross::board::{Board, Position};
use doublecross::protocol::{format_observation, parse_action, parse_observation};

/// Reads a file of `tests/data/foreign`.
fn foreign(name: &str) -> Vec<u8> {
    fs::read(repository("tests/data/foreign").join(name)).unwrap()
}

/// The answers of a bot to some input, and its stderr.
fn answers(bot: &str, input: &[u8]) -> (Vec<String>, String) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = program(folder.path());
    command.args(["bot", bot]);
    let output = feed_command(command, input);
    assert!(output.status.success());
    let lines = String::from_utf8(output.stdout).unwrap().lines().map(String::from).collect();
    (lines, String::from_utf8(output.stderr).unwrap())
}

#[test]
fn observations_of_other_writers_get_the_same_action() {
    let good = foreign("obs-good.json");
    for bot in ["chains", "mcts:50,nodes=100"] {
        let (expected, told) = answers(bot, &good);
        assert_eq!((expected.len(), told.as_str()), (1, ""));
        for (name, count, notice) in [
            ("obs-bom.jsonl", 2, ""),
            ("obs-blank-lines.jsonl", 2, ""),
            ("obs-ctrl-in-string.jsonl", 1, ""),
            ("obs-floats.jsonl", 1, ""),
            ("obs-latin1.jsonl", 1, ""),
            ("obs-lone-surrogate.jsonl", 1, ""),
            ("obs-owner-null.jsonl", 1, ""),
            ("obs-trailing-comma.jsonl", 1, ""),
            ("obs-nan.jsonl", 1, "`nonce`"),
        ] {
            let (lines, told) = answers(bot, &foreign(name));
            assert!(lines.len() == count && lines.iter().all(|line| *line == expected[0]), "{bot} {name}: {lines:?}");
            assert!(told.contains(notice) && told.is_empty() == notice.is_empty(), "{name}: {told}");
        }
    }
}

/// A replay of a large board is answered by play: with a box where one is on offer, otherwise with
/// an edge that offers none.
#[test]
fn an_observation_of_8x8_is_answered_by_play() {
    let observation = foreign("obs-8x8.jsonl");
    let position = parse_observation(&observation).unwrap().position;
    let state = position.state();
    assert!(state.safe_edges().len() > 1);
    for bot in ["greedy", "chains", "solver:1000", "mcts:50,nodes=100", "net"] {
        let (lines, told) = answers(bot, &observation);
        let [line] = &lines[..] else { panic!("{lines:?}") };
        let edge = parse_action(position.board(), line).unwrap();
        assert_eq!(told, "", "{bot}");
        assert!(state.undrawn().contains(edge), "{bot}: {line}");
        let is_good = state.captures(edge) > 0 || state.safe_edges().contains(edge);
        assert!(is_good, "{bot}: {line}");
    }
}

/// A bot that is behind takes more risk, so it has to know the score however that is written.
#[test]
fn the_score_is_read_in_any_notation() {
    let position = "2x2 H0,0 V0,0 H1,0 V0,1 V1,1".parse::<Position>().unwrap();
    let good = format_observation(&position, 0, 1);
    let (expected, _) = answers("mcts:50,nodes=100", good.as_bytes());
    for (from, to) in [
        ("[[1,-1],[-1,-1]]", "[[1.0,-1.0],[-1.0,-1.0]]"),
        ("[[1,-1],[-1,-1]]", "[[1,null],[null,null]]"),
        ("[[1,-1],[-1,-1]]", "[[\"you\",null],[null,null]]"),
        ("true", "1"),
        ("true", "True"),
        ("\"", "'"),
        ("{\"you\"", "{\"chat\":\"he said \"no\"\",\"you\""),
        (",\"nonce\":1}", ",\"nonce\":1,\"deep\":[[[[]]]]"),
    ] {
        assert!(good.contains(from), "{from} in {good}");
        let (lines, _) = answers("mcts:50,nodes=100", good.replace(from, to).as_bytes());
        assert_eq!(lines, expected, "{to}");
    }
    // Troubles are told once for each field.
    let odd = good.replace("[[1,-1],[-1,-1]]", "7");
    let (lines, told) = answers("chains", format!("{odd}\n{odd}\n{good}\n{odd}").as_bytes());
    assert_eq!((lines.len(), told.lines().count()), (4, 1), "{told}");
    assert!(told.contains("line 1") && told.contains("owner"), "{told}");
}

#[test]
#[cfg(target_os = "linux")]
fn long_lines_need_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let good = format_observation(&"3x3 H0,0".parse::<Position>().unwrap(), 0, 1);
    let mut input = good.clone().into_bytes();
    input.pop();
    input.extend(b",\"extra\":[");
    input.extend(b"1,".repeat(24_000_000));
    input.extend(b"1]}\n");
    input.extend(good.as_bytes());
    for (limit, arguments) in [("250000", "bot chains"), ("1200000", "solve - --table 1M")] {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &format!("ulimit -v {limit}; exec {DOUBLECROSS} {arguments}")]).current_dir(folder.path());
        let output = feed_command(command, &input);
        let (text, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if arguments.starts_with("bot") {
            assert!(output.status.success(), "{told}");
            let lines: Vec<&str> = text.lines().collect();
            assert!(lines.len() == 2 && lines[0] == lines[1], "{text}");
            assert!(told.contains("line 1") && told.contains("1048576 bytes"), "{told}");
        } else {
            assert_eq!(output.status.code(), Some(3), "{told:.300}");
        }
    }
}

#[test]
fn logs_of_other_writers_are_replayed() {
    let folder = tempfile::tempdir().unwrap();
    for (name, games) in
        [("log-crlf.jsonl", 4), ("log-noeol.jsonl", 4), ("openspiel-playthrough.jsonl", 1), ("kaggle-manual.jsonl", 1)]
    {
        let log = repository("tests/data/foreign").join(name);
        let told = succeed(folder.path(), &["replay", log.to_str().unwrap()]);
        let counted = if games == 1 { "1 game".into() } else { format!("{games} games") };
        assert!(told.contains(&format!("{counted}: {games} correct")), "{name}: {told}");
    }
    let log = String::from_utf8(foreign("log-noeol.jsonl")).unwrap();
    let named = log.replacen("greedy", "\\u001b[2Jme\\u202e", 1);
    let odd = format!("\u{feff}{}\0\0\n\nno game\n", named.replace("\"opening\":6,", "\"opening\":6.0,"));
    fs::write(folder.path().join("odd.jsonl"), odd).unwrap();
    let output = run(folder.path(), &["replay", "odd.jsonl", "--show", "1"]);
    let (text, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "a line is damaged: {text}{told}");
    assert!(text.contains("4 games: 4 correct") && text.contains("0 wrong; damaged lines: 1"), "{text}");
    let board = run(folder.path(), &["leaderboard", "odd.jsonl"]);
    for bytes in [&output.stdout, &output.stderr, &board.stdout, &board.stderr] {
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    }
    assert!(String::from_utf8_lossy(&board.stdout).contains(r"\u{1b}[2Jme\u{202e}"));
}

#[test]
fn groups_of_bots_that_never_met_are_told() {
    let folder = tempfile::tempdir().unwrap();
    for bots in [["first", "random"], ["greedy", "chains"]] {
        succeed(folder.path(), &["match", bots[0], bots[1], "--board", "2x2", "--games", "4", "--log", "games.jsonl"]);
    }
    let output = run(folder.path(), &["leaderboard", "games.jsonl", "--json"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("2x2") && told.contains("first") && told.contains("chains"), "{told}");
    let table = json(&String::from_utf8(output.stdout).unwrap());
    let group =
        |name: &str| table["bots"].as_array().unwrap().iter().find(|bot| bot["bot"] == name).unwrap()["group"].clone();
    assert!(group("first") == group("random") && group("greedy") == group("chains"));
    assert_ne!(group("first"), group("greedy"));
}

#[test]
fn suites_of_other_writers_are_read_and_impossible_ones_refused() {
    let folder = tempfile::tempdir().unwrap();
    let suite = fs::read_to_string(repository("tests/data/suites/3x3.tsv")).unwrap();
    let lines: Vec<&str> = suite.lines().take(20).collect();
    fs::write(folder.path().join("odd.tsv"), format!("\u{feff}{}\0", lines.join("\r\n\r\n"))).unwrap();
    let checkpoint = repository("checkpoints/3x3");
    let eval = |suite: &str| {
        let arguments = ["eval", checkpoint.to_str().unwrap(), "--suite", suite, "--sims", "8", "--json"];
        run(folder.path(), &arguments)
    };
    let output = eval("odd.tsv");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut columns: Vec<&str> = lines[3].split('\t').collect();
    columns[4] = "40";
    fs::write(folder.path().join("wrong.tsv"), format!("{}\n{}\n", lines[0], columns.join("\t"))).unwrap();
    let output = eval("wrong.tsv");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
}

#[test]
fn positions_on_stdin_are_answered_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let input = b"\xef\xbb\xbf2x2\r\n\n  2x2:0x3 \0\ncaf\xe9\n10x10:0x0\n2x2 H0,0 H0,1\n";
    let mut command = program(folder.path());
    command.args(["solve", "-", "--json"]);
    let output = feed_command(command, input);
    let (text, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "{told}");
    let lines: Vec<serde_json::Value> = text.lines().map(json).collect();
    assert_eq!(lines.len(), 5, "{text}");
    for (index, line) in lines.iter().enumerate() {
        assert_eq!(line["error"].is_string(), [2, 3].contains(&index), "{line}");
        assert_eq!(line["margin"].is_number(), ![2, 3].contains(&index), "{line}");
    }
    assert_eq!(lines[0]["best"].as_array().unwrap().len(), lines[0]["best_names"].as_array().unwrap().len());
    assert!(["line 4", "line 5", "2 of 5"].iter().all(|part| told.contains(part)), "{told}");
    // A single position is refused as a whole.
    assert_eq!(run(folder.path(), &["solve", "2x2:zz"]).status.code(), Some(2));
}

#[test]
fn a_log_has_one_user() {
    let folder = tempfile::tempdir().unwrap();
    succeed(folder.path(), &["solve", "3x3", "--log", "log", "--log-from", "1000"]);
    let lock = fs::File::options().append(true).open(folder.path().join("log")).unwrap();
    lock.lock().unwrap();
    let output = run(folder.path(), &["solve", "3x3", "--log", "log"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
}

#[test]
fn actions_of_other_writers_are_understood() {
    let board = Board::new(2, 2).unwrap();
    let expected = board.vertical(1, 2);
    for text in [
        r#"{"orient":"V","r":1,"c":2}"#,
        r#"{"orient":"v","r":1.0,"c":2e0,}"#,
        "\u{feff}{'orient': 'V', 'r': 1, 'c': 2, 'value': NaN}\r",
        "{orient:\"V\",r:1,c:2}",
    ] {
        assert_eq!(parse_action(board, text).ok(), expected, "{text}");
    }
    for text in [r#"{"orient":"V","r":1,"c":"#, r#"{"orient":"V","r":1.5,"c":2}"#, "V1,2"] {
        assert!(parse_action(board, text).is_err(), "{text}");
    }
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(feed(folder.path(), &["bot", "first"], b"\0\n \n\n"), b"");
}
