//! Runs on many machines as one program on one thread: the decisions of the real coordinator and of
//! real workers, a model of the server, a clock that jumps from one event to the next, and games that
//! are a pure function of their orders and number.
//!
//! A seed stands for a run, its machines, its network and its faults (`plan.rs`). Whatever happens,
//! the run has to end, with the same shards as on one machine, no honest worker banned, no check left
//! open, and nothing left behind.
//!
//! ```sh
//! cargo test --release -p doublecross-fleet simulator
//! DOUBLECROSS_SEEDS=1000..101000 cargo test --release -p doublecross-fleet simulator -- --nocapture
//! DOUBLECROSS_SEED=7 cargo test --release -p doublecross-fleet simulator -- --nocapture
//! ```
//!
//! The first command runs 1,000 seeds, the second those that it is given, and the third one, with all
//! that happens.

mod coordinator_node;
mod disk;
mod games;
mod learner;
mod plan;
mod server;
mod worker_node;
mod world;

use std::ops::Range;
use std::time::Instant;

use plan::Plan;
use world::{Stats, World};

/// A second, in the microseconds of the simulator's clock.
const SECOND: u64 = 1_000_000;

/// Returns the seeds that the environment asks for, or else the first 1,000.
fn seeds() -> Range<u64> {
    let Ok(text) = std::env::var("DOUBLECROSS_SEEDS") else { return 0..1000 };
    let range = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    range.unwrap_or_else(|| panic!("DOUBLECROSS_SEEDS={text}: expected a range, as in 1000..101000"))
}

/// Runs a seed, and returns what happened or how to see what should not have.
fn run(seed: u64, traces: bool) -> Result<Stats, String> {
    World::new(Plan::of(seed), traces).run().map_err(|failure| {
        format!(
            "seed {seed}: {failure}\nreplay it: DOUBLECROSS_SEED={seed} cargo test --release -p doublecross-fleet simulator \
             -- --nocapture"
        )
    })
}

#[allow(clippy::print_stdout)]
#[test]
fn runs_come_out_as_on_one_machine_whatever_happens() {
    if let Ok(seed) = std::env::var("DOUBLECROSS_SEED") {
        let seed = seed.parse().unwrap_or_else(|_| panic!("DOUBLECROSS_SEED={seed}: expected a number"));
        println!("{:?}", run(seed, true).unwrap_or_else(|failure| panic!("{failure}")));
        return;
    }
    let (seeds, start, mut sum, mut failures) = (seeds(), Instant::now(), Stats::default(), Vec::new());
    let count = seeds.end - seeds.start;
    for seed in seeds {
        match run(seed, false) {
            Ok(stats) => sum.add(&stats),
            Err(failure) => failures.push(failure),
        }
    }
    println!("{count} seeds in {:.1} s: {sum:?}", start.elapsed().as_secs_f64());
    assert!(
        failures.is_empty(),
        "{} of {count} fail:\n{}",
        failures.len(),
        failures[..failures.len().min(5)].join("\n")
    );
    // The simulator comes to what it is for.
    let counts = [sum.bans, sum.returns, sum.inherited, sum.starts.saturating_sub(count), sum.by_workers];
    assert!(count < 1000 || counts.iter().all(|&seen| seen >= count / 50), "{sum:?}");
}
