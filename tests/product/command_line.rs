//! The command line, as scripts and arenas use it.

use std::process::Stdio;

use crate::common::{Running, feed, json, program, repository, run, succeed, train, wait_until};
use doublecross::board::{Board, Position};
use doublecross::protocol::{format_observation, parse_action};
use serde_json::Value;

#[test]
fn solve_prints_margin_and_best_edges() {
    let folder = tempfile::tempdir().unwrap();
    let answer = json(&succeed(folder.path(), &["solve", "5x5:0x37651497f4c5f2c", "--moves", "--json"]));
    assert_eq!(answer["settled"], true);
    assert_eq!(answer["lower"], answer["upper"]);
    let (margin, best) = (&answer["margin"], answer["best"].as_array().unwrap());
    assert!(!best.is_empty());
    for step in answer["moves"].as_array().unwrap() {
        assert_eq!(best.contains(&step["edge"]), step["margin"] == *margin);
        assert!(step["margin"].as_i64() <= margin.as_i64());
    }
    let answer = json(&succeed(folder.path(), &["solve", "5x5", "--nodes", "50", "--json"]));
    assert_eq!((&answer["settled"], &answer["margin"]), (&Value::Bool(false), &Value::Null));
    let lines = feed(folder.path(), &["solve", "-", "--json"], b"2x2\n\n2x3\n1x1:0xf\n");
    let margins: Vec<Value> =
        String::from_utf8(lines).unwrap().lines().map(|line| json(line)["margin"].clone()).collect();
    assert_eq!(margins, [2, -2, 0]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_stdout_that_cannot_be_written_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = program(".".as_ref());
    let status = command.args(["solve", "2x2"]).stdout(full).stderr(Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(1));
}

#[test]
fn a_very_long_time_is_no_limit() {
    succeed(".".as_ref(), &["solve", "2x2", "--seconds", "1e19"]);
}

#[test]
fn the_smoke_config_trains_plays_and_is_evaluated() {
    let folder = tempfile::tempdir().unwrap();
    let output = train(folder.path(), "run", &[]).output().unwrap();
    let (text, errors) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{errors}");
    assert!(text.contains("20 games") && errors.contains("generation 4/4"), "{text}{errors}");
    for file in ["config.toml", "version.txt", "progress.jsonl"] {
        assert!(folder.path().join("run").join(file).is_file(), "{file}");
    }
    let events = std::fs::read_dir(folder.path().join("run/tensorboard")).unwrap().flatten();
    assert!(events.map(|event| event.metadata().unwrap().len()).sum::<u64>() > 500);
    // A suite of 2x2, from the solver's answers.
    let positions = ["2x2:0x0", "2x2:0x81", "2x2:0x3c1"].join("\n");
    let answers = String::from_utf8(feed(folder.path(), &["solve", "-", "--json"], positions.as_bytes())).unwrap();
    let lines = answers.lines().map(json).map(|answer| {
        let mask: u64 = answer["best"].as_array().unwrap().iter().map(|edge| 1 << edge.as_u64().unwrap()).sum();
        let drawn = answer["position"].as_str().unwrap().trim_start_matches("2x2:").to_string();
        let word = u64::from_str_radix(&drawn[2..], 16).unwrap();
        format!("2x2\trandom\t{}\t{drawn}\t{}\t{mask:#x}\n", 12 - word.count_ones(), answer["margin"])
    });
    std::fs::write(folder.path().join("suite.tsv"), lines.collect::<String>()).unwrap();
    let arguments = ["eval", "run", "--suite", "suite.tsv", "--against", "greedy", "--games", "10", "--json"];
    let report = json(&succeed(folder.path(), &arguments));
    assert_eq!((&report["solver"], &report["simulations"]), (&Value::Bool(true), &Value::from(100)));
    let all = report["bands"].as_array().unwrap().last().unwrap();
    assert_eq!(all["positions"], 3);
    assert_eq!(all["search_optimal"]["share"], 1.0, "with the solver in play every move of 2x2 is optimal");
    assert_eq!(report["match"]["games"], 10);
    let without = json(&succeed(folder.path(), &[&arguments[..4], &["--no-solver", "--json"]].concat()));
    assert_eq!(without["solver"], false);
}

/// The figures of `checkpoints/*/evaluation.txt` for each suite as a whole hold, within the rounding of instruction sets.
#[test]
#[ignore = "long: run with --include-ignored"]
fn checkpoints_reproduce_their_reports() {
    let mut compared = 0;
    for board in ["3x3", "4x4", "5x5", "any"] {
        let checkpoint = repository(&format!("checkpoints/{board}"));
        let report = std::fs::read_to_string(checkpoint.join("evaluation.txt")).unwrap();
        // Columns: suite, `all`, positions, shares of optimal edges by policy and by search with
        // intervals, error, share of signs.
        for line in report.lines().filter(|line| line.split_whitespace().nth(1) == Some("all")) {
            let words = line.replace("(", " ").replace(")", " ");
            let words: Vec<&str> = words.split_whitespace().collect();
            let number = |place: usize| words[place].parse::<f64>().unwrap();
            let suite = repository(&format!("tests/data/suites/{}.tsv", words[0]));
            let arguments = ["--suite", suite.to_str().unwrap(), "--no-solver", "--json"];
            let arguments = [&["eval", checkpoint.to_str().unwrap()][..], &arguments].concat();
            // In f32, which rounds least, so that the figures do not depend on the processor.
            let output =
                program(&repository(".")).args(&arguments).env("DOUBLECROSS_ISA", float_isa()).output().unwrap();
            assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
            let found = json(std::str::from_utf8(&output.stdout).unwrap());
            let all = found["bands"].as_array().unwrap().last().unwrap();
            assert_eq!(all["positions"].as_f64(), Some(number(2)), "{line}");
            let near = |value: &Value, expected: f64, off: f64| {
                let value = value.as_f64().unwrap();
                assert!((value - expected).abs() <= off, "{value}, not about {expected}: {line}");
            };
            near(&all["policy_optimal"]["share"], number(3) / 100.0, 0.02);
            near(&all["search_optimal"]["share"], number(6) / 100.0, 0.02);
            near(&all["margin_error"], number(9), 0.05);
            near(&all["sign_agreement"]["share"], number(10) / 100.0, 0.02);
            // The policy alone is worse than the search.
            assert!(all["policy_optimal"]["high"].as_f64() < all["search_optimal"]["share"].as_f64(), "{line}");
            compared += 1;
        }
    }
    assert!(compared >= 7, "{compared} suites");
}

/// The fastest instruction set in f32 that most processors have.
fn float_isa() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        return "avx2";
    }
    "portable"
}

