//! Exported bots play as the checkpoint they came from.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::tools::{has_node, has_wasmtime};
use crate::common::{feed_command, program, repository, run, succeed};
use doublecross::board::{Board, Position, State};
use doublecross::protocol::{format_observation, parse_action};

/// Positions of 5x5 of every length, some with boxes on offer and boxes owned, as an arena would ask about them.
fn observations() -> Vec<(Position, String)> {
    let board = Board::new(5, 5).unwrap();
    let mut state = 7u64;
    let mut number = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    let mut list = vec![Position::new(board)];
    for length in 1..60 {
        let mut position = Position::new(board);
        while position.drawn().len() < length {
            let undrawn: Vec<_> = position.undrawn().iter().collect();
            // Mostly edges that offer nothing, so that there is something to fight for.
            let careful: Vec<_> =
                undrawn.iter().copied().filter(|&edge| position.state().after(edge).is_capture_free()).collect();
            let choices = if careful.is_empty() || number(12) == 0 { undrawn } else { careful };
            position.play(choices[number(choices.len())]).unwrap();
        }
        list.push(position);
    }
    list.into_iter().map(|p| (p.clone(), format_observation(&p, p.mover(), 5))).collect()
}

fn lines(observations: &[(Position, String)]) -> String {
    observations.iter().map(|(_, text)| format!("{text}\n")).collect()
}

/// The engines at hand that run modules.
fn hosts(module: &Path) -> Vec<Command> {
    let host = |program: &str, script: &str| {
        let mut command = Command::new(program);
        command.arg(repository(script)).arg(module);
        command
    };
    let node = has_node().then(|| host("node", "tests/data/play_module.mjs"));
    let wasmtime = has_wasmtime().then(|| host("python3", "tests/data/play_module.py"));
    node.into_iter().chain(wasmtime).collect()
}

