//! Models in ONNX give what the engine gives.

use std::fs;
use std::path::Path;
use std::process::Command;

use doublecross::arena::suite::Suite;
use doublecross::board::{Board, State};
use doublecross::net::{Engine, Isa, Network, PLANES, PolicyCell, write_planes};
use doublecross::run::load_weights;

use crate::common::tools::has_onnx;
use crate::common::{repository, succeed};

/// The capture-free positions of a suite.
fn positions(suite: &str) -> Vec<State> {
    let suite = Suite::read(&repository("tests/data/suites").join(suite)).unwrap();
    suite.positions.iter().map(|position| position.state).filter(|state| state.is_capture_free()).collect()
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Has ONNX check the model of a checkpoint and compare it with the engine on these positions.
fn compare(folder: &Path, checkpoint: &str, board: &str, positions: &[State]) {
    let path = repository("checkpoints").join(checkpoint);
    succeed(folder, &["export", path.to_str().unwrap(), "--to", "model", "--form", "onnx", "--force"]);
    let board: Board = board.parse().unwrap();
    let weights = load_weights(&path).unwrap();
    let mut engine = Engine::new(Network::new(&weights.on(board), Isa::Portable).into());
    let (mut planes, mut policy, mut margins) = (Vec::new(), Vec::new(), Vec::new());
    let mut of_position = vec![0.0; PolicyCell::count(board) * PLANES];
    for &state in positions {
        write_planes(state, &mut of_position);
        planes.extend(&of_position);
        let output = engine.forward(state);
        policy.extend(output.policy);
        if board == weights.board {
            margins.extend(output.margins);
        }
    }
    for (name, numbers) in [("planes", planes), ("policy", policy), ("margins", margins)] {
        fs::write(folder.join(name), floats(&numbers)).unwrap();
    }
    let mut python = Command::new("python3");
    python.arg(repository("tests/data/run_onnx.py")).current_dir(folder);
    python.args(["model/network.onnx", &board.rows().to_string(), &board.cols().to_string()]);
    let output = python.output().expect("python starts");
    let printed = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let expected = format!("{} positions agree", positions.len());
    assert!(output.status.success() && printed.contains(&expected), "{checkpoint} on {board}: {printed}");
}

#[test]
fn a_model_gives_the_logits_of_the_engine() {
    if !has_onnx() {
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let suites = ["5x5-careful.tsv", "5x5-deep.tsv", "5x5-random.tsv", "5x5-strong.tsv"];
    let suites = [("3x3", &["3x3.tsv"][..]), ("4x4", &["4x4.tsv", "4x4-deep.tsv"]), ("5x5", &suites)];
    for (board, suites) in suites {
        let positions: Vec<State> = suites.iter().flat_map(|suite| positions(suite)).collect();
        assert!(positions.len() >= 50, "{board}: {}", positions.len());
        compare(scratch.path(), board, board, &positions);
        // A network of several boards takes grids of all their sizes.
        compare(scratch.path(), "any", board, &positions);
    }
}
