//! Searches with an evaluator of your own and prints the principal variation.
//!
//! ```sh
//! cargo run --release --example own_evaluator
//! ```
//!
//! An evaluator guesses at capture-free positions: a logit for each edge, and the probability of each margin still to come
//! for the player to move. This one counts safe edges, the undrawn edges that put no box on offer.

use std::error::Error;

use doublecross::board::{Board, MAX_EDGES, State};
use doublecross::search::{Choice, Evaluation, Evaluator, Search, Settings};

/// Expects that the players draw the safe edges in turn, and that the one who runs out of them first loses the rest.
struct CountSafeEdges;

impl Evaluator for CountSafeEdges {
    fn evaluate(&mut self, state: State, evaluation: &mut Evaluation) {
        evaluation.reset();
        let safe = state.safe_edges();
        for edge in safe {
            evaluation.logits[edge.index()] = 2.0;
        }
        // With an even number of safe edges, this player is the first without one.
        let open = state.open_boxes() as i32;
        let margin = if safe.len().is_multiple_of(2) { -open } else { open };
        // Half of the probability goes to that margin, half to an even game or nearly so.
        let boxes = state.board().boxes() as i32;
        evaluation.margins[(boxes + margin) as usize] += 0.5;
        evaluation.margins[(boxes + open % 2) as usize] += 0.5;
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let state: State = "4x4:0x8402210010".parse()?;
    let board = state.board();
    let mut search = Search::new(board, Settings { simulations: 2000, ..Settings::default() });
    // No lead, no noise at the root, no solver at leaves.
    let outcome = search.run(state, 0, &[0.0; MAX_EDGES], &mut CountSafeEdges, None);

    println!("value {:+.3} for the player to move, where -1 is a loss and 1 a win", outcome.value);
    for action in outcome.actions.iter().filter(|action| action.visits >= 50) {
        println!("{:5} visits: {}", action.visits, name(board, action.choice));
    }
    let variation = search.principal_variation(outcome.chosen);
    let variation: Vec<String> = variation.into_iter().map(|choice| name(board, choice)).collect();
    println!("principal variation: {}", variation.join(", "));
    Ok(())
}

/// The name of a choice. Of equivalent edges the first stands for all.
fn name(board: Board, choice: Choice) -> String {
    match choice {
        Choice::Draw(edges) => edges.lowest().map_or_else(String::new, |edge| board.edge_name(edge)),
        Choice::TakeAll => "take all".into(),
        Choice::KeepControl => "keep control".into(),
    }
}
