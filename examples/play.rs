//! A pretrained network plays a game against the solver, and the game is printed.
//!
//! ```sh
//! cargo run --release --example play
//! cargo run --release --example play -- net,sims=800,nodes=0 chains
//! ```
//!
//! The arguments are the bots of the first and of the second player, named as for `doublecross match`.

use std::error::Error;
use std::sync::atomic::AtomicBool;

use doublecross::arena::{Bot, BotSpec, match_nonce, referee};
use doublecross::board::{Board, Position};

fn main() -> Result<(), Box<dyn Error>> {
    let argument = |index: usize, default: &str| std::env::args().nth(index).unwrap_or_else(|| default.into());
    // The network plays without the solver's help.
    let names = [argument(1, "net,sims=200,nodes=0"), argument(2, "solver:20000")];
    let board = Board::new(4, 4)?;
    let make = |name: &String| -> Result<Box<dyn Bot>, Box<dyn Error>> {
        let spec: BotSpec = name.parse()?;
        Ok(spec.factory(doublecross::built_in())?.make())
    };
    let (mut first, mut second) = (make(&names[0])?, make(&names[1])?);

    // Bots that leave a choice to chance draw it from the nonce.
    let nonce = match_nonce(1, 0);
    let never = AtomicBool::new(false);
    let (record, times) =
        referee(board, [&mut *first, &mut *second], nonce, &[], &never).ok_or("the game was stopped")?;

    // A line for each turn. An edge that closes a box, marked with `*`, keeps the turn.
    let (mut position, mut turn) = (Position::new(board), Vec::new());
    for edge in record.moves {
        let seat = position.mover();
        let closes = position.play(edge)? > 0;
        turn.push(board.edge_name(edge) + if closes { "*" } else { "" });
        if !closes || position.is_over() {
            println!("{}: {}", names[seat], turn.join(" "));
            turn.clear();
        }
    }
    print!("{position}");
    for (seat, name) in names.iter().enumerate() {
        println!("{name} (seat {seat}): {} boxes, {:.2} s", record.scores[seat], times.total[seat]);
    }
    Ok(())
}
