//! The pretrained networks, which are built into the program.
//!
//! The module uses [`board`](crate::board), [`net`](crate::net) and [`bots`](crate::bots).

use crate::bots::BoardNetworks;
use crate::net::{CanaryError, Isa, Network, Weights};

/// The weights files of networks that were each trained on one board, with the rows and columns of
/// that board, the largest board first. It is a static because each use of a constant could copy the
/// files.
pub static PRETRAINED: [((usize, usize), &[u8]); 3] = [
    ((5, 5), include_bytes!("../checkpoints/5x5/average.dxw")),
    ((4, 4), include_bytes!("../checkpoints/4x4/average.dxw")),
    ((3, 3), include_bytes!("../checkpoints/3x3/average.dxw")),
];

/// The weights file of the network that plays all other boards. It was trained on several.
pub static PRETRAINED_FOR_OTHERS: &[u8] = include_bytes!("../checkpoints/any/average.dxw");

/// Returns the pretrained networks, which together play any board.
///
/// # Errors
/// Returns an error if one of them does not reproduce its canaries on this instruction set.
pub fn pretrained_networks(isa: Isa) -> Result<BoardNetworks, CanaryError> {
    let of_one_board = |(_, bytes): &(_, &[u8])| Network::checked(&read(bytes), isa);
    let of_one_board: Vec<_> = PRETRAINED.iter().map(of_one_board).collect::<Result<_, _>>()?;
    Ok(BoardNetworks::checked(read(PRETRAINED_FOR_OTHERS), isa)?.beside(of_one_board))
}

fn read(bytes: &[u8]) -> Weights {
    Weights::from_bytes(bytes).expect("the files that are built in can be read")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::board::{Board, State};
    use crate::search::{Evaluation, Evaluator, NetworkEvaluator};

    #[test]
    fn each_network_has_its_board() {
        for ((rows, cols), weights) in PRETRAINED {
            assert_eq!(read(weights).board, Board::new(rows, cols).unwrap());
            assert!(read(weights).other_boards.is_empty());
        }
    }

    #[test]
    fn boards_with_a_network_of_their_own_are_played_by_it() {
        let networks = pretrained_networks(Isa::fastest()).unwrap();
        let guess = |network: &Arc<Network>| {
            let mut evaluation = Evaluation::new(network.board());
            NetworkEvaluator::new(network.clone()).evaluate(State::new(network.board()), &mut evaluation);
            evaluation.logits
        };
        for ((rows, cols), weights) in PRETRAINED {
            let own = Network::checked(&read(weights), Isa::fastest()).unwrap();
            assert_eq!(guess(&networks.network(own.board())), guess(&own), "{rows}x{cols}");
        }
        for (rows, cols) in [(2, 3), (6, 6), (9, 9)] {
            let board = Board::new(rows, cols).unwrap();
            assert_eq!(networks.network(board).board(), board);
            assert!(!networks.weights().is_trained_on(board));
        }
    }

    #[test]
    fn every_instruction_set_reproduces_the_canaries() {
        for weights in PRETRAINED.iter().map(|(_, weights)| *weights).chain([PRETRAINED_FOR_OTHERS]) {
            let weights = read(weights);
            assert!(!weights.canaries.is_empty());
            for isa in Isa::available() {
                Network::checked(&weights, isa).unwrap_or_else(|error| panic!("{}: {error}", isa.name()));
            }
        }
    }
}
