use super::*;
use crate::board::parse_edges;

const NO_LIMIT: Limits = Limits { nodes: u64::MAX, deadline: None };

/// The same answers with one thread and with several, with a large table and with one that hardly holds anything.
#[test]
fn threads_and_tables_change_no_answer() {
    let careful = include_str!("../../tests/data/suites/5x5-careful.tsv");
    let deep = include_str!("../../tests/data/suites/5x5-deep.tsv");
    let row = |suite: &'static str, undrawn| {
        let mut rows = suite.lines().map(|line| line.split('\t').collect::<Vec<&str>>());
        rows.find(|row| row[2] == undrawn).unwrap()
    };
    let (near, far) = (row(careful, "36"), row(deep, "38"));
    for (entries, threads, row) in [(1 << 20, 1, &far), (1 << 20, 2, &far), (1 << 20, 4, &far), (64, 3, &near)] {
        let mut team = Team::new(Board::new(5, 5).unwrap(), entries, threads);
        let (board, drawn) = parse_edges(&format!("5x5:{}", row[3])).unwrap();
        let solution = team.solve(drawn, 0, NO_LIMIT, &mut |_| true);
        assert_eq!(solution.margin(), row[4].parse().ok());
        let best = u64::from_str_radix(row[5].trim_start_matches("0x"), 16).unwrap();
        assert_eq!(u64::from_le_bytes(solution.best.to_bytes()), best);
        if row == &far {
            assert!(team.scout.is_none(), "the position is too much for one solver alone");
            continue;
        }
        for worth in team.worths(drawn, NO_LIMIT, &mut |_| true) {
            assert_eq!(worth.lower, worth.upper);
            let is_best = Some(worth.lower) == solution.margin();
            assert!(worth.edges.iter().all(|edge| solution.best.contains(edge) == is_best));
        }
        assert_eq!(team.board(), board);
    }
}

/// 4x4 is a tie: whatever ends the work, that lies within the bounds.
#[test]
fn limits_and_stops_leave_true_bounds() {
    let mut team = Team::new(Board::new(4, 4).unwrap(), 1 << 16, 2);
    let drawn = Edges::EMPTY;
    let is_true = |solution: &Solution| solution.lower < solution.upper && solution.lower <= 0 && solution.upper >= 0;
    let limits = Limits { nodes: 50_000, deadline: None };
    let solution = team.solve(drawn, 0, limits, &mut |_| true);
    assert!(is_true(&solution) && solution.best.is_empty());
    assert!(solution.nodes <= 51_000, "{}", solution.nodes);
    let deadline = Some(Instant::now() + Duration::from_millis(200));
    let solution = team.solve(drawn, 0, Limits { nodes: u64::MAX, deadline }, &mut |_| true);
    assert!(is_true(&solution));
    let reins = team.reins();
    let (mut glimpses, mut most) = (0, 0);
    let solution = team.solve(drawn, 0, NO_LIMIT, &mut |glimpse| {
        glimpses += 1;
        assert!(glimpse.nodes > 0);
        // 40 edges, all of them safe; the two of a corner are one move.
        let tries = reins.tries();
        assert!(tries.iter().all(|one| (1..=one.of).contains(&one.number)), "{tries:?}");
        assert!(tries.first().is_none_or(|one| one.of == 36), "{tries:?}");
        most = most.max(tries.len());
        glimpses < 3
    });
    assert!(most > 1, "a team tells what it tries");
    assert!(is_true(&solution) && glimpses == 3);
}

/// A solve that was stopped goes on from its table and comes to the same answer with fewer nodes.
#[test]
fn a_stopped_solve_goes_on_from_its_table() {
    let board = Board::new(3, 4).unwrap();
    let mut team = Team::new(board, 1 << 20, 1);
    let limits = Limits { nodes: 300_000, deadline: None };
    assert_eq!(team.solve(Edges::EMPTY, 0, limits, &mut |_| true).margin(), None);
    let words: Vec<u64> = team.reins().words().collect();
    let mut team = Team::new(board, 1 << 20, 1);
    assert!(team.reins().restore(words) > 1000);
    let resumed = team.solve(Edges::EMPTY, 0, NO_LIMIT, &mut |_| true);
    let fresh = Team::new(board, 1 << 20, 1).solve(Edges::EMPTY, 0, NO_LIMIT, &mut |_| true);
    assert_eq!((resumed.margin(), resumed.best), (fresh.margin(), fresh.best));
    assert_eq!(resumed.margin(), Some(0));
    assert!(resumed.nodes < fresh.nodes * 9 / 10, "{} {}", resumed.nodes, fresh.nodes);
}
