//! The places of shards and suites in a run's folder.

use std::path::{Path, PathBuf};

use doublecross_core::board::Board;

/// Returns the path of a generation's shard.
pub fn shard_path(folder: &Path, generation: u64) -> PathBuf {
    folder.join("shards").join(format!("gen-{generation:06}.shard"))
}

/// Returns the path of a run's suite on one of its boards, of which one is its own.
pub fn suite_path(folder: &Path, own: Board, board: Board) -> PathBuf {
    folder.join(if board == own { "suite.tsv".into() } else { format!("suite-{board}.tsv") })
}
