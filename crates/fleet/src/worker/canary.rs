//! Canary games: a few games by which a worker shows that it plays what the coordinator plays.

use std::sync::Arc;

use crate::protocol::messages::{CanaryGames, Id};
use doublecross_core::net::Isa;
use doublecross_core::solver::Solver;
use doublecross_selfplay::{ItemPlayer, Orders, Session};

/// The number of canary games.
const GAMES: u32 = 4;

/// The most simulations of a search in them, so that they take no long time.
const SIMULATIONS: usize = 64;

/// Returns the orders of the canary games of a run with these orders. They are of generation 0,
/// which has no other games.
pub fn canary_orders(orders: &Orders) -> Orders {
    let mut canary = Orders { generation: 0, starts: Vec::new(), ..orders.clone() };
    canary.selfplay.games = GAMES as usize;
    canary.selfplay.simulations = canary.selfplay.simulations.min(SIMULATIONS);
    canary.labeled.positions = 0;
    canary
}

/// Plays the canary games and returns the digest of each.
pub fn play(orders: Orders) -> CanaryGames {
    let session = Arc::new(Session::new(orders));
    let mut player = ItemPlayer::new(session.clone());
    let digests = (0..session.orders.items()).map(|item| Id(player.play(item).digest())).collect();
    CanaryGames { orders: Id(session.sealed.id), digests }
}

/// Checks that this machine plays the canary games as the coordinator does.
///
/// # Errors
/// Returns the reason why it does not.
pub fn check(orders: &Orders, expected: &CanaryGames) -> Result<(), String> {
    check_machine(orders, 1)?;
    let found = play(orders.clone());
    let differing = found.digests.iter().zip(&expected.digests).filter(|(found, expected)| found != expected).count();
    if differing == 0 && found.digests.len() == expected.digests.len() {
        return Ok(());
    }
    Err(format!(
        "{differing} of {} canary games come out otherwise here than on the coordinator, on instruction set {} (install \
         the same version on both machines; else this processor computes wrongly)",
        expected.digests.len(),
        orders.isa.name()
    ))
}

/// Checks that this machine has the instruction set of these orders, and memory for so many threads.
///
/// # Errors
/// Returns the reason why it does not.
pub fn check_machine(orders: &Orders, threads: usize) -> Result<(), String> {
    let available = Isa::available();
    if !available.contains(&orders.isa) {
        let names: Vec<&str> = available.iter().map(|isa| isa.name()).collect();
        return Err(format!(
            "the run plays on instruction set {}: this processor has {} (start the run with --set isa={}, or another of \
             these)",
            orders.isa.name(),
            names.join(", "),
            names[names.len() - 1]
        ));
    }
    let entries = threads * (orders.selfplay.table + orders.selfplay.cache * 64);
    Solver::check_memory(entries).map_err(|error| format!("no memory for the tables of {threads} threads: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_core::board::Board;
    use doublecross_run::initial_weights;
    use doublecross_run::{Config, IsaSetting};

    fn orders(isa: Isa) -> Orders {
        let mut config = Config { board: "2x2".parse().unwrap(), isa: IsaSetting::Named(isa), ..Config::default() };
        (config.network.channels, config.network.blocks, config.selfplay.simulations) = (16, 0, 500);
        let board = Board::new(2, 2).unwrap();
        Orders::new(
            &config,
            9,
            initial_weights(board, config.network.architecture(), 1),
            Vec::new(),
            &doublecross_proof::Books::default(),
        )
    }

    #[test]
    fn a_machine_that_plays_otherwise_is_refused() {
        let canary = canary_orders(&orders(Isa::Portable));
        assert_eq!((canary.generation, canary.items(), canary.selfplay.simulations), (0, 4, 64));
        let mut expected = play(canary.clone());
        assert_eq!(check(&canary, &expected), Ok(()));
        expected.digests[2].0 ^= 1;
        let refusal = check(&canary, &expected).unwrap_err();
        assert!(refusal.contains("1 of 4 canary games") && refusal.contains("portable"), "{refusal}");
        expected.digests.pop();
        assert!(check(&canary, &expected).is_err());
    }

    #[test]
    fn a_processor_without_the_instruction_set_is_refused() {
        let missing = Isa::ALL.into_iter().find(|isa| !Isa::available().contains(isa)).expect("no processor has all");
        let refusal = check_machine(&orders(missing), 1).unwrap_err();
        assert!(refusal.contains(missing.name()) && refusal.contains("portable"), "{refusal}");
        let mut large = orders(Isa::Portable);
        large.selfplay.table = 1 << 30;
        let refusal = check_machine(&large, 100_000).unwrap_err();
        assert!(refusal.contains("memory"), "{refusal}");
    }
}
