//! `doublecross book`: the built-in book, a log of another board as a book, and what relies on it.

use std::fs;
use std::path::Path;

use crate::common::{json, repository, run, succeed};
use doublecross::board::{Board, Position, State};
use doublecross::bots::{EvaluatorSource, SearchPlayer};
use doublecross::built_in::{built_in, lemmas};
use doublecross::proof::LemmaSet;
use doublecross::search::Budget;
use doublecross::solver::{Book, Bounds, Lemma, Solver};
use serde_json::Value;

fn answer(folder: &Path, arguments: &[&str]) -> Value {
    json(&succeed(folder, &[arguments, &["--json"]].concat()))
}

fn told(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(folder, arguments);
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

/// Solves a claim as it is printed.
fn is_true(claim: &str, solver: &mut Solver) -> bool {
    let (state, claimed) = claim.split_once(" is at ").unwrap();
    let (side, margin) = claimed.split_once(' ').unwrap();
    let (margin, actual): (i32, _) =
        (margin.parse().unwrap(), solver.margin(state.parse().unwrap(), u64::MAX).unwrap());
    if side == "least" { actual >= margin } else { actual <= margin }
}

/// The lemma of the built-in book whose proof took the most nodes, of those with an exact result for
/// the player to move.
fn dearest() -> Lemma {
    let lemmas = lemmas().next().unwrap().by_work();
    *lemmas.iter().find(|lemma| lemma.bounds.lower > 0).expect("a position of the book should be won")
}

#[test]
fn positions_are_proved_and_logged_for_a_book() {
    let folder = tempfile::tempdir().unwrap();
    let extend = |more: &[&str]| {
        let arguments = ["book", "extend", "--log", "log", "--board", "3x3", "--undrawn", "20,18", "--log-from", "20"];
        let text = succeed(folder.path(), &[&arguments, more, &["--threads", "1", "--json"]].concat());
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
    };
    let proved = extend(&["greedy", "chains", "--games", "2"]);
    assert!(proved.len() >= 4, "{proved:?}");
    for one in &proved {
        assert_eq!(one["settled"], Value::from(true), "{one}");
        let position = one["position"].as_str().unwrap();
        let margin = answer(folder.path(), &["solve", position])["margin"].as_i64();
        assert!(one["lower"].as_i64() <= margin && margin <= one["upper"].as_i64(), "{one} {margin:?}");
        let shown = answer(folder.path(), &["book", "show", "--log", "log", position]);
        assert_eq!(shown["known"], Value::from(true));
        assert!(shown["lower"].as_i64() >= one["lower"].as_i64(), "{shown} {one}");
    }
    // Everything is known by then.
    let again = extend(&["greedy", "chains", "--games", "2"]);
    assert_eq!(again.len(), proved.len());
    assert!(again.iter().all(|one| one["nodes"] == 0), "{again:?}");
    let exact = extend(&["greedy", "chains", "--games", "2", "--exact"]);
    assert!(exact.iter().all(|one| one["lower"] == one["upper"]), "{exact:?}");
    let counts = answer(folder.path(), &["book", "show", "--log", "log"]);
    let book = &counts["books"][0];
    assert!(book["board"] == "3x3" && book["positions"].as_u64() >= Some(proved.len() as u64), "{counts}");
    let check = answer(folder.path(), &["book", "check", "--log", "log", "--sample", "all"]);
    let check = &check["books"][0];
    assert_eq!((&check["false"], &check["beyond"]), (&Value::Array(Vec::new()), &Value::Array(Vec::new())), "{check}");
    assert_eq!(
        (&check["solved"], &check["proved"], &check["conclusion"]),
        (&check["frontier"], &true.into(), &"is proved".into())
    );
    // A budget that is too small proves nothing and refutes nothing.
    let (code, text) = told(folder.path(), &["book", "check", "--log", "log", "--budget", "1"]);
    assert_eq!(code, Some(5), "{text}");
    // Nor does a sample.
    let (code, text) = told(folder.path(), &["book", "check", "--log", "log", "--sample", "3", "-q"]);
    let first = text.lines().next().unwrap();
    assert!(
        code == Some(5) && first.starts_with("3x3: what the book says of ") && first.contains(" follows from "),
        "{text}"
    );
    assert!(text.contains("solved anew: 3 claims drawn with seed "), "{text}");
}

/// A forger needs only one false claim, and makes it dear.
#[test]
fn a_dear_false_lemma_of_a_book_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let forged = repository("tests/data/proofs/false-3x4.log").display().to_string();
    let arguments = ["book", "check", "--log", &forged, "--sample", "all", "--budget", "20000"];
    let output = run(folder.path(), &[&arguments[..], &["--json"]].concat());
    let book = &json(&String::from_utf8(output.stdout).unwrap())["books"][0];
    // Other lemmas refute it.
    assert!(output.status.code() == Some(3) && book["proved"] == false && book["miss_chance"] == 0.0, "{book}");
    let beyond: Vec<&str> = book["beyond"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(book["assumed"] == beyond.len() && book["false"] == Value::Array(Vec::new()), "{book}");
    let mut solver = Solver::new("3x4".parse().unwrap(), 1 << 18);
    assert!(beyond.iter().any(|claim| !is_true(claim, &mut solver)), "{book}");
    let arguments = ["book", "check", "--log", &forged, "--sample", "40", "--seed", "1", "--budget", "2000", "-q"];
    let (code, text) = told(folder.path(), &arguments);
    assert!(
        code == Some(3) && text.contains(": beyond the budget") && text.contains("another one refutes it"),
        "{text}"
    );
}

#[test]
fn false_and_damaged_lemmas_of_a_book_are_found() {
    let folder = tempfile::tempdir().unwrap();
    succeed(folder.path(), &["prove", "3x3", "--log", "log", "--log-from", "500", "--threads", "1"]);
    let whole = fs::read_to_string(folder.path().join("log")).unwrap();
    let (code, text) = told(folder.path(), &["book", "check", "--log", "log", "--sample", "50"]);
    assert!(
        code == Some(5) && text.contains("solved anew: 50 claims") && text.contains(": 50 true, 0 false"),
        "{text}"
    );
    // A position that the log says nothing about, with the opposite of its margin.
    let mut lemmas = LemmaSet::new(Board::new(3, 3).unwrap());
    lemmas.read(&folder.path().join("log")).unwrap();
    let mut solver = Solver::new(lemmas.board(), 1 << 16);
    let forged = |state: State| {
        let margin = solver.margin(state, u64::MAX)?;
        (margin != 0 && state.is_capture_free() && lemmas.get(state).is_none()).then_some(Lemma {
            state,
            bounds: Bounds::exact(-margin),
            nodes: 0,
        })
    };
    let states = lemmas.by_work().into_iter().map(|lemma| lemma.state);
    let successors = states.flat_map(|state| state.undrawn().iter().map(move |edge| state.after(edge)));
    let forged = successors.into_iter().find_map(forged).expect("some position should be missing");
    fs::write(folder.path().join("log"), format!("{whole}{}\n", doublecross::proof::format_lemma(&forged))).unwrap();
    let (code, text) = told(folder.path(), &["book", "check", "--log", "log", "--sample", "all"]);
    assert_eq!(code, Some(3), "{text}");
    // If the forged lemma was derived from others, one of them is false and is named; otherwise it is named itself.
    let output = run(folder.path(), &["book", "check", "--log", "log", "--sample", "all", "--json"]);
    let check: Value = serde_json::from_slice(&output.stdout).unwrap();
    let named = check["books"][0]["false"].as_array().unwrap();
    assert!(!named.is_empty(), "{check}");
    for claim in named.iter().map(|claim| claim.as_str().unwrap()) {
        assert!(!is_true(claim, &mut solver), "{claim}");
    }
    fs::write(folder.path().join("log"), whole.replacen("..", "..-", 1)).unwrap();
    let (code, text) = told(folder.path(), &["book", "show", "--log", "log"]);
    assert_eq!(code, Some(3), "{text}");
    fs::write(folder.path().join("log"), "").unwrap();
    for command in ["show", "check"] {
        let (code, text) = told(folder.path(), &["book", command, "--log", "log"]);
        assert_eq!(code, Some(3), "{text}");
    }
    for arguments in [&["book", "show", "--log", "none"][..], &["book", "show", "2x2"], &["book", "show", "5x5:0xg"]] {
        assert_eq!(told(folder.path(), arguments).0, Some(2), "{arguments:?}");
    }
}

#[test]
fn solve_relies_on_the_book() {
    let folder = tempfile::tempdir().unwrap();
    let lemma = dearest();
    // A mirror image, which is not the position that the book keeps.
    let images = lemma.state.board().symmetries().map(|symmetry| lemma.state.image(symmetry));
    let image = images.into_iter().find(|image| *image != lemma.state).unwrap_or(lemma.state).to_string();
    let solve = |more: &[&str]| answer(folder.path(), &[&["solve", &image, "--nodes", "2000"], more].concat());
    let with_book = solve(&[]);
    assert_eq!(with_book["book"], Value::from(true), "{with_book}");
    assert!(with_book["lower"].as_i64() >= Some(lemma.bounds.lower.into()), "{with_book}");
    let without = solve(&["--no-book"]);
    assert_eq!(without["book"], Value::from(false), "{without}");
    assert!(without["lower"].as_i64() < with_book["lower"].as_i64(), "{without}");
    // A log holds its whole proof, so it does not rely on the book.
    assert_eq!(solve(&["--log", "log"])["book"], Value::from(false));
    let shown = answer(folder.path(), &["book", "show", &image]);
    assert_eq!((&shown["known"], shown["lower"].as_i64()), (&Value::from(true), Some(lemma.bounds.lower.into())));
}

/// The bots draw an edge of the book that wins, with a budget that proves nothing by itself.
#[test]
fn bots_rely_on_the_book_at_the_root() {
    let lemma = dearest();
    let board = lemma.state.board();
    let book = built_in().books.of(board).unwrap();
    let wins = |position: &Position| {
        let (state, lead) = (position.state(), position.lead());
        let winning = |edge: &_| {
            let after = state.after(*edge);
            let is_found = after.offer().rest.safe_edges().len() >= Book::LEAST_SAFE;
            is_found && book.bounds(after).after(state.captures(*edge)).lower + lead > 0
        };
        state.undrawn().iter().filter(winning).collect::<Vec<_>>()
    };
    let known: Vec<Position> = (book.lemmas().filter(|lemma| lemma.state.undrawn().len() >= 41))
        .map(|lemma| Position::from_state(lemma.state))
        .filter(|position| !wins(position).is_empty())
        .collect();
    assert!(!known.is_empty());
    let player = || SearchPlayer::new(EvaluatorSource::Nothing, Budget::new(1, 64));
    let (mut with_book, mut without) = (player().with_book(book.clone()), player());
    for position in &known {
        let play = with_book.player(board).unwrap().decide(position);
        let proved = play.proved.unwrap_or_else(|| panic!("the book should prove a win in {position}"));
        assert!(wins(position).iter().any(|&edge| proved.edges.contains(edge)), "{position}");
        assert!(without.player(board).unwrap().decide(position).proved.is_none(), "{position}");
    }
    // A book of another board is of no use, and does no harm.
    let other = Position::new(Board::new(2, 3).unwrap());
    assert!(with_book.player(other.board()).unwrap().decide(&other).edge.index() < 17);
}

#[test]
fn bots_leave_out_the_book_when_told() {
    let folder = tempfile::tempdir().unwrap();
    for (bot, code) in [("uniform:4,nodes=10,book=0", 0), ("uniform:4,nodes=10,book=1", 0), ("uniform:4,book=2", 2)] {
        let output = run(folder.path(), &["match", bot, "random", "--games", "2", "--board", "2x2"]);
        assert_eq!(output.status.code(), Some(code), "{bot}");
    }
}