fn answers(command: Command, input: &[u8]) -> String {
    let output = feed_command(command, input);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

const ISA: &str = "DOUBLECROSS_ISA";

/// Exports a checkpoint into `folder/bot` with a small budget.
fn export(folder: &Path, checkpoint: &str, form: &str) -> PathBuf {
    let checkpoint = repository(checkpoint);
    let to = ["export", checkpoint.to_str().unwrap(), "--to", "bot", "--form", form];
    let told = succeed(folder, &[&to[..], &["--sims", "60", "--solver-nodes", "2000"]].concat());
    assert!(told.contains("bot"), "{told}");
    folder.join("bot")
}

/// The program's own actions with the same budget, on this instruction set or on its default.
fn native(folder: &Path, isa: Option<&str>, input: &[u8]) -> Option<String> {
    let mut command = program(folder);
    let bot = format!("net:{},sims=60,nodes=2000", repository("checkpoints/5x5-small").display());
    command.args(["bot", &bot]).env_remove(ISA).envs(isa.map(|isa| (ISA, isa)));
    let output = feed_command(command, input);
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_module_plays_as_the_checkpoint_it_came_from() {
    let scratch = tempfile::tempdir().unwrap();
    let module = export(scratch.path(), "checkpoints/5x5-small", "wasm").join("bot.wasm");
    assert!(module.metadata().unwrap().len() <= 2 << 20);
    let observations = observations();
    let input = lines(&observations);
    // The module plays on bytes. Not every processor does, so what they come to is kept.
    let kept = include_str!("../data/module_actions.jsonl");
    if let Some(native) = native(scratch.path(), Some("int8"), input.as_bytes()) {
        assert_eq!(
            native, kept,
            "with other weights or another core tests/data/module_actions.jsonl has to be made anew"
        );
    }
    for host in hosts(&module) {
        let actions = answers(host, input.as_bytes());
        assert_eq!(actions.lines().count(), observations.len());
        for ((position, _), action) in observations.iter().zip(actions.lines()) {
            assert!(position.undrawn().contains(parse_action(position.board(), action).unwrap()), "{action}");
        }
        assert_eq!(actions, kept);
    }
}

#[test]
fn a_module_answers_any_bytes() {
    let scratch = tempfile::tempdir().unwrap();
    let module = export(scratch.path(), "checkpoints/3x3", "wasm").join("bot.wasm");
    let board = Board::new(3, 3).unwrap();
    let state = State::new(board).after(board.horizontal(0, 0).unwrap());
    let good = format_observation(&Position::from_state(state), 0, 1).into_bytes();
    let mut input = Vec::new();
    for at in 0..good.len() {
        let damaged = [b'9', b'"', 0xff].map(|byte| [&good[..at], &[byte], &good[at + 1..], b"\n"].concat());
        input.extend([&damaged.concat(), &good[..at + 1], b"\n"].concat());
    }
    // A board that the network does not know, and at last the whole observation.
    let other = Position::new(Board::new(2, 4).unwrap());
    input.extend(format!("{}\n", format_observation(&other, 0, 1)).bytes());
    input.extend(&good);
    for host in hosts(&module) {
        let actions = answers(host, &input);
        let actions: Vec<&str> = actions.lines().collect();
        assert_eq!(actions.len(), 4 * good.len() + 2);
        assert!(actions.iter().all(|action| action.starts_with("{\"orient\":")));
        let [.., of_other, of_good] = actions[..] else { panic!("that many") };
        assert!(parse_action(other.board(), of_other).is_ok());
        assert!(state.undrawn().contains(parse_action(board, of_good).unwrap()));
    }
}

#[test]
#[ignore = "long: run with --include-ignored"]
fn a_source_file_compiles_alone_and_plays_as_the_checkpoint() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = export(scratch.path(), "checkpoints/5x5-small", "source");
    // As a module of another program, with observations as texts and as fields.
    let main = r#"
        mod bot;
        fn main() {
            for line in std::io::stdin().lines() {
                println!("{}", bot::act(&line.unwrap()));
            }
            let (h, v) = (vec![vec![true, false], vec![false; 2], vec![false; 2]], vec![vec![false; 3]; 2]);
            println!("{:?}", bot::act_on(0, 1, &h, &v, &[vec![-1; 2], vec![-1; 2]], 5));
        }
    "#;
    std::fs::write(folder.join("main.rs"), main).unwrap();
    let rustc = Command::new("rustc")
        .args(["-O", "--edition", "2021", "main.rs"])
        .current_dir(&folder)
        .output()
        .expect("rustc is there");
    let warnings = String::from_utf8_lossy(&rustc.stderr);
    assert!(rustc.status.success() && warnings.is_empty(), "{warnings}");
    let input = lines(&observations());
    let mut bot = Command::new(folder.join("main"));
    bot.env_remove(ISA);
    let actions = answers(bot, input.as_bytes());
    let (actions, of_fields) = actions.trim_end().rsplit_once('\n').unwrap();
    assert!(of_fields.starts_with("('H', ") || of_fields.starts_with("('V', "), "{of_fields}");
    assert_ne!(of_fields, "('H', 0, 0)", "that edge is drawn");
    assert_eq!(native(scratch.path(), None, input.as_bytes()).unwrap().trim_end(), actions);
}

#[test]
fn a_bundle_is_the_bot() {
    let scratch = tempfile::tempdir().unwrap();
    let bot = export(scratch.path(), "checkpoints/5x5-small", "bundle").join("bot");
    let input = lines(&observations());
    let mut bot = Command::new(bot);
    bot.env_remove(ISA);
    let actions = answers(bot, input.as_bytes());
    assert_eq!(native(scratch.path(), None, input.as_bytes()).unwrap(), actions);
}

#[test]
fn what_cannot_be_exported_is_said() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let output = run(folder, &["export", "nowhere", "--to", "bot"]);
    assert_eq!(output.status.code(), Some(2));
    std::fs::write(folder.join("file"), "").unwrap();
    let checkpoint = repository("checkpoints/3x3");
    let output = run(folder, &["export", checkpoint.to_str().unwrap(), "--to", "file/bot"]);
    assert_eq!(output.status.code(), Some(1));
}
