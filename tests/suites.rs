//! The solver against every row of the position suites.

use std::path::Path;

use doublecross::eval::Suite;
use doublecross::solver::Solver;

#[test]
fn every_row_of_every_suite() {
    let mut rows = 0;
    for name in ["3x3", "4x4", "5x5-careful", "5x5-random", "5x5-strong"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/suites/{name}.tsv"));
        let suite = Suite::read(&path).unwrap();
        let mut solver = Solver::new(suite.board, 1 << 20);
        for (index, position) in suite.positions.iter().enumerate() {
            let solution = solver.solve(position.drawn, u64::MAX);
            assert_eq!(solution.margin(), Some(position.margin), "{name}, row {}", index + 1);
            assert_eq!(solution.best, position.best, "{name}, row {}", index + 1);
            rows += 1;
        }
    }
    assert_eq!(rows, 2050);
}

#[test]
fn malformed_suites_name_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.tsv");
    let good = "3x3\trandom\t6\t0xce3bff\t1\t0x14000\n";
    for (text, part) in [
        ("", "no position"),
        ("3x3\trandom\t6\t0xce3bff\t1\n", "5 columns"),
        ("3x3\trandom\t7\t0xce3bff\t1\t0x14000\n", "7 undrawn"),
        ("3x3\trandom\t6\t0xzz\t1\t0x14000\n", "mask"),
        ("3x3\trandom\t6\t0xce3bff\tx\t0x14000\n", "not a number"),
        ("3x3\trandom\t6\t0xce3bff\t1\t0x1\n", "optimal edges"),
        (&format!("{good}2x2\trandom\t12\t0x0\t2\t0x1\n"), "line 2"),
    ] {
        std::fs::write(&path, text).unwrap();
        let error = Suite::read(&path).unwrap_err().to_string();
        assert!(error.contains(part), "{text:?}: {error}");
    }
}
