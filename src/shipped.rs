//! The networks that come with the program.

use crate::board::Board;

/// Boards with their weights files, the largest board first. A static: each use of a constant may bring a copy with it.
pub static SHIPPED: [((usize, usize), &[u8]); 3] = [
    ((5, 5), include_bytes!("../checkpoints/5x5/average.dxw")),
    ((4, 4), include_bytes!("../checkpoints/4x4/average.dxw")),
    ((3, 3), include_bytes!("../checkpoints/3x3/average.dxw")),
];

/// The weights file that comes with the program for a board, if there is one.
pub fn shipped(board: Board) -> Option<&'static [u8]> {
    SHIPPED.iter().find(|(size, _)| *size == (board.rows(), board.cols())).map(|(_, weights)| *weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Network, Path, Weights};

    #[test]
    fn each_network_is_of_its_board() {
        for ((rows, cols), weights) in SHIPPED {
            let board = Board::new(rows, cols).unwrap();
            assert_eq!(Weights::from_bytes(weights).unwrap().board, board);
            assert_eq!(shipped(board), Some(weights));
        }
        assert_eq!(shipped(Board::new(2, 3).unwrap()), None);
    }

    #[test]
    fn every_path_says_what_training_said() {
        for (_, weights) in SHIPPED {
            let weights = Weights::from_bytes(weights).unwrap();
            assert!(!weights.canaries.is_empty());
            for path in Path::available() {
                Network::checked(&weights, path).unwrap_or_else(|error| panic!("{}: {error}", path.name()));
            }
        }
    }
}
