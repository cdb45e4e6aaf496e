//! The places of shards and suites in a run's folder.

use std::path::{Path, PathBuf};

use doublecross_core::board::Board;

/// The name of the file by which a process locks a folder that it works in.
pub const LOCK: &str = "lock";

/// Returns the path of a generation's shard.
pub fn shard_path(folder: &Path, generation: u64) -> PathBuf {
    folder.join("shards").join(format!("gen-{generation:06}.shard"))
}

/// Returns the generation of the shard at a path, or `None` if that is no path of a generation's shard.
pub fn generation_of(path: &Path) -> Option<u64> {
    let generation = path.file_name()?.to_str()?.strip_prefix("gen-")?.strip_suffix(".shard")?.parse().ok()?;
    path.ends_with(format!("gen-{generation:06}.shard")).then_some(generation)
}

/// Returns the path of a run's suite on one of its boards, of which one is its own.
pub fn suite_path(folder: &Path, own: Board, board: Board) -> PathBuf {
    folder.join(if board == own { "suite.tsv".into() } else { format!("suite-{board}.tsv") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_known_by_its_name() {
        let generation = |name: &str| generation_of(Path::new(name));
        assert_eq!(generation_of(&shard_path(Path::new("run"), 1_234_567)), Some(1_234_567));
        assert_eq!(generation("gen-000012.shard"), Some(12));
        for name in ["gen-12.shard", "gen-+00012.shard", "gen-000012.parts", "earlier-000012.shard", "gen-.shard", ""] {
            assert_eq!(generation(name), None, "{name}");
        }
    }
}
