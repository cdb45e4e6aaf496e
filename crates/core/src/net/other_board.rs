//! A network on boards of another size.

use crate::board::Board;

use super::{Axis, TensorSpec, Weights};

impl Weights {
    /// Returns `true` if the network was trained on a board.
    pub fn is_trained_on(&self, board: Board) -> bool {
        self.board == board || self.other_boards.contains(&board)
    }

    /// Returns the weights with which the network plays another board.
    ///
    /// All layers are the same for all boards, except for the one whose outputs are the board's
    /// margins. A margin that the network's own board does not have takes the
    /// output of the outermost one of its parity, so that the network expects it as rarely. The
    /// weights have canaries on their own board alone.
    ///
    /// # Panics
    /// Panics if the tensors are not those of the architecture. [`Weights::from_bytes`] never
    /// returns such weights.
    pub fn on(&self, board: Board) -> Weights {
        if board == self.board {
            return Weights { other_boards: Vec::new(), ..self.clone() };
        }
        let from = self.board.boxes() as i32;
        let to = board.boxes() as i32;
        let column = |margin: i32| match margin.abs() - from {
            ..=0 => margin + from,
            beyond => margin.signum() * (from - beyond % 2) + from,
        };
        let columns: Vec<usize> = (-to..=to).map(|margin| column(margin) as usize).collect();
        let outputs = 2 * self.board.boxes() + 1;
        let specs = self.architecture.tensors(self.board);
        let of_board = |(spec, tensor): (&TensorSpec, &Vec<f32>)| match spec.role.output() {
            Axis::Margins => {
                tensor.chunks_exact(outputs).flat_map(|row| columns.iter().map(|&column| row[column])).collect()
            }
            _ => tensor.clone(),
        };
        Weights {
            board,
            other_boards: Vec::new(),
            architecture: self.architecture,
            tensors: specs.iter().zip(&self.tensors).map(of_board).collect(),
            canaries: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Architecture;

    /// The margin head's outputs are named by their margins.
    #[test]
    fn margins_keep_their_outputs_and_those_beyond_take_the_outermost() {
        let board = Board::new(2, 2).unwrap();
        let architecture = Architecture::new(16, 0, 2);
        let specs = architecture.tensors(board);
        let tensors: Vec<Vec<f32>> = (specs.iter())
            .map(|spec| match spec.name.as_str() {
                "value.out.weight" => [100.0, 200.0].iter().flat_map(|x| (-4..=4).map(move |m| x + m as f32)).collect(),
                "value.out.bias" => (-4..=4).map(|margin| margin as f32).collect(),
                _ => vec![0.5; spec.len()],
            })
            .collect();
        let weights = Weights { board, other_boards: Vec::new(), architecture, tensors, canaries: Vec::new() };
        assert_eq!(weights.on(board), weights);
        let last_two = |board: Board| {
            let on = weights.on(board);
            let sizes: Vec<usize> = architecture.tensors(board).iter().map(TensorSpec::len).collect();
            assert_eq!(on.tensors.iter().map(Vec::len).collect::<Vec<_>>(), sizes);
            let [.., weight, bias] = &on.tensors[..] else { panic!("all tensors") };
            (weight.clone(), bias.clone())
        };
        let small = Board::new(1, 2).unwrap();
        assert_eq!(
            last_two(small),
            (vec![98.0, 99.0, 100.0, 101.0, 102.0, 198.0, 199.0, 200.0, 201.0, 202.0], vec![-2.0, -1.0, 0.0, 1.0, 2.0])
        );
        let large = Board::new(1, 7).unwrap();
        let expected = [-3.0, -4.0, -3.0, -4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 3.0, 4.0, 3.0];
        assert_eq!(last_two(large).1, expected);
        assert!(weights.is_trained_on(board) && !weights.is_trained_on(small));
        assert!(Weights { other_boards: vec![small], ..weights.clone() }.is_trained_on(small));
    }
}
