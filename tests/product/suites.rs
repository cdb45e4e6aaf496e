//! The solver's answers against those of the suites in `tests/data/suites`.

use std::collections::HashSet;

use crate::common::{repository, run, succeed};
use doublecross::arena::suite::{Suite, SuiteError};
use doublecross::board::State;
use doublecross::solver::Solver;

fn suite(name: &str) -> Suite {
    Suite::read(&repository(&format!("tests/data/suites/{name}.tsv"))).unwrap()
}

#[test]
fn the_solver_agrees_with_every_row_of_the_suites() {
    let mut rows = 0;
    for name in ["3x3", "4x4", "5x5-careful", "5x5-random", "5x5-strong"] {
        let suite = suite(name);
        let mut solver = Solver::new(suite.board, 1 << 20);
        for (index, position) in suite.positions.iter().enumerate() {
            let solution = solver.solve(position.state, u64::MAX);
            assert_eq!(solution.margin(), Some(position.margin), "{name}, row {}", index + 1);
            assert_eq!(solution.best, position.best, "{name}, row {}", index + 1);
            rows += 1;
        }
    }
    assert_eq!(rows, 2050);
}

/// Most rows of the deep suites take too long for a test. Those that a budget settles have to
/// agree.
#[test]
fn the_solver_agrees_with_the_deep_suites_within_a_budget() {
    for (name, rows, step, nodes, least) in [("4x4-deep", 3000, 20, 1_000_000, 150), ("5x5-deep", 239, 1, 30_000, 60)] {
        let suite = suite(name);
        assert_eq!(suite.positions.len(), rows, "{name}");
        let canonical: HashSet<State> = suite.positions.iter().map(|p| p.state.canonical().0).collect();
        assert_eq!(canonical.len(), rows, "{name}: no two alike");
        let mut solver = Solver::new(suite.board, 1 << 20);
        let mut settled = 0;
        for (index, position) in suite.positions.iter().enumerate().step_by(step) {
            assert!(position.state.is_capture_free(), "{name}, row {}", index + 1);
            let solution = solver.solve(position.state, nodes);
            assert!(solution.bounds.contains(position.margin), "{name}, row {}", index + 1);
            settled += solution.margin().is_some() as usize;
            assert!(solution.best.is_empty() || solution.best == position.best, "{name}, row {}", index + 1);
        }
        assert!(settled >= least, "{name}: {settled} settled");
    }
}

