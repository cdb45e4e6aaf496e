//! Settings that follow from a run's config.

use doublecross_core::net::Isa;

use super::tables::{Config, ResourcesConfig};

impl Config {
    /// Returns the instruction set that networks run on: the one that is named, else the fastest of
    /// this processor. The config of a run names one.
    pub fn isa(&self) -> Isa {
        self.isa.named().unwrap_or_else(Isa::fastest)
    }
}

impl ResourcesConfig {
    /// Returns the number of players, each with a solver's table of its own.
    pub fn players(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get());
        self.threads.unwrap_or_else(cores)
    }
}
