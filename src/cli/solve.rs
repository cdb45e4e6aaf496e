//! `doublecross solve`

use std::io::BufRead;
use std::time::Instant;

use clap::Args;
use serde_json::json;

use super::{Failure, print, print_json};
use crate::board::{Board, Edges, Position, format_edges, parse_edges};
use crate::solver::{Solution, Solver};

/// Solve positions exactly: the margin still to come and every optimal edge.
#[derive(Debug, Args)]
pub(super) struct Solve {
    /// RxC:0xMASK, or RxC for the empty board; `-` reads positions from stdin, one a line.
    #[arg(required = true, value_name = "POSITION")]
    positions: Vec<String>,
    /// Also the exact margin of each edge.
    #[arg(long)]
    moves: bool,
    /// The budget of each position, in nodes.
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    nodes: u64,
    /// Entries of the table, 16 bytes each.
    #[arg(long, value_name = "N", default_value_t = 1 << 22)]
    table: usize,
    /// One JSON object a position on stdout, nothing else there.
    #[arg(long)]
    json: bool,
}

impl Solve {
    pub fn run(self) -> Result<(), Failure> {
        let mut solver: Option<Solver> = None;
        for text in &self.positions {
            if text != "-" {
                self.solve(text, &mut solver)?;
                continue;
            }
            for line in std::io::stdin().lock().lines() {
                let line = line.map_err(Failure::running)?;
                if !line.trim().is_empty() {
                    self.solve(line.trim(), &mut solver)?;
                }
            }
        }
        Ok(())
    }

    fn solve(&self, text: &str, kept: &mut Option<Solver>) -> Result<(), Failure> {
        let (board, drawn) = parse_edges(text).map_err(Failure::input)?;
        if kept.as_ref().is_none_or(|solver| solver.board() != board) {
            *kept = Some(Solver::new(board, self.table));
        }
        let Some(solver) = kept else { return Ok(()) };
        let start = Instant::now();
        let solution = solver.solve(drawn, self.nodes);
        let margins = if self.moves { solver.margins(drawn, self.nodes) } else { None };
        let seconds = start.elapsed().as_secs_f64();
        let moves = margins.map(|margins| margins.into_iter().map(|(edge, m)| (edge.index(), m)).collect::<Vec<_>>());
        if self.json {
            let mut object = json!({
                "position": format_edges(board, drawn), "settled": solution.margin().is_some(),
                "margin": solution.margin(), "lower": solution.lower, "upper": solution.upper,
                "best": indices(solution.best), "nodes": solution.nodes, "seconds": seconds,
            });
            if let Some(moves) = moves {
                object["moves"] =
                    moves.iter().map(|(edge, margin)| json!({ "edge": edge, "margin": margin })).collect();
            }
            return print_json(&object);
        }
        print_solution(board, drawn, &solution, seconds, self.positions.iter().any(|text| text == "-"));
        for (edge, margin) in moves.into_iter().flatten() {
            print(format_args!("  {} {margin:+}\n", name(board, edge)));
        }
        Ok(())
    }
}

fn indices(edges: Edges) -> Vec<usize> {
    edges.iter().map(|edge| edge.index()).collect()
}

fn name(board: Board, edge: usize) -> String {
    let (orientation, row, col) = board.coordinates(crate::board::Edge::new(edge));
    format!("{}{row},{col}", orientation.letter())
}

fn print_solution(board: Board, drawn: Edges, solution: &Solution, seconds: f64, one_line: bool) {
    if !one_line {
        print(format_args!("{}", Position::from_edges(board, drawn)));
    }
    let value = match solution.margin() {
        Some(margin) => format!("margin {margin:+}"),
        None => format!("not settled, margin {:+} to {:+}", solution.lower, solution.upper),
    };
    let best: Vec<String> = indices(solution.best).into_iter().map(|edge| name(board, edge)).collect();
    let position = format_edges(board, drawn);
    let (best, nodes) = (best.join(" "), solution.nodes);
    print(format_args!("{position}: {value}, best {best} ({nodes} nodes, {seconds:.3} s)\n"));
}
