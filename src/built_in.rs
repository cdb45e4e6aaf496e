//! The networks, configs, books and suites that are built into the program.
//!
//! Nothing else in the workspace embeds a file of `checkpoints`, `configs` or `data`.

use std::sync::LazyLock;

use doublecross_arena::BuiltIn;
use doublecross_arena::suite::Suite;
use doublecross_core::board::Board;
use doublecross_proof::{Books, LemmaSet, parse_lemmas};
use doublecross_run::config::Presets;

/// The weights files of networks that were each trained on one board, the largest board first.
pub static NETWORKS: [&[u8]; 3] = [
    include_bytes!("../checkpoints/5x5/ema.dxw"),
    include_bytes!("../checkpoints/4x4/ema.dxw"),
    include_bytes!("../checkpoints/3x3/ema.dxw"),
];

/// The weights file of the network that plays all other boards. It was trained on several.
pub static NETWORK_OF_OTHERS: &[u8] = include_bytes!("../checkpoints/any/ema.dxw");

/// The configs that `doublecross train` knows by name.
pub static PRESETS: Presets = Presets(&[
    ("smoke", include_str!("../configs/smoke.toml")),
    ("3x3", include_str!("../configs/3x3.toml")),
    ("3x3-alone", include_str!("../configs/3x3-alone.toml")),
    ("4x4", include_str!("../configs/4x4.toml")),
    ("5x5", include_str!("../configs/5x5.toml")),
    ("any", include_str!("../configs/any.toml")),
]);

/// The boards and the logs of the books of proved positions.
static LOGS: [((usize, usize), &str); 1] = [((5, 5), include_str!("../data/books/5x5.log"))];

/// The default suites of the boards with networks of their own, which take seconds to solve.
static SUITES: [&str; 3] = [
    include_str!("../data/suites/3x3.tsv"),
    include_str!("../data/suites/4x4.tsv"),
    include_str!("../data/suites/5x5.tsv"),
];

static BUILT_IN: LazyLock<BuiltIn> = LazyLock::new(|| BuiltIn {
    networks: &NETWORKS,
    network_of_others: Some(NETWORK_OF_OTHERS),
    books: Books::new(lemmas()),
});

/// Returns the networks and books, as bots take them.
pub fn built_in() -> &'static BuiltIn {
    &BUILT_IN
}

/// Returns the lemmas of the books, with the nodes of their proofs.
///
/// # Panics
/// Panics if a log is damaged, which a test rules out.
pub fn lemmas() -> impl Iterator<Item = LemmaSet> {
    LOGS.iter().map(|&((rows, cols), log)| {
        let board = Board::new(rows, cols).expect("there should be such a board");
        parse_lemmas(board, &format!("data/books/{board}.log"), log).expect("each line should be a lemma")
    })
}

/// Returns the default suite of a board with a network of its own, or `None` for another board.
pub fn default_suite(board: Board) -> Option<Suite> {
    let suite = |text: &&str| Suite::parse(text.as_bytes(), &format!("{board}-default")).ok();
    SUITES.iter().filter_map(suite).find(|suite| suite.board == board)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use doublecross_core::board::State;
    use doublecross_core::net::{Isa, Network, Weights};
    use doublecross_core::search::{Evaluation, Evaluator, NetworkEvaluator};

    fn read(bytes: &[u8]) -> Weights {
        Weights::from_bytes(bytes).unwrap()
    }

    #[test]
    fn every_instruction_set_reproduces_the_canaries() {
        for bytes in NETWORKS.into_iter().chain([NETWORK_OF_OTHERS]) {
            let weights = read(bytes);
            assert!(!weights.canaries.is_empty());
            for isa in Isa::available() {
                Network::checked(&weights, isa).unwrap_or_else(|error| panic!("{}: {error}", isa.name()));
            }
        }
    }

    #[test]
    fn boards_with_a_network_of_their_own_are_played_by_it() {
        let networks = built_in().pretrained_networks(Isa::fastest()).unwrap();
        let guess = |network: &Arc<Network>| {
            let mut evaluation = Evaluation::new(network.board());
            NetworkEvaluator::new(network.clone()).evaluate(State::new(network.board()), &mut evaluation);
            evaluation.logits
        };
        for (bytes, (rows, cols)) in NETWORKS.into_iter().zip([(5, 5), (4, 4), (3, 3)]) {
            assert!(read(bytes).other_boards.is_empty());
            let own = Network::checked(&read(bytes), Isa::fastest()).unwrap();
            assert_eq!(own.board(), Board::new(rows, cols).unwrap());
            assert_eq!(guess(&networks.network(own.board())), guess(&own));
        }
        for (rows, cols) in [(2, 3), (8, 8), (9, 9)] {
            let board = Board::new(rows, cols).unwrap();
            assert_eq!(networks.network(board).board(), board);
            assert!(!networks.weights().is_trained_on(board));
        }
    }
}
