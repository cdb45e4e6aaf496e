//! Weights from a file in the safetensors format, as PyTorch, JAX and other tools write them: what
//! `doublecross export --form safetensors` gives, with other numbers.

use std::collections::HashMap;

use safetensors::{Dtype, SafeTensors};
use thiserror::Error;

use doublecross_core::board::Board;
use doublecross_core::net::{Architecture, ArchitectureError, BlockKind, PLANES, Weights, WeightsError};

/// An error of a safetensors file that holds no network of this program.
#[derive(Debug, Error)]
pub enum TensorsError {
    /// The file is not in the format.
    #[error("not a safetensors file: {0}")]
    Format(String),
    /// A member of the metadata is missing or impossible.
    #[error("its metadata have {found} for {key} instead of {expected}")]
    Metadata {
        /// The name of the member.
        key: &'static str,
        /// The text that stands there.
        found: String,
        /// The form that it should have.
        expected: &'static str,
    },
    /// A size of the network is out of its range.
    #[error("{0}")]
    Architecture(ArchitectureError),
    /// A tensor is missing.
    #[error("it lacks the tensor {name}")]
    Missing {
        /// The name of the tensor.
        name: String,
    },
    /// A tensor has another shape.
    #[error("the tensor {name} has the shape {found:?} instead of {expected:?}")]
    Shape {
        /// The name of the tensor.
        name: String,
        /// Its shape.
        found: Vec<usize>,
        /// The shape that the metadata ask for.
        expected: Vec<usize>,
    },
    /// A tensor is not of 32-bit floats.
    #[error("the tensor {name} is of {found}; convert it to F32")]
    Type {
        /// The name of the tensor.
        name: String,
        /// The type of its numbers.
        found: String,
    },
    /// A number is infinite or no number.
    #[error("the tensor {name} holds a number that is not finite")]
    NotFinite {
        /// The name of the tensor.
        name: String,
    },
    /// There is a tensor that the network does not have.
    #[error("it holds a tensor {name}, which the network of its metadata does not have")]
    Unknown {
        /// The name of the tensor.
        name: String,
    },
}

