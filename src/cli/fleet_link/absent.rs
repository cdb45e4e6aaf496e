//! `doublecross train` and `doublecross prove` in a program that was built without the feature `nats`.

use std::path::Path;
#[cfg(feature = "trainer")]
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use super::Failure;
use crate::board::State;
use crate::proof::ProofLog;
use crate::solver::Bounds;
#[cfg(feature = "trainer")]
use crate::train::Training;

/// A server that cannot be used.
#[cfg(feature = "trainer")]
pub(super) struct FleetLink;

#[cfg(feature = "trainer")]
impl FleetLink {
    pub fn new(address: Option<String>, _: Option<PathBuf>) -> Result<FleetLink, Failure> {
        match address {
            None => Ok(FleetLink),
            Some(_) => Err(absent()),
        }
    }

    pub fn run(&self, _: &Path, training: &mut Training) -> Result<Option<u64>, Failure> {
        training.run().map(|()| None).map_err(Failure::running)
    }
}

pub(super) fn reach_server(_: &str, _: &Path) -> Result<(), Failure> {
    Err(absent())
}

pub(super) fn prove_at(
    _: &str,
    _: &Path,
    _: &mut ProofLog,
    _: (State, Option<i32>, u64),
    _: &AtomicBool,
) -> Result<(Bounds, u64), Failure> {
    Err(absent())
}

fn absent() -> Failure {
    Failure::input(anyhow::anyhow!(
        "--at: this program was built without the feature nats; build it with --features nats"
    ))
}
