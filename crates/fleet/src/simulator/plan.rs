//! The meaning of a seed: a run, its machines, its network, and the faults that befall them.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::SECOND;

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    KillCoordinator,
    /// Ends the coordinator's process in the midst of a write.
    KillCoordinatorWriting,
    PauseCoordinator,
    FillDisk,
    KillWorker,
    EndWorker,
    PauseWorker,
    Partition,
    KillServer,
    LoseServerPower,
    EmptyServer,
    FlipServerBit,
    /// The server's streams are removed, as a worker can make it do.
    LoseServerStreams,
    PauseServer,
}

impl Fault {
    pub const ALL: [Fault; 14] = [
        Fault::KillCoordinator,
        Fault::KillCoordinatorWriting,
        Fault::PauseCoordinator,
        Fault::FillDisk,
        Fault::KillWorker,
        Fault::EndWorker,
        Fault::PauseWorker,
        Fault::Partition,
        Fault::KillServer,
        Fault::LoseServerPower,
        Fault::EmptyServer,
        Fault::FlipServerBit,
        Fault::LoseServerStreams,
        Fault::PauseServer,
    ];
}

/// The conduct of a machine with a worker's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Honest,
    /// Its processor computes otherwise.
    Faulty,
    /// It plays the canary games by the rules, and fakes all others.
    Liar,
    /// As a liar, but it fakes one of three.
    SometimesLiar,
    /// It is no worker at all, and sends whatever its key allows, with true results.
    Rogue,
    /// As a rogue, with false results.
    LyingRogue,
}

/// The plan of a simulation.
#[derive(Clone, Debug)]
pub struct Plan {
    pub generations: u64,
    pub items: usize,
    pub lag: u64,
    /// The time between two looks of the coordinator.
    pub tick: u64,
    /// The machines with a worker's key.
    pub workers: Vec<Kind>,
    /// The threads of each worker, and of the coordinator.
    pub threads: usize,
    /// The time that an item takes a worker, and the coordinator.
    pub item_time: u64,
    pub own_item_time: u64,
    pub learning_time: u64,
    /// The share of messages that are lost, that come twice, and that are late.
    pub loss: f64,
    pub duplication: f64,
    pub lateness: f64,
    /// The most results that the server stores.
    pub most_results: usize,
    /// `true` if the learner writes while the coordinator does.
    pub is_hasty: bool,
    /// The time between two syncs of the server.
    pub sync_time: u64,
    pub faults: Vec<(u64, Fault)>,
}

impl Plan {
    /// Returns the plan of a seed, and the random numbers for the rest.
    pub fn of(seed: u64) -> (Plan, ChaCha8Rng) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let r = &mut random;
        let honest = r.random_range(0..=3);
        let mut workers = vec![Kind::Honest; honest];
        for kind in [Kind::Faulty, Kind::Liar, Kind::SometimesLiar, Kind::Rogue, Kind::LyingRogue] {
            if r.random_range(0..4) == 0 {
                workers.push(kind);
            }
        }
        let often = |r: &mut ChaCha8Rng, most: f64| if r.random::<bool>() { 0.0 } else { most * r.random::<f64>() };
        let horizon = [20, 60, 200][r.random_range(0..3)] * SECOND;
        let mut faults: Vec<(u64, Fault)> = (0..r.random_range(0..=5))
            .map(|_| (r.random_range(0..horizon), Fault::ALL[r.random_range(0..Fault::ALL.len())]))
            .collect();
        faults.sort_unstable_by_key(|&(time, _)| time);
        let plan = Plan {
            generations: r.random_range(1..=4),
            items: [3, 6, 12, 24][r.random_range(0..4)],
            lag: r.random_range(0..=1),
            tick: [100, 250, 1000][r.random_range(0..3)] * SECOND / 1000,
            workers,
            threads: r.random_range(1..=2),
            item_time: [SECOND / 20, SECOND / 2, 2 * SECOND][r.random_range(0..3)],
            own_item_time: [SECOND / 4, 2 * SECOND, 8 * SECOND][r.random_range(0..3)],
            learning_time: [SECOND / 10, 3 * SECOND, 15 * SECOND][r.random_range(0..3)],
            loss: often(r, 0.1),
            duplication: often(r, 0.1),
            lateness: often(r, 0.2),
            most_results: if r.random_range(0..8) == 0 { 2 } else { 1000 },
            is_hasty: r.random(),
            sync_time: r.random_range(1..=120) * SECOND,
            faults,
        };
        let next = r.next_u64();
        (plan, ChaCha8Rng::seed_from_u64(next))
    }
}
