//! The answer of `doublecross solve` for a position, as JSON and as text.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::cli::solve::report::Report;
use crate::cli::terminal::stderr::{Verbosity, is_at_least};
use doublecross_core::board::{Board, Edge, Edges, Position, State};
use doublecross_core::solver::{Bounds, Solution, Solver};
use doublecross_proof::parallel::EdgeValue;

/// The answer about a position that the solver cannot search.
pub(crate) const OUT_OF_REACH: &str =
    "out of the solver's reach: its graph has more than 64 strings or 25 joints (docs/strategy.md, section 9)";

/// The chance of an error from which an answer names it.
const NOTED_MISTAKES: f64 = 1e-6;

/// The answer for one position.
pub(crate) struct Answer {
    pub state: State,
    /// The boxes of the player to move and of the other one, if they were given.
    pub score: Option<(u8, u8)>,
    /// `true` if the answer holds only if the bounds that were given do.
    pub is_conditional: bool,
    pub solution: Solution,
    /// The time of the solution, in seconds.
    pub seconds: f64,
    /// The mistakes that the solver's tables are expected to have made by then.
    pub mistakes: f64,
    /// `true` if the answer relies on the book.
    pub book: bool,
    pub report: Option<Report>,
}

impl Answer {
    /// The result of the game for the player to move, if the score was given and it is proved.
    fn outcome(&self) -> Option<&'static str> {
        let (mine, theirs) = self.score?;
        let lead = mine as i32 - theirs as i32;
        let Bounds { lower, upper } = self.solution.bounds;
        match ((lead + lower).signum(), (lead + upper).signum()) {
            (1, _) => Some("win"),
            (_, -1) => Some("loss"),
            (0, 0) => Some("tie"),
            _ => None,
        }
    }

    /// Formats the answer as JSON.
    pub fn to_json(&self) -> Value {
        let Solution { bounds: Bounds { lower, upper }, best, nodes } = self.solution;
        let mut object = json!({
            "position": self.state.to_string(), "settled": lower == upper,
            "margin": self.solution.margin(), "lower": lower, "upper": upper,
            "best": indices(best), "best_names": names(self.state.board(), best), "nodes": nodes, "seconds": self.seconds,
            "mistakes": self.mistakes, "book": self.book, "in_reach": Solver::is_in_reach(self.state),
        });
        if self.is_conditional {
            object["conditional"] = json!(true);
        }
        if let Some((mine, theirs)) = self.score {
            object["score"] = json!([mine, theirs]);
            object["outcome"] = json!(self.outcome());
        }
        if let Some(report) = &self.report {
            let moves_of = |value: &EdgeValue| {
                let EdgeValue { edges, bounds: Bounds { lower, upper } } = *value;
                let margin = value.bounds.margin();
                let name = |edge| self.state.board().edge_name(edge);
                let one = |edge: Edge| json!({ "edge": edge.index(), "name": name(edge), "margin": margin, "lower": lower, "upper": upper });
                edges.iter().map(one).collect::<Vec<_>>()
            };
            let mut moves: Vec<Value> = report.edge_values.iter().flat_map(moves_of).collect();
            moves.sort_by_key(|one| one["edge"].as_u64());
            object["moves"] = json!(moves);
            object["on_offer"] = json!(report.on_offer);
            object["safe"] = json!(report.safe);
            object["chains"] = json!(report.chains);
            object["loops"] = json!(report.loops);
            object["mover_controls"] = json!(report.mover_controls);
        }
        object
    }

    /// Formats the answer as text: one line, with a drawing of the board before it unless
    /// `one_line`, and with the report behind it.
    pub fn to_text(&self, one_line: bool) -> String {
        let Solution { bounds: Bounds { lower, upper }, best, nodes } = self.solution;
        let mut text = String::new();
        if !one_line {
            text += &format!("{:#}", Position::from_state(self.state));
        }
        let value = if lower == upper {
            format!("margin {lower:+}")
        } else {
            let why = if Solver::is_in_reach(self.state) { "not settled" } else { OUT_OF_REACH };
            format!("{why}, margin {lower:+} to {upper:+}")
        };
        let outcome = match (self.score, self.outcome()) {
            (None, _) => String::new(),
            (Some((mine, theirs)), outcome) => format!(" ({} at {mine}-{theirs})", outcome.unwrap_or("open")),
        };
        let condition = if self.is_conditional { " if --known is true" } else { "" };
        let best = match best {
            _ if self.state.is_over() => "none, the game is over".into(),
            Edges::EMPTY => "not known".into(),
            best => self.named(best),
        };
        let (position, seconds) = (self.state.to_string(), self.seconds);
        let mistakes = match nodes > 0 && (self.mistakes >= NOTED_MISTAKES || is_at_least(Verbosity::Verbose)) {
            true => format!(", chance of an error {:.0e}", self.mistakes),
            false => String::new(),
        };
        let book = if self.book { ", with the book" } else { "" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{position}: {value}{condition}{outcome}, best {best} ({nodes} nodes, {seconds:.3} s{mistakes}{book})"
        );
        if let Some(report) = &self.report {
            text += &self.report_text(report);
        }
        text
    }

    /// Formats the report as text.
    fn report_text(&self, report: &Report) -> String {
        let Report { on_offer, safe, chains, loops, mover_controls, .. } = report;
        let lengths = |lengths: &[u32]| match lengths {
            [] => "none".into(),
            lengths => lengths.iter().map(u32::to_string).collect::<Vec<_>>().join(" "),
        };
        let (chains, loops) = (lengths(chains), lengths(loops));
        let mut text = String::new();
        let _ = writeln!(text, "boxes on offer: {on_offer}; safe edges: {safe}; chains: {chains}; loops: {loops}");
        let _ = match mover_controls {
            Some(true) => {
                writeln!(text, "control: the player to move; the other one has to open the first long chain or loop")
            }
            Some(false) => {
                writeln!(text, "control: the other player; the player to move has to open the first long chain or loop")
            }
            None => Ok(()),
        };
        let mut edge_values = report.edge_values.clone();
        edge_values.sort_by_key(|value| (-value.bounds.lower, -value.bounds.upper));
        for EdgeValue { edges, bounds: Bounds { lower, upper } } in edge_values {
            let edges = self.named(edges);
            let _ = if lower == upper {
                writeln!(text, "  {lower:+} {edges}")
            } else {
                writeln!(text, "  {lower:+} to {upper:+} {edges}")
            };
        }
        text
    }

    /// The names and numbers of edges, as in `H0,0 (0), V2,1 (13)`.
    fn named(&self, edges: Edges) -> String {
        let named = |edge: Edge| format!("{} ({})", self.state.board().edge_name(edge), edge.index());
        edges.iter().map(named).collect::<Vec<_>>().join(", ")
    }
}

/// The numbers of edges, in ascending order.
fn indices(edges: Edges) -> Vec<usize> {
    edges.iter().map(|edge| edge.index()).collect()
}

/// The names of edges, in the same order.
fn names(board: Board, edges: Edges) -> Vec<String> {
    edges.iter().map(|edge| board.edge_name(edge)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chance_of_an_error_that_matters_is_named() {
        let text = |mistakes: f64| {
            let state: State = "2x2".parse().unwrap();
            let solution = Solution { bounds: Bounds::exact(2), best: Edges::EMPTY, nodes: 67 };
            let (score, seconds, is_conditional, book, report) = (None, 0.5, false, false, None);
            Answer { state, score, is_conditional, solution, seconds, mistakes, book, report }.to_text(true)
        };
        assert!(text(1e-9).ends_with("(67 nodes, 0.500 s)\n"), "{}", text(1e-9));
        assert!(text(2e-6).ends_with("(67 nodes, 0.500 s, chance of an error 2e-6)\n"), "{}", text(2e-6));
    }
}
