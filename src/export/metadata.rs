//! The metadata of files of tensors, which describe the network.

use doublecross_core::board::Board;
use doublecross_core::net::{Architecture, Weights};

/// Returns keys and values: `format`, `board`, `channels`, `blocks`, `value_hidden`, `planes`, `block`, the kind of the
/// blocks, and for a network of several boards `other_boards`.
pub fn metadata(weights: &Weights) -> Vec<(&'static str, String)> {
    let Architecture { channels, blocks, value_hidden, planes, block } = weights.architecture;
    let mut metadata = vec![
        ("format", "doublecross".to_string()),
        ("board", weights.board.to_string()),
        ("channels", channels.to_string()),
        ("blocks", blocks.to_string()),
        ("value_hidden", value_hidden.to_string()),
        ("planes", planes.to_string()),
        ("block", block.name().to_string()),
    ];
    if !weights.other_boards.is_empty() {
        let boards: Vec<_> = weights.other_boards.iter().map(Board::to_string).collect();
        metadata.push(("other_boards", boards.join(" ")));
    }
    metadata
}
