//! What `doublecross solve` tells of a position.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::analysis::controls;
use crate::board::{Board, Edges, Position, format_edge, format_edges};
use crate::solver::{Offer, Openings, Solution, safe_edges};
use crate::team::{Glimpse, Limits, Team, Worth};

/// The answer for one position.
pub(super) struct Answer {
    pub board: Board,
    pub drawn: Edges,
    pub score: Option<(u8, u8)>,
    pub lead: i32,
    pub solution: Solution,
    pub seconds: f64,
    pub sight: Option<Sight>,
}

/// A closer look at a position.
pub(super) struct Sight {
    worths: Vec<Worth>,
    /// Boxes that can be taken at once.
    on_offer: i32,
    /// Safe edges when those are taken.
    safe: usize,
    chains: Vec<u32>,
    loops: Vec<u32>,
    /// Whether the player to move is the one in control when the safe edges are gone.
    mover_controls: Option<bool>,
}

impl Sight {
    pub fn new(
        team: &mut Team,
        drawn: Edges,
        mut limits: Limits,
        is_settled: bool,
        watch: &mut dyn FnMut(Glimpse) -> bool,
    ) -> Sight {
        let board = team.board();
        let offer = Offer::resolve(board.layout(), board.strings(drawn));
        let (mut chains, mut loops) = (Vec::new(), Vec::new());
        for opening in Openings::new(board.layout(), offer.rest) {
            if opening.is_loop { &mut loops } else { &mut chains }.push(opening.length);
        }
        chains.sort_unstable();
        loops.sort_unstable();
        let rest = board.drawn(offer.rest);
        let mut solve = |drawn| {
            let solution = team.solve(drawn, 0, limits, watch);
            limits = limits.after(solution.nodes);
            solution
        };
        let mover_controls = if is_settled { controls(board, drawn, &mut solve) } else { None };
        let worths = team.worths(drawn, limits, watch);
        Sight { worths, on_offer: offer.taken, safe: safe_edges(board, rest).len(), chains, loops, mover_controls }
    }
}

impl Answer {
    /// Who wins, for the player to move, when that is known.
    fn outcome(&self) -> Option<&'static str> {
        let Solution { lower, upper, .. } = self.solution;
        match ((self.lead + lower).signum(), (self.lead + upper).signum()) {
            (1, _) => Some("win"),
            (_, -1) => Some("loss"),
            (0, 0) => Some("tie"),
            _ => None,
        }
    }

    pub fn to_json(&self) -> Value {
        let Solution { lower, upper, best, nodes } = self.solution.clone();
        let mut object = json!({
            "position": format_edges(self.board, self.drawn), "settled": lower == upper,
            "margin": self.solution.margin(), "lower": lower, "upper": upper,
            "best": indices(best), "nodes": nodes, "seconds": self.seconds,
        });
        if let Some((mine, theirs)) = self.score {
            object["score"] = json!([mine, theirs]);
            object["outcome"] = json!(self.outcome());
        }
        if let Some(sight) = &self.sight {
            let worth = |worth: &Worth| {
                let margin = (worth.lower == worth.upper).then_some(worth.lower);
                let one = |edge| json!({ "edge": edge, "margin": margin, "lower": worth.lower, "upper": worth.upper });
                indices(worth.edges).into_iter().map(one).collect::<Vec<_>>()
            };
            let mut moves: Vec<Value> = sight.worths.iter().flat_map(worth).collect();
            moves.sort_by_key(|one| one["edge"].as_u64());
            object["moves"] = json!(moves);
            object["on_offer"] = json!(sight.on_offer);
            object["safe"] = json!(sight.safe);
            object["chains"] = json!(sight.chains);
            object["loops"] = json!(sight.loops);
            object["mover_controls"] = json!(sight.mover_controls);
        }
        object
    }

    /// For people: a line, with the board and the closer look around it unless `one_line`.
    pub fn to_text(&self, one_line: bool) -> String {
        let Solution { lower, upper, best, nodes } = self.solution.clone();
        let mut text = String::new();
        if !one_line {
            text += &Position::from_edges(self.board, self.drawn).to_string();
        }
        let value = if lower == upper {
            format!("margin {lower:+}")
        } else {
            format!("not settled, margin {lower:+} to {upper:+}")
        };
        let outcome = match (self.score, self.outcome()) {
            (None, _) => String::new(),
            (Some((mine, theirs)), outcome) => format!(" ({} at {mine}-{theirs})", outcome.unwrap_or("open")),
        };
        let best = match names(self.board, best) {
            _ if self.board.undrawn(self.drawn).is_empty() => "none, the game is over".into(),
            none if none.is_empty() => "not known".into(),
            best => best,
        };
        let (position, seconds) = (format_edges(self.board, self.drawn), self.seconds);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{position}: {value}{outcome}, best {best} ({nodes} nodes, {seconds:.3} s)");
        if let Some(sight) = &self.sight {
            text += &self.closer_look(sight);
        }
        text
    }

    fn closer_look(&self, sight: &Sight) -> String {
        let Sight { on_offer, safe, chains, loops, mover_controls, .. } = sight;
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
        let mut worths = sight.worths.clone();
        worths.sort_by_key(|worth| (-worth.lower, -worth.upper));
        for Worth { edges, lower, upper } in worths {
            let edges = names(self.board, edges);
            let _ = if lower == upper {
                writeln!(text, "  {lower:+} {edges}")
            } else {
                writeln!(text, "  {lower:+} to {upper:+} {edges}")
            };
        }
        text
    }
}

fn indices(edges: Edges) -> Vec<usize> {
    edges.iter().map(|edge| edge.index()).collect()
}

fn names(board: Board, edges: Edges) -> String {
    edges.iter().map(|edge| format_edge(board, edge)).collect::<Vec<_>>().join(" ")
}
