//! `doublecross book show`: the contents of the book.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::book::Books;
use crate::cli::solve::parse_state;
use crate::cli::terminal::count::counted;
use crate::cli::{Failure, print, print_json};
use doublecross_core::board::{Edges, State};
use doublecross_core::solver::{Book, Bounds};
use doublecross_proof::LemmaSet;

/// Show what the book knows: counts by undrawn edges, or the bounds of a position and after each
/// edge.
///
/// Bounds are those of the margin still to come, for the player to move.
#[derive(Debug, Args)]
pub(crate) struct Show {
    /// A position, as RxC:0xMASK, or a game in quotes, as "5x5 H0,0 V1,2".
    #[arg(value_name = "POSITION", value_parser = parse_state)]
    position: Option<State>,
    /// A log of proofs in place of the built-in book.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Print one JSON object: `books`, a list of `board`, `positions`, `exact` and `by_undrawn`;
    /// with a position `position`, `known`, `lower`, `upper`, `margin` and `edges`.
    #[arg(long)]
    json: bool,
}

impl Show {
    pub fn run(self) -> Result<(), Failure> {
        let books = Books::read(&self.log)?;
        match self.position {
            None => self.show_counts(&books.lemmas),
            Some(state) => {
                let Some(lemmas) = books.lemmas.iter().find(|lemmas| lemmas.board() == state.board()) else {
                    let known: Vec<String> = books.lemmas.iter().map(|lemmas| lemmas.board().to_string()).collect();
                    let (board, known) = (state.board(), known.join(", "));
                    return Err(Failure::input(anyhow::anyhow!(
                        "there is no book of {board} (there is one of {known})"
                    )));
                };
                self.show_position(&lemmas.to_book().map_err(Failure::damaged)?, state);
            }
        }
        match books.damaged {
            0 => Ok(()),
            damaged => Err(Failure::damaged(anyhow::anyhow!("the log has damaged lines: {damaged} (see above)"))),
        }
    }

    fn show_counts(&self, books: &[LemmaSet]) {
        let counts: Vec<(&LemmaSet, BTreeMap<usize, Counts>)> =
            books.iter().map(|lemmas| (lemmas, counts(lemmas))).collect();
        if self.json {
            let book = |(lemmas, counts): &(&LemmaSet, BTreeMap<usize, Counts>)| {
                let by_undrawn = |(undrawn, counts): (&usize, &Counts)| {
                    let Counts { positions, exact, ahead, behind } = counts;
                    json!({ "undrawn": undrawn, "positions": positions, "exact": exact, "ahead": ahead, "behind": behind })
                };
                let exact: usize = counts.values().map(|counts| counts.exact).sum();
                let by_undrawn: Vec<Value> = counts.iter().map(by_undrawn).collect();
                json!({
                    "board": lemmas.board().to_string(), "positions": lemmas.len(), "exact": exact,
                    "by_undrawn": by_undrawn,
                })
            };
            print_json(&json!({ "books": counts.iter().map(book).collect::<Vec<_>>() }));
            return;
        }
        for (lemmas, counts) in counts {
            print(format_args!("{}: {}\n", lemmas.board(), counted(lemmas.len(), "position")));
            print(format_args!("undrawn  positions  exact margin  mover ahead  mover behind\n"));
            for (undrawn, Counts { positions, exact, ahead, behind }) in counts {
                print(format_args!("{undrawn:>7}  {positions:>9}  {exact:>12}  {ahead:>11}  {behind:>12}\n"));
            }
        }
    }

    fn show_position(&self, book: &Book, state: State) {
        let board = state.board();
        let (bounds, is_known) = (book.bounds(state), book.contains(state));
        let after = |edges: Edges| {
            let edge = edges.lowest()?;
            let found = book.bounds(state.after(edge)).after(state.captures(edge));
            book.contains(state.after(edge)).then_some((edges, found))
        };
        let known: Vec<(Edges, Bounds)> = state.equivalent_edges().into_iter().filter_map(after).collect();
        if self.json {
            let one = |(edges, bounds): &(Edges, Bounds)| {
                let Bounds { lower, upper } = *bounds;
                let margin = bounds.margin();
                let of_edge = move |edge| {
                    let name = board.edge_name(edge);
                    json!({ "edge": edge.index(), "name": name, "margin": margin, "lower": lower, "upper": upper })
                };
                edges.iter().map(of_edge).collect::<Vec<Value>>()
            };
            let mut edges: Vec<Value> = known.iter().flat_map(one).collect();
            edges.sort_by_key(|one| one["edge"].as_u64());
            print_json(&json!({
                "position": state.to_string(), "known": is_known, "lower": bounds.lower, "upper": bounds.upper,
                "margin": bounds.margin(), "edges": edges,
            }));
            return;
        }
        let told = if is_known { text(bounds) } else { "not in the book".into() };
        print(format_args!("{state}: {told}\n"));
        for (edges, bounds) in known {
            let names: Vec<String> =
                edges.iter().map(|edge| format!("{} ({})", board.edge_name(edge), edge.index())).collect();
            print(format_args!("  {}: {}\n", names.join(", "), text(bounds)));
        }
    }
}

/// The positions with a number of undrawn edges.
#[derive(Default)]
struct Counts {
    positions: usize,
    /// Those with an exact margin.
    exact: usize,
    /// Those in which the margin of the player to move is above 0.
    ahead: usize,
    /// Those in which it is below 0.
    behind: usize,
}

/// Returns the counts by undrawn edges.
fn counts(lemmas: &LemmaSet) -> BTreeMap<usize, Counts> {
    let mut counts: BTreeMap<usize, Counts> = BTreeMap::new();
    for lemma in lemmas.by_work() {
        let counts = counts.entry(lemma.state.undrawn().len()).or_default();
        counts.positions += 1;
        counts.exact += usize::from(lemma.bounds.is_exact());
        counts.ahead += usize::from(lemma.bounds.lower > 0);
        counts.behind += usize::from(lemma.bounds.upper < 0);
    }
    counts
}

/// Formats bounds.
fn text(bounds: Bounds) -> String {
    match bounds {
        Bounds { lower, upper } if lower == upper => format!("margin {lower:+}"),
        Bounds { lower, upper } => format!("margin {lower:+} to {upper:+}"),
    }
}
