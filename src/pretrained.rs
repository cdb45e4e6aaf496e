//! The networks that come with the program.

use crate::board::Board;

/// Boards with their weights files, the largest board first. A static: each use of a constant may bring a copy with it.
pub static PRETRAINED: [((usize, usize), &[u8]); 3] = [
    ((5, 5), include_bytes!("../checkpoints/5x5/average.dxw")),
    ((4, 4), include_bytes!("../checkpoints/4x4/average.dxw")),
    ((3, 3), include_bytes!("../checkpoints/3x3/average.dxw")),
];

/// The weights file that comes with the program for a board, if there is one.
pub fn pretrained(board: Board) -> Option<&'static [u8]> {
    PRETRAINED.iter().find(|(size, _)| *size == (board.rows(), board.cols())).map(|(_, weights)| *weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Isa, Network, Weights};

    #[test]
    fn each_network_is_of_its_board() {
        for ((rows, cols), weights) in PRETRAINED {
            let board = Board::new(rows, cols).unwrap();
            assert_eq!(Weights::from_bytes(weights).unwrap().board, board);
            assert_eq!(pretrained(board), Some(weights));
        }
        assert_eq!(pretrained(Board::new(2, 3).unwrap()), None);
    }

    #[test]
    fn every_path_says_what_training_said() {
        for (_, weights) in PRETRAINED {
            let weights = Weights::from_bytes(weights).unwrap();
            assert!(!weights.canaries.is_empty());
            for isa in Isa::available() {
                Network::checked(&weights, isa).unwrap_or_else(|error| panic!("{}: {error}", isa.name()));
            }
        }
    }
}