#[test]
fn a_fresh_suite_is_drawn_like_another() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| repository(&format!("tests/data/suites/{name}.tsv")).display().to_string();
    let draw = |like: &str, more: &[&str]| {
        let path = path(like);
        run(folder.path(), &[&["suite", "--like", &path, "--seed", "9"], more].concat())
    };
    let text = String::from_utf8(draw("3x3", &["--threads", "1"]).stdout).unwrap();
    assert!(draw("3x3", &["--threads", "2", "--out", "fresh.tsv"]).status.success());
    let fresh = folder.path().join("fresh.tsv");
    assert_eq!(std::fs::read_to_string(&fresh).unwrap(), text);
    assert_eq!(String::from_utf8(draw("3x3", &["--out", "-"]).stdout).unwrap(), text);
    // Its first line is the command that draws it again.
    let (first, _) = text.split_once('\n').unwrap();
    let (_, command) = first.split_once(": ").unwrap();
    assert!(first.starts_with("# doublecross ") && command.ends_with("--seed 9 --nodes 100000000"), "{first}");
    assert_eq!(succeed(folder.path(), &command.split(' ').collect::<Vec<_>>()), text);
    let fresh = Suite::read(&fresh).unwrap();
    let canonical = |suite: &Suite| suite.positions.iter().map(|p| p.state.canonical().0).collect::<HashSet<State>>();
    let counts = |suite: &Suite| {
        [6, 10, 14, 18]
            .map(|undrawn| suite.positions.iter().filter(|position| position.state.undrawn().len() == undrawn).count())
    };
    assert_eq!((counts(&fresh), counts(&suite("3x3"))), ([100; 4], [100; 4]));
    assert!(canonical(&fresh).len() == 400 && canonical(&fresh).is_disjoint(&canonical(&suite("3x3"))));
    let network = repository("checkpoints/3x3").display().to_string();
    succeed(folder.path(), &["eval", &network, "--suite", "fresh.tsv", "--no-solver", "--sims", "10"]);

    let deep = draw("4x4-deep", &[]);
    let told = String::from_utf8(deep.stderr).unwrap();
    assert!(deep.status.code() == Some(2) && told.contains("4x4-deep.tsv, line "), "{told}");
    let wrong = run(folder.path(), &["suite", "--board", "2x2", "--undrawn", "13"]);
    assert!(wrong.status.code() == Some(2), "{}", String::from_utf8_lossy(&wrong.stderr));
    let none = ["suite", "--board", "4x4", "--undrawn", "36", "--nodes", "1", "--out", "fresh.tsv", "--force"];
    let none = run(folder.path(), &none);
    assert!(none.status.code() == Some(2) && folder.path().join("fresh.tsv").metadata().unwrap().len() > 0);
    let other = run(folder.path(), &["suite", "--board", "2x2", "--undrawn", "6", "--without", "fresh.tsv"]);
    let told = String::from_utf8(other.stderr).unwrap();
    assert_eq!(other.status.code(), Some(2), "{told}");
    let few = run(folder.path(), &["suite", "--board", "2x2", "--undrawn", "12", "--positions", "5"]);
    let told = String::from_utf8(few.stderr).unwrap();
    assert!(few.status.success() && told.contains("1 of 5"), "{told}");
}

#[test]
fn malformed_suites_are_refused_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.tsv");
    let good = "3x3\trandom\t6\t0xce3bff\t1\t0x14000\n";
    std::fs::write(&path, "").unwrap();
    assert!(matches!(Suite::read(&path), Err(SuiteError::Empty { .. })));
    for (text, number) in [
        ("3x3\trandom\t6\t0xce3bff\t1\n", 1),
        ("3x3\trandom\t7\t0xce3bff\t1\t0x14000\n", 1),
        ("3x3\trandom\t6\t0xzz\t1\t0x14000\n", 1),
        ("3x3\trandom\t6\t0xce3bff\tx\t0x14000\n", 1),
        ("3x3\trandom\t6\t0xce3bff\t1\t0x1\n", 1),
        (&format!("{good}2x2\trandom\t12\t0x0\t2\t0x1\n"), 2),
    ] {
        std::fs::write(&path, text).unwrap();
        let error = Suite::read(&path).unwrap_err();
        assert!(matches!(error, SuiteError::Line { line, .. } if line == number), "{text:?}: {error}");
    }
}

/// A suite of played positions repeats, so that no bot by the clock or in a process of its own plays one.
#[test]
fn positions_are_played_by_a_bot() {
    let scratch = tempfile::tempdir().unwrap();
    let draw = |by: &[&str]| {
        let board = ["suite", "--board", "3x3", "--undrawn", "14", "--positions", "3"];
        run(scratch.path(), &[&board[..], by].concat())
    };
    let played = || String::from_utf8(draw(&["--kind", "played", "--by", "greedy"]).stdout).unwrap();
    let suite = played();
    assert!(suite.lines().next().unwrap().contains("--kind played --undrawn 14 --positions 3 --by greedy"), "{suite}");
    assert_eq!((suite.lines().count(), played()), (4, suite));
    for (by, part) in [
        (&["--kind", "played"][..], "need a bot"),
        (&["--by", "greedy"], "there are none"),
        (&["--kind", "played", "--by", "exec:true"], "may draw other edges"),
        (&["--kind", "played", "--by", "mcts:9,seconds=0.1"], "may draw other edges"),
    ] {
        let output = draw(by);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && told.contains(part), "{by:?}: {told}");
    }
}
