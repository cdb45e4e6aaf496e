//! The pretrained networks, which are built into the program.
//!
//! The module uses [`board`](crate::board).

use crate::board::Board;

/// The boards with their weights files, the largest board first. It is a static because each use of
/// a constant could copy the files.
pub static PRETRAINED: [((usize, usize), &[u8]); 3] = [
    ((5, 5), include_bytes!("../checkpoints/5x5/average.dxw")),
    ((4, 4), include_bytes!("../checkpoints/4x4/average.dxw")),
    ((3, 3), include_bytes!("../checkpoints/3x3/average.dxw")),
];

/// Returns the pretrained weights file for a board, or `None` if there is none.
pub fn pretrained(board: Board) -> Option<&'static [u8]> {
    PRETRAINED.iter().find(|(size, _)| *size == (board.rows(), board.cols())).map(|(_, weights)| *weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Isa, Network, Weights};

    #[test]
    fn each_network_has_its_board() {
        for ((rows, cols), weights) in PRETRAINED {
            let board = Board::new(rows, cols).unwrap();
            assert_eq!(Weights::from_bytes(weights).unwrap().board, board);
            assert_eq!(pretrained(board), Some(weights));
        }
        assert_eq!(pretrained(Board::new(2, 3).unwrap()), None);
    }

    #[test]
    fn every_instruction_set_reproduces_the_canaries() {
        for (_, weights) in PRETRAINED {
            let weights = Weights::from_bytes(weights).unwrap();
            assert!(!weights.canaries.is_empty());
            for isa in Isa::available() {
                Network::checked(&weights, isa).unwrap_or_else(|error| panic!("{}: {error}", isa.name()));
            }
        }
    }
}
