//! Boards of more than 64 edges, end to end: training, suites, matches, logs, proofs and exported bots.

use std::fs;
use std::process::Command;

use crate::common::tools::{has_node, has_wasmtime};
use crate::common::{feed_command, json, program, repository, run, succeed};
use doublecross::board::{Board, Position};
use doublecross::protocol::{format_observation, parse_action};

/// A run on 7x7 whose solver settles what is undrawn at the end.
const CONFIG: &str = "board = \"7x7\"
generations = 2
[network]
channels = 16
blocks = 1
value_hidden = 16
[selfplay]
games = 4
simulations = 8
opening_edges = 40
opening_safe = 1.0
root_undrawn = 58
root_nodes = 20000
relabel_nodes = 2000
[labeled]
positions = 12
least_undrawn = 54
most_undrawn = 56
band_undrawn = 40
[learn]
batch = 32
schedule_generations = 2
edge_loss = 1.0
[suite]
positions = 12
least_undrawn = 52
most_undrawn = 56
every = 1
simulations = 8
[finish]
against = \"greedy\"
games = 2
simulations = 8
";

/// Positions of a board after every seventh move of a game, as an arena would ask about them.
fn observations(board: Board) -> Vec<(Position, String)> {
    let mut position = Position::new(board);
    let mut list = Vec::new();
    for turn in 0.. {
        if turn % 7 == 0 {
            list.push((position.clone(), format_observation(&position, position.mover(), turn)));
        }
        let safe = position.state().offer().rest.safe_edges().intersection(position.undrawn());
        let edges = if safe.is_empty() { position.undrawn() } else { safe };
        let Some(edge) = position.pick(edges, turn) else { return list };
        position.play(edge).unwrap();
        if position.is_over() {
            return list;
        }
    }
    list
}

#[test]
fn a_network_of_7x7_is_trained_scored_and_exported() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    fs::write(folder.join("7x7.toml"), CONFIG).unwrap();
    succeed(folder, &["train", "7x7.toml", "--run", "whole"]);
    // A run that is interrupted comes to the same weights.
    succeed(folder, &["train", "7x7.toml", "--run", "halved", "--set", "generations=1"]);
    succeed(folder, &["train", "halved", "--set", "generations=2"]);
    let weights = |run: &str| fs::read(folder.join(run).join("checkpoints/gen-000002/ema.dxw")).unwrap();
    assert!(weights("whole") == weights("halved"));
    succeed(folder, &["verify", "whole"]);
    let suite = ["suite", "--board", "7x7", "--kind", "careful", "--undrawn", "54", "--positions", "6"];
    succeed(folder, &[&suite[..], &["--out", "suite.tsv"]].concat());
    let scores = json(&succeed(folder, &["eval", "whole", "--suite", "suite.tsv", "--sims", "8", "--json"]));
    let all = scores["bands"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((all["positions"].as_u64(), all["search_optimal"]["share"].as_f64()), (Some(6), Some(1.0)), "{all}");
    let games = ["match", "net:whole,sims=8,nodes=2000", "chains", "--games", "2", "--log", "log.jsonl", "--json"];
    let pairs = json(&succeed(folder, &games));
    assert_eq!(pairs["pairs"][0]["games"], 2);
    assert_eq!(pairs["pairs"][0]["faults_a"], 0);
    succeed(folder, &["replay", "log.jsonl"]);

    // The exported bots play as the bot, on the network's board and on others.
    let forms = ["--form", "wasm", "--form", "bundle", "--sims", "8", "--solver-nodes", "2000"];
    succeed(folder, &[&["export", "whole", "--to", "bot"][..], &forms].concat());
    for board in [Board::new(7, 7).unwrap(), Board::new(9, 9).unwrap()] {
        let asked = observations(board);
        assert!(asked.len() > 10);
        let lines: String = asked.iter().map(|(_, text)| format!("{text}\n")).collect();
        let answers = |mut command: Command| {
            command.env("DOUBLECROSS_ISA", "portable");
            let output = feed_command(command, lines.as_bytes());
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap()
        };
        let bundled = answers(Command::new(folder.join("bot/bot")));
        for (line, (position, _)) in bundled.lines().zip(&asked) {
            let edge = parse_action(board, line).unwrap();
            assert!(position.undrawn().contains(edge), "{board}: {line}");
        }
        assert_eq!(bundled.lines().count(), asked.len());
        for (host, script, is_there) in [
            ("node", "tests/data/play_module.mjs", has_node()),
            ("python3", "tests/data/play_module.py", has_wasmtime()),
        ] {
            if is_there {
                let mut command = Command::new(host);
                command.arg(repository(script)).arg(folder.join("bot/bot.wasm"));
                assert_eq!(answers(command), bundled, "{board} by {host}");
            }
        }
    }
}

#[test]
fn what_is_out_of_reach_is_told_at_once() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let answer = json(&succeed(folder, &["solve", "9x9", "--json"]));
    assert_eq!(
        (answer["settled"].as_bool(), answer["lower"].as_i64(), answer["upper"].as_i64()),
        (Some(false), Some(-81), Some(81))
    );
    assert_eq!((&answer["in_reach"], &answer["nodes"]), (&false.into(), &0.into()));
    let text = succeed(folder, &["solve", "8x8", "--moves"]);
    assert!(text.contains("out of the solver's reach: its graph has more than 64 strings"), "{text}");
    assert!(text.contains("margin -64 to +64"), "{text}");
    let refused = run(folder, &["prove", "6x6", "--log", "log"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("25 joints"), "{refused:?}");
    assert!(!folder.join("log").exists());
}

/// Positions and games of the largest boards are read as they are written.
#[test]
fn positions_of_large_boards_are_solved_by_name() {
    let scratch = tempfile::tempdir().unwrap();
    // All edges but the four sides of the box in the middle are drawn: five boxes on offer.
    let board = Board::new(9, 9).unwrap();
    let state = doublecross::board::State::from_undrawn(board, board.sides(40));
    let answer = json(&succeed(scratch.path(), &["solve", &state.to_string(), "--moves", "--json"]));
    assert_eq!((answer["margin"].as_i64(), answer["position"].as_str()), (Some(5), Some(state.to_string().as_str())));
    assert_eq!(answer["best"].as_array().unwrap().len(), 4);
    let mut command = program(scratch.path());
    command.args(["solve", "-"]);
    let output = feed_command(command, b"1x59 H0,58\n9x9 V8,9 H9,8\n");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}