#[test]
fn matches_are_the_same_for_the_same_seed() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["match", "random", "greedy", "chains", "--games", "20", "--board", "3x3", "--json"];
    let text = succeed(folder.path(), &[&arguments[..], &["--log", "games.jsonl"]].concat());
    let pairs = json(&text)["pairs"].as_array().unwrap().clone();
    assert_eq!(pairs.len(), 3);
    for pair in &pairs {
        let counts = ["wins_a", "losses_a", "ties"].map(|key| pair[key].as_u64().unwrap());
        assert_eq!(counts.iter().sum::<u64>(), 20);
    }
    assert_eq!(succeed(folder.path(), &arguments), text);
    // Every game of the log ends with its score when it is replayed.
    let log = std::fs::read_to_string(folder.path().join("games.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 60);
    for line in log.lines().map(json) {
        let mut position = Position::new(Board::new(3, 3).unwrap());
        for edge in line["moves"].as_array().unwrap() {
            position.play(doublecross::board::Edge::new(edge.as_u64().unwrap() as usize)).unwrap();
        }
        assert!(position.is_over());
        assert_eq!(line["scores"], serde_json::json!(position.scores()));
    }
}

#[test]
fn a_bot_answers_every_line_that_holds_something() {
    let folder = tempfile::tempdir().unwrap();
    let position = "5x5 H0,0 V0,0 H1,0 V2,2".parse::<Position>().unwrap();
    let good = format_observation(&position, 0, 7);
    let mut input = format!("{good}\n").into_bytes();
    input.extend(b"\n\xff\xfe garbage\n{\"h\":3}\n");
    input.extend(&good.as_bytes()[..good.len() / 2]);
    input.push(b'\n');
    input.extend(good.replace("\"owner\"", "\"other\"").as_bytes());
    input.push(b'\n');
    input.extend(good.as_bytes());
    for bot in ["random", "first", "greedy", "chains", "solver:100", "mcts:20"] {
        let output = String::from_utf8(feed(folder.path(), &["bot", bot], &input)).unwrap();
        let lines: Vec<&str> = output.lines().collect();
        assert_eq!(lines.len(), 6, "{bot}: {output}");
        for line in &lines {
            assert!(parse_action(position.board(), line).is_ok(), "{bot}: {line}");
        }
        for index in [0, 4, 5] {
            let edge = parse_action(position.board(), lines[index]).unwrap();
            assert!(!position.drawn().contains(edge), "{bot}: {}", lines[index]);
        }
        assert_eq!(lines[0], lines[5], "the same observation gets the same action");
    }
}

/// If the solver settles every game from the start, training fails. The same folder can then be used with another
/// setting.
#[test]
fn games_without_a_position_to_learn_from_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let config = "board = \"2x2\"\ngenerations = 1\n[network]\nchannels = 16\nblocks = 1\n[selfplay]\ngames = 4\nroot_undrawn = 12\nroot_nodes = 50000\nband_undrawn = 24\n[finish]\ngames = 0\n";
    std::fs::write(folder.path().join("small.toml"), config).unwrap();
    let output = run(folder.path(), &["train", "small.toml", "--run", "run"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    succeed(folder.path(), &["train", "small.toml", "--run", "run", "--set", "selfplay.band_undrawn=0"]);
}

#[test]
fn help_names_the_keys_that_may_change_on_resume() {
    use doublecross::run::{Config, Resume};
    let folder = tempfile::tempdir().unwrap();
    for help in ["--help", "-h"] {
        let help = succeed(folder.path(), &["train", help]);
        for key in Config::keys() {
            assert!(key.resume == Resume::Fixed || help.contains(key.path), "{}: {help}", key.path);
        }
    }
}

#[test]
fn bench_measures_every_part() {
    let settings = ["board=3x3", "network.blocks=1", "selfplay.leaf_undrawn=14", "selfplay.leaf_nodes=200"]
        .map(|setting| ["--set", setting]);
    let arguments = [&["bench", "--games", "2", "--rounds", "1"], &settings.concat()[..]].concat();
    let folder = tempfile::tempdir().unwrap();
    let measured = json(&succeed(folder.path(), &[&arguments[..], &["--json"]].concat()));
    let positive = |value: &Value| assert!(value.as_f64().unwrap() > 0.0, "{measured}");
    for (part, figure) in [
        ("network", "evaluations_per_second"),
        ("selfplay", "games_per_second"),
        ("selfplay", "games_per_processor_second"),
        ("learning", "samples_per_second"),
        ("learning", "samples_per_processor_second"),
        ("leaves", "microseconds"),
    ] {
        let list = measured[part].as_array().unwrap();
        assert!(!list.is_empty());
        list.iter().for_each(|entry| positive(&entry[figure]));
    }
    positive(&measured["simulations_per_second"]);
    let rates = measured["rates"].as_array().unwrap();
    for what in ["solver", "net", "search", "selfplay", "train"] {
        let rate = rates.iter().find(|rate| rate["what"] == what).unwrap_or_else(|| panic!("{what}: {measured}"));
        positive(&rate["per_second"]);
        assert!(rate["threads"].is_u64() && rate["batch"].is_u64() && rate.get("path").is_some(), "{rate}");
    }
    // As many threads as the config says, and one part alone.
    let one = ["bench", "train", "--set", "board=2x2", "--set", "resources.threads=1", "--rounds", "1", "--json"];
    let learning = json(&succeed(folder.path(), &one))["learning"].clone();
    assert!(learning.as_array().unwrap().iter().all(|rate| rate["threads"] == 1), "{learning}");
    let search = json(&succeed(folder.path(), &["bench", "search", "--set", "board=2x2", "--rounds", "1", "--json"]));
    let rates = search["rates"].as_array().unwrap();
    assert!(rates.len() == 1 && rates[0]["what"] == "search", "{search}");
    assert!(succeed(folder.path(), &arguments).contains("fastest self-play: threads = "));

    let wrong = program(folder.path()).arg("bench").env("DOUBLECROSS_ISA", "sse9").output().unwrap();
    assert_eq!(wrong.status.code(), Some(2));
}

/// A killed match has logged the pairs that were over, in order.
#[test]
fn a_killed_match_has_logged_its_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let play = ["match", "mcts:100", "random", "--board", "3x3", "--games"];
    let read = |log: &str| std::fs::read_to_string(folder.path().join(log)).unwrap_or_default();
    let mut killed = program(folder.path());
    killed.args(play).args(["1000000", "--log", "killed.jsonl"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut killed = Running(killed.spawn().unwrap());
    wait_until("20 games are logged", || read("killed.jsonl").lines().count() >= 20);
    killed.0.kill().unwrap();
    killed.0.wait().unwrap();
    succeed(folder.path(), &[&play[..], &["20", "--log", "whole.jsonl"]].concat());
    let moves = |log: &str| read(log).lines().take(20).map(|game| json(game)["moves"].clone()).collect::<Vec<_>>();
    assert_eq!(moves("killed.jsonl"), moves("whole.jsonl"));
    assert_eq!(moves("whole.jsonl").len(), 20);
}

#[test]
fn logs_are_replayed_and_rated() {
    let folder = tempfile::tempdir().unwrap();
    let (path, log) = (folder.path(), folder.path().join("games.jsonl"));
    let play = ["match", "chains", "greedy", "random", "--board", "3x3", "--games", "20", "--log", "games.jsonl"];
    succeed(path, &play);
    let told = succeed(path, &["replay", "games.jsonl"]);
    assert!(told.contains("60 games: 60 correct, 60 of them played again"), "{told}");
    let board = succeed(path, &["leaderboard", "games.jsonl"]);
    let order: Vec<_> = ["chains", "greedy", "random"].map(|bot| board.find(bot).unwrap()).to_vec();
    assert!(order.is_sorted(), "{board}");
    let table = json(&succeed(path, &["leaderboard", "games.jsonl", "--json"]));
    let games: u64 = table["bots"].as_array().unwrap().iter().map(|bot| bot["games"].as_u64().unwrap()).sum();
    assert_eq!(games, 120);
    // A repeated game counts once.
    let twice = succeed(path, &["leaderboard", "games.jsonl", "games.jsonl", "--json"]);
    assert_eq!(json(&twice), table);
    let output = run(path, &["replay", "games.jsonl", "--rules", "--show", "61"]);
    assert_eq!(output.status.code(), Some(2), "there is no such line");
    let shown = succeed(path, &["replay", "games.jsonl", "--rules", "--show", "2"]);
    assert!(shown.contains("line 2: "));
    // The last line before the count is the game in the notation of players, which is a position of `solve`.
    let game = shown.lines().find(|line| line.starts_with("3x3 ")).unwrap();
    assert!(succeed(path, &["solve", game]).contains("the game is over"), "{game}");

    // A changed move and a changed score are found; a last line that was cut short is skipped.
    let text = std::fs::read_to_string(&log).unwrap();
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    let game = json(&lines[3]);
    let mut moves: Vec<u64> = game["moves"].as_array().unwrap().iter().map(|edge| edge.as_u64().unwrap()).collect();
    moves.swap(22, 23);
    lines[3] = lines[3].replace(&game["moves"].to_string(), &format!("{moves:?}").replace(' ', ""));
    let scores = json(&lines[5])["scores"].to_string();
    lines[5] = lines[5].replace(&format!("\"scores\":{scores}"), "\"scores\":[9,9]");
    let cut = lines[59].len() / 2;
    lines[59].truncate(cut);
    std::fs::write(&log, lines.join("\n")).unwrap();
    let output = run(path, &["replay", "games.jsonl"]);
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3));
    assert!(told.contains("line 4: ") && told.contains("line 6: ") && told.contains("59 games: 57 correct"), "{told}");
    // Wrong games are not rated.
    let output = run(path, &["leaderboard", "games.jsonl"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("chains"));
    let impossible = lines[0].replace("\"faults\":[0,0]", "\"faults\":[99,0]");
    assert_ne!(impossible, lines[0]);
    std::fs::write(path.join("faults.jsonl"), impossible).unwrap();
    let output = run(path, &["replay", "--rules", "faults.jsonl"]);
    assert_eq!(output.status.code(), Some(3));
    // What is no log is not appended to.
    std::fs::write(path.join("config.toml"), "seed = 1\n").unwrap();
    let output = run(path, &["match", "first", "random", "--board", "2x2", "--games", "2", "--log", "config.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(path.join("config.toml")).unwrap(), "seed = 1\n");
    // Games that are appended after the half line can be read.
    succeed(path, &["match", "first", "random", "--board", "2x2", "--games", "2", "--log", "games.jsonl"]);
    let boards = succeed(path, &["leaderboard", "games.jsonl"]);
    assert!(boards.contains("first") && boards.contains("2x2\n") && boards.contains("3x3\n"), "{boards}");
    // Networks may play differently on another instruction set, so their games are not wrong there.
    let mut elsewhere = program(path);
    elsewhere.env("DOUBLECROSS_ISA", "portable").args(["match", "net,sims=8,nodes=0", "greedy", "--board", "3x3"]);
    assert!(elsewhere.args(["--games", "4", "--log", "isa.jsonl"]).output().unwrap().status.success());
    let again = |isa: &str| program(path).env("DOUBLECROSS_ISA", isa).args(["replay", "isa.jsonl"]).output().unwrap();
    assert!(String::from_utf8_lossy(&again("portable").stdout).contains("4 of them played again"));
    let text = std::fs::read_to_string(path.join("isa.jsonl")).unwrap();
    std::fs::write(path.join("isa.jsonl"), text.replace("\"isa\":\"portable\"", "\"isa\":\"another\"")).unwrap();
    // Neither are those of which a log does not say where they ran, nor any without a nonce.
    let without_isa = text.replace(",\"isa\":\"portable\"", "");
    let without_nonce = lines[0].replacen("\"nonce\":", "\"other\":", 1);
    for log in [std::fs::read_to_string(path.join("isa.jsonl")).unwrap(), without_isa, without_nonce] {
        assert_ne!(log, text);
        std::fs::write(path.join("isa.jsonl"), log).unwrap();
        let output = again("portable");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && printed.contains(" 0 of them played again"), "{printed}");
    }
}
