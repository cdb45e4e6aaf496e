//! Any bytes as an observation: the answer is always a well-formed action, and a legal one if the board's edges can be read.
#![no_main]

use std::cell::RefCell;

use doublecross_core::board::Board;
use doublecross_core::net::Isa;
use doublecross_core::search::Budget;
use doublecross_core::submission::Submission;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

const WEIGHTS: &[u8] = include_bytes!("../../checkpoints/3x3/ema.dxw");

thread_local!(static BOT: RefCell<Submission> =
    RefCell::new(Submission::new(WEIGHTS, Budget::new(2, 50), Isa::Portable).expect("pretrained weights")));

fuzz_target!(|bytes: &[u8]| {
    let answer = BOT.with(|bot| bot.borrow_mut().act(bytes));
    let action: Value = serde_json::from_str(&answer).expect("an action is JSON");
    let (orient, r, c) = (&action["orient"], &action["r"], &action["c"]);
    let (Some(orient), Some(r), Some(c)) = (orient.as_str(), r.as_u64(), c.as_u64()) else {
        panic!("{answer} is not an action");
    };
    if let Some((board, drawn)) = serde_json::from_slice(bytes).ok().and_then(|value| edges(&value)) {
        let edge = board.parse_edge(&format!("{orient}{r},{c}")).expect("an edge of the board");
        assert!(drawn.iter().all(|&drawn| drawn) || !drawn[edge.index()], "{answer} is drawn already");
    }
});

/// The board and its edges, if both fields are complete.
fn edges(value: &Value) -> Option<(Board, Vec<bool>)> {
    let lines = |name: &str| -> Option<Vec<Vec<bool>>> {
        let line = |line: &Value| line.as_array()?.iter().map(Value::as_bool).collect();
        value[name].as_array()?.iter().map(line).collect()
    };
    let (h, v) = (lines("h")?, lines("v")?);
    let (rows, cols) = (v.len(), h.first()?.len());
    let board = Board::new(rows, cols).ok()?;
    let whole = h.len() == rows + 1 && h.iter().all(|line| line.len() == cols) && v.iter().all(|l| l.len() == cols + 1);
    whole.then(|| (board, h.concat().into_iter().chain(v.concat()).collect()))
}
