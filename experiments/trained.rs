//! What a run has learnt from.

use std::collections::HashSet;
use std::path::Path;

use doublecross::board::Edges;
use doublecross::train::Shard;

/// The positions of all shards of these runs, in canonical form. How many there are is told on stderr.
pub fn trained(runs: &[String]) -> HashSet<Edges> {
    let (mut rows, mut seen) = (0, HashSet::new());
    for run in runs {
        for entry in std::fs::read_dir(Path::new(run).join("shards")).expect("a run's shards").flatten() {
            let shard = Shard::read(&entry.path()).expect("a whole shard");
            rows += shard.rows.len();
            seen.extend(shard.rows.iter().map(|row| shard.board.canonical(row.drawn).0));
        }
    }
    eprintln!("{rows} rows, {} different positions", seen.len());
    seen
}
