//! The state of an optimizer as bytes.

use thiserror::Error;

use doublecross_core::net::{TensorSpec, checksum};

/// The state that a checkpoint keeps beside weights files.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::learn) struct OptimizerState {
    /// Those of each parameter.
    pub moments: Vec<Moments>,
    /// The tensors of the edge head, the model's last ones, which are not in weights files.
    pub edge_head: Vec<Vec<f32>>,
}

/// The moments of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::learn) struct Moments {
    /// The number of steps that the parameter has taken.
    pub time: u64,
    /// The first moments. Muon's are its velocity.
    pub first: Vec<f32>,
    /// The second moments. Muon has none, and zeros take their place.
    pub second: Vec<f32>,
}

impl Moments {
    /// Returns the moments of a parameter of this size that has taken no step.
    pub fn zeros(size: usize) -> Moments {
        Moments { time: 0, first: vec![0.0; size], second: vec![0.0; size] }
    }
}

/// An error of an optimizer's state that cannot be read.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum OptimizerError {
    /// The state does not have this model's size.
    #[error("optimizer state of {found} bytes; this model's is {expected}")]
    Length {
        /// The number of bytes.
        found: usize,
        /// The expected number of bytes.
        expected: usize,
    },
    /// The checksum does not match.
    #[error("damaged optimizer state: the checksum does not match")]
    Checksum,
}

impl OptimizerState {
    /// Returns the bytes: the number of steps and both moments of each parameter, the edge head, and a checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut put = |numbers: &[f32], time: Option<u64>| {
            bytes.extend(time.into_iter().flat_map(u64::to_le_bytes));
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        };
        for Moments { time, first, second } in &self.moments {
            put(first, Some(*time));
            put(second, None);
        }
        self.edge_head.iter().for_each(|tensor| put(tensor, None));
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }

    /// Reads the state of a model with parameters like these, of which those of the edge head are given, too.
    ///
    /// # Errors
    /// Returns an error if the bytes do not have this model's size, or are damaged.
    pub fn from_bytes(
        specs: &[TensorSpec],
        edge_head: &[TensorSpec],
        bytes: &[u8],
    ) -> Result<OptimizerState, OptimizerError> {
        let of_moments = specs.iter().map(|spec| 8 + 8 * spec.len());
        let length: usize = of_moments.chain(edge_head.iter().map(|spec| 4 * spec.len())).sum();
        if bytes.len() != length + 8 {
            return Err(OptimizerError::Length { found: bytes.len(), expected: length + 8 });
        }
        let (mut rest, sum) = bytes.split_at(length);
        if checksum(rest).to_le_bytes() != *sum {
            return Err(OptimizerError::Checksum);
        }
        let moments = specs.iter().map(|spec| {
            let (time, after) = rest.split_first_chunk().expect("as many bytes as were checked");
            rest = after;
            let [first, second] = [(); 2].map(|()| take_numbers(&mut rest, spec));
            Moments { time: u64::from_le_bytes(*time), first, second }
        });
        let moments = moments.collect();
        Ok(OptimizerState { moments, edge_head: edge_head.iter().map(|spec| take_numbers(&mut rest, spec)).collect() })
    }
}

/// Takes the numbers of a tensor from the start of bytes that have them.
fn take_numbers(bytes: &mut &[u8], spec: &TensorSpec) -> Vec<f32> {
    let (numbers, rest) = bytes.split_at(4 * spec.len());
    *bytes = rest;
    numbers.as_chunks().0.iter().copied().map(f32::from_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_core::board::Board;
    use doublecross_core::net::Architecture;

    #[test]
    fn bytes_are_read_back_or_refused() {
        let (board, architecture) = (Board::new(2, 2).unwrap(), Architecture::new(16, 1, 8));
        let edge_head = architecture.edge_head(board);
        let specs = [architecture.tensors(board), edge_head.clone()].concat();
        let numbers = |spec: &TensorSpec, step: f32| (0..spec.len()).map(|i| (i as f32 * step).sin()).collect();
        let moments = specs.iter().zip(3..).map(|(spec, time)| Moments {
            time,
            first: numbers(spec, 0.1),
            second: numbers(spec, 0.2),
        });
        let state = OptimizerState {
            moments: moments.collect(),
            edge_head: edge_head.iter().map(|spec| numbers(spec, 0.3)).collect(),
        };
        let bytes = state.to_bytes();
        let read = |bytes: &[u8]| OptimizerState::from_bytes(&specs, &edge_head, bytes);
        assert_eq!(read(&bytes), Ok(state));
        for shorter in [&bytes[1..], &bytes[..bytes.len() - 8], &[]] {
            let expected = OptimizerError::Length { found: shorter.len(), expected: bytes.len() };
            assert_eq!(read(shorter), Err(expected));
        }
        let mut damaged = bytes;
        damaged[100] ^= 1;
        assert_eq!(read(&damaged), Err(OptimizerError::Checksum));
    }
}
