//! Rows with exact answers.

use super::Row;
use crate::board::{Edge, Edges};
use crate::solver::{Solution, Solver, equal_edges};

/// The row of a position that the solver settles within so many nodes. Where each edge is to be learnt too, the solver has
/// as many again for what the others are worth; the row goes without if that does not settle it.
pub(super) fn exact_row(solver: &mut Solver, drawn: Edges, nodes: u64, with_edges: bool) -> Option<Row> {
    let solution = solver.solve(drawn, nodes);
    let margin = solution.margin().filter(|_| !solution.best.is_empty())?;
    let edge_margins = if with_edges { edge_margins(solver, drawn, &solution, nodes) } else { None };
    Some(Row {
        drawn,
        margin: margin as i8,
        is_exact: true,
        policy: Row::uniform(solution.best),
        edge_margins: edge_margins.unwrap_or_default(),
    })
}

/// What the mover gets for each undrawn edge of a capture-free position whose best edges are known; `None` when so many
/// nodes do not settle the others.
pub(super) fn edge_margins(
    solver: &mut Solver,
    drawn: Edges,
    solution: &Solution,
    nodes: u64,
) -> Option<Vec<(Edge, i8)>> {
    let best = solution.margin().filter(|_| !solution.best.is_empty())?;
    let mut left = nodes;
    let mut margins = Vec::new();
    for equals in equal_edges(solver.board(), drawn) {
        let edge = equals.lowest()?;
        let margin = if solution.best.contains(edge) {
            best
        } else {
            // No edge of a capture-free position takes a box. Worse edges are most often worse by two.
            let (lower, upper) = solver.bounds(drawn.with(edge), 2 - best, left);
            left = left.saturating_sub(solver.nodes());
            if lower != upper {
                return None;
            }
            -lower
        };
        margins.extend(equals.iter().map(|edge| (edge, margin as i8)));
    }
    Some(margins)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::random::{Purpose, random_edges, stream};
    use crate::solver::tests::edge_margin;

    #[test]
    fn every_edge_has_its_exact_margin() {
        let board = Board::new(3, 3).unwrap();
        let mut solver = Solver::new(board, 1 << 16);
        for number in 0..20 {
            let drawn = random_edges(board, 8 + number as usize % 8, true, &mut stream(4, 0, number, Purpose::Study));
            let row = exact_row(&mut solver, drawn, u64::MAX, true).unwrap();
            let edges: Edges = row.edge_margins.iter().map(|&(edge, _)| edge).collect();
            assert_eq!((edges, row.edge_margins.len()), (board.undrawn(drawn), edges.len()));
            for &(edge, margin) in &row.edge_margins {
                assert_eq!(margin as i32, edge_margin(&mut solver, drawn, edge), "{drawn:?} {edge:?}");
            }
            let most = row.edge_margins.iter().map(|&(_, margin)| margin).max();
            assert_eq!(most, Some(row.margin));
            assert!(row.is_possible(board));
        }
    }

    #[test]
    fn what_the_budget_does_not_settle_is_left_out() {
        let board = Board::new(3, 3).unwrap();
        let drawn = random_edges(board, 8, true, &mut stream(4, 0, 0, Purpose::Study));
        let fresh = || Solver::new(board, 1 << 12);
        let solution = fresh().solve(drawn, u64::MAX);
        let all = |nodes| edge_margins(&mut fresh(), drawn, &solution, nodes);
        let settled = (0..1000).find(|&nodes| all(20 * nodes).is_some()).unwrap();
        assert!(settled > 2);
        assert_eq!(all(20 * settled), all(u64::MAX));
        let unsettled = Solution { lower: -9, ..solution };
        assert_eq!(edge_margins(&mut fresh(), drawn, &unsettled, u64::MAX), None);
        for nodes in [0, 20, 200, 2000, u64::MAX] {
            let row = |with_edges| exact_row(&mut fresh(), drawn, nodes, with_edges);
            // All else is as if edges had not been asked for.
            let without = row(true).map(|row| Row { edge_margins: Vec::new(), ..row });
            assert_eq!(without, row(false), "{nodes}");
        }
        assert!(exact_row(&mut fresh(), drawn, 20, true).is_none());
    }
}
