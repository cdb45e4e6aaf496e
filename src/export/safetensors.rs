//! The network's tensors in the safetensors format, which PyTorch, JAX and other tools read: eight
//! bytes of length, a JSON header and the numbers (<https://huggingface.co/docs/safetensors>).

use serde_json::{Map, json};

use doublecross_core::net::Weights;

use super::metadata::metadata;

/// Returns the tensors of a weights file by name, as f32 in row-major order.
///
/// Convolutions have the shape `[out, in, height, width]`, linear layers `[in, out]` and biases
/// `[out]`. The metadata are those of [`metadata`].
pub fn safetensors(weights: &Weights) -> Vec<u8> {
    let mut header = Map::new();
    let metadata = metadata(weights).into_iter().map(|(key, value)| (key.to_string(), value.into()));
    header.insert("__metadata__".into(), metadata.collect::<Map<_, _>>().into());
    let mut data = Vec::new();
    for (spec, tensor) in weights.architecture.tensors(weights.board).into_iter().zip(&weights.tensors) {
        let start = data.len();
        data.extend(tensor.iter().flat_map(|number| number.to_le_bytes()));
        let entry = json!({"dtype": "F32", "shape": spec.shape, "data_offsets": [start, data.len()]});
        header.insert(spec.name, entry);
    }
    let mut header = serde_json::Value::Object(header).to_string();
    // The header is padded so that the numbers begin at a multiple of eight bytes.
    header.extend(std::iter::repeat_n(' ', header.len().next_multiple_of(8) - header.len()));
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_core::board::Board;
    use doublecross_core::net::Architecture;
    use doublecross_run::initial_weights;
    use safetensors::SafeTensors;

    #[test]
    fn the_safetensors_crate_reads_every_number() {
        let architecture = Architecture::new(16, 2, 8);
        let mut weights = initial_weights(Board::new(3, 4).unwrap(), architecture, 1);
        weights.other_boards = vec![Board::new(2, 2).unwrap(), Board::new(3, 3).unwrap()];
        let bytes = safetensors(&weights);
        let read = SafeTensors::deserialize(&bytes).unwrap();
        let (_, metadata) = SafeTensors::read_metadata(&bytes).unwrap();
        let metadata = metadata.metadata().as_ref().unwrap();
        assert_eq!((&*metadata["board"], &*metadata["other_boards"]), ("3x4", "2x2 3x3"));
        assert_eq!((&*metadata["planes"], &*metadata["block"]), ("20", "pooled"));
        let specs = architecture.tensors(weights.board);
        assert_eq!(read.len(), specs.len());
        for (spec, tensor) in specs.iter().zip(&weights.tensors) {
            let view = read.tensor(&spec.name).unwrap();
            assert_eq!(view.shape(), spec.shape);
            let numbers = view.data().chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap()));
            assert!(numbers.eq(tensor.iter().copied()), "{}", spec.name);
        }
    }
}
