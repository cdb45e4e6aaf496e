//! `doublecross train` in a program that was built without the feature `nats`.

use std::path::{Path, PathBuf};

use super::Failure;
use crate::train::Training;

/// A server that cannot be used.
pub(super) struct FleetLink;

impl FleetLink {
    pub fn new(address: Option<String>, _: Option<PathBuf>) -> Result<FleetLink, Failure> {
        match address {
            None => Ok(FleetLink),
            Some(_) => Err(Failure::input(anyhow::anyhow!(
                "--at: this program was built without the feature nats; build it with --features nats"
            ))),
        }
    }

    pub fn run(&self, _: &Path, training: &mut Training) -> Result<Option<u64>, Failure> {
        training.run().map(|()| None).map_err(Failure::running)
    }
}