/// Reads weights from the bytes of a safetensors file. They have no canaries.
///
/// The metadata name `board`, `channels`, `blocks` and `value_hidden`, and may name `planes`, `block` and
/// `other_boards`.
///
/// # Errors
/// Returns an error if the tensors are not those of the network that the metadata name.
pub fn weights_from_safetensors(bytes: &[u8]) -> Result<Weights, TensorsError> {
    let format = |error: safetensors::SafeTensorError| TensorsError::Format(error.to_string());
    let file = SafeTensors::deserialize(bytes).map_err(format)?;
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(format)?;
    let none = HashMap::new();
    let metadata = header.metadata().as_ref().unwrap_or(&none);
    let refused = |key, expected| TensorsError::Metadata {
        key,
        found: metadata.get(key).map_or("nothing".into(), |text| format!("\"{}\"", text.escape_default())),
        expected,
    };
    let board_named = |text: &str| text.parse::<Board>().ok();
    let text = |key| metadata.get(key).map(String::as_str);
    let number = |key, absent: Option<usize>| {
        let found = text(key).map_or(absent, |text| text.parse().ok());
        found.ok_or_else(|| refused(key, "a number"))
    };
    let board = text("board").and_then(board_named).ok_or_else(|| refused("board", "a board, as in 5x5"))?;
    let others: Option<Vec<Board>> =
        text("other_boards").unwrap_or_default().split_whitespace().map(board_named).collect();
    let refused_others = || refused("other_boards", "different boards that are not larger, as in 3x3 4x4");
    let other_boards = others.ok_or_else(refused_others)?;
    let block = match text("block") {
        None => Some(BlockKind::default()),
        Some(name) => BlockKind::ALL.into_iter().find(|kind| kind.name() == name),
    };
    let architecture = Architecture {
        channels: number("channels", None)?,
        blocks: number("blocks", None)?,
        value_hidden: number("value_hidden", None)?,
        planes: number("planes", Some(PLANES))?,
        block: block.ok_or_else(|| refused("block", "\"pooled\""))?,
    };
    architecture.validate().map_err(TensorsError::Architecture)?;
    let specs = architecture.tensors(board);
    let mut tensors = Vec::with_capacity(specs.len());
    for spec in &specs {
        let name = || spec.name.clone();
        let view = file.tensor(&spec.name).map_err(|_| TensorsError::Missing { name: name() })?;
        if view.dtype() != Dtype::F32 {
            return Err(TensorsError::Type { name: name(), found: format!("{:?}", view.dtype()) });
        }
        if view.shape() != spec.shape {
            let (found, expected) = (view.shape().to_vec(), spec.shape.clone());
            return Err(TensorsError::Shape { name: name(), found, expected });
        }
        let numbers =
            view.data().chunks_exact(4).map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        tensors.push(numbers.collect());
    }
    if let Some(name) = file.names().into_iter().find(|name| !specs.iter().any(|spec| spec.name == **name)) {
        return Err(TensorsError::Unknown { name: name.to_string() });
    }
    let weights = Weights { board, other_boards, architecture, tensors, canaries: Vec::new() };
    // What holds for a file of this program holds for these.
    Weights::from_bytes(&weights.to_bytes()).map_err(|error| match error {
        WeightsError::NotFinite { tensor } => TensorsError::NotFinite { name: tensor },
        WeightsError::OtherBoards => refused_others(),
        error => TensorsError::Format(error.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::initial_weights;
    use safetensors::tensor::TensorView;

    /// Tensors: their names, shapes and numbers.
    type Tensors = Vec<(String, Vec<usize>, Vec<f32>)>;

    /// The file of these weights, with other metadata and tensors.
    fn file(weights: &Weights, metadata: &[(&str, &str)], change: impl Fn(&mut Tensors)) -> Vec<u8> {
        let specs = weights.architecture.tensors(weights.board);
        let mut tensors: Tensors = specs
            .into_iter()
            .zip(&weights.tensors)
            .map(|(spec, tensor)| (spec.name, spec.shape, tensor.clone()))
            .collect();
        change(&mut tensors);
        let data: Vec<Vec<u8>> = tensors
            .iter()
            .map(|(.., numbers)| numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
            .collect();
        let views = tensors
            .iter()
            .zip(&data)
            .map(|((name, shape, _), data)| (name.clone(), TensorView::new(Dtype::F32, shape.clone(), data).unwrap()));
        let metadata = metadata.iter().map(|&(key, value)| (key.to_string(), value.to_string())).collect();
        safetensors::serialize(views, Some(metadata)).unwrap()
    }

    const METADATA: [(&str, &str); 4] = [("board", "2x3"), ("channels", "16"), ("blocks", "1"), ("value_hidden", "8")];

    fn weights() -> Weights {
        initial_weights(Board::new(2, 3).unwrap(), Architecture::new(16, 1, 8), 3)
    }

    #[test]
    fn tensors_become_weights() {
        let weights = weights();
        assert_eq!(weights_from_safetensors(&file(&weights, &METADATA, |_| {})).unwrap(), weights);
        let several = [&METADATA[..], &[("other_boards", "2x2 1x3"), ("block", "pooled"), ("planes", "20")]].concat();
        let read = weights_from_safetensors(&file(&weights, &several, |_| {})).unwrap();
        assert_eq!(read.other_boards, [Board::new(2, 2).unwrap(), Board::new(1, 3).unwrap()]);
    }

    #[test]
    fn everything_else_is_refused() {
        let weights = weights();
        let error =
            |metadata: &[(&str, &str)]| weights_from_safetensors(&file(&weights, metadata, |_| {})).unwrap_err();
        for (key, value) in [
            ("board", "0x3"),
            ("board", "large"),
            ("channels", "many"),
            ("blocks", "-1"),
            ("block", "round"),
            ("other_boards", "3x3"),
            ("other_boards", "2x3"),
            ("other_boards", "2x2 2x2"),
        ] {
            let metadata = [&METADATA[..], &[(key, value)]].concat();
            let error = error(&metadata);
            assert!(matches!(error, TensorsError::Metadata { key: found, .. } if found == key), "{key}: {error}");
        }
        for missing in 0..METADATA.len() {
            let mut metadata = METADATA.to_vec();
            let (key, _) = metadata.remove(missing);
            assert!(matches!(error(&metadata), TensorsError::Metadata { key: found, .. } if found == key), "{key}");
        }
        assert!(matches!(error(&[&METADATA[..], &[("channels", "17")]].concat()), TensorsError::Architecture(_)));
        // The tensors are those of 2x3.
        assert!(matches!(error(&[&METADATA[..], &[("board", "3x3")]].concat()), TensorsError::Shape { .. }));
        assert!(matches!(error(&[&METADATA[..], &[("blocks", "2")]].concat()), TensorsError::Missing { .. }));
        assert!(matches!(error(&[&METADATA[..], &[("blocks", "0")]].concat()), TensorsError::Unknown { .. }));
        let changed =
            |change: &dyn Fn(&mut Tensors)| weights_from_safetensors(&file(&weights, &METADATA, change)).unwrap_err();
        assert!(matches!(changed(&|tensors| tensors[0].2[5] = f32::NAN), TensorsError::NotFinite { .. }));
        assert!(matches!(changed(&|tensors| drop(tensors.pop())), TensorsError::Missing { .. }));
        let whole = file(&weights, &METADATA, |_| {});
        for at in 0..whole.len().min(400) {
            let mut damaged = whole.clone();
            damaged[at] ^= 16;
            // It is refused or holds other numbers, and never a panic.
            let _ = weights_from_safetensors(&damaged);
            assert!(weights_from_safetensors(&whole[..at]).is_err());
        }
    }
}
