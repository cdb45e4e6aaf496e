//! Settings that follow from a config's values.

use super::error::ConfigError;
use super::processor::Processor;
use super::tables::{Config, LearnConfig, SelfPlayConfig};
use doublecross_core::board::{Board, TextError};
use doublecross_core::net::{Architecture, Isa};
use doublecross_core::search::{Scale, Selection, Settings};

impl Config {
    /// The board that the run is for.
    ///
    /// # Errors
    /// When there is no such board.
    pub fn board(&self) -> Result<Board, ConfigError> {
        self.board.parse().map_err(|error: TextError| ConfigError::Value(error.to_string()))
    }

    /// The instruction set that networks run on: the one that is named, else the fastest of this
    /// processor. The config of a run names one.
    pub fn isa(&self) -> Isa {
        self.isa.named().unwrap_or_else(Isa::fastest)
    }

    /// The network's shape.
    pub fn architecture(&self) -> Architecture {
        let network = &self.network;
        Architecture::new(network.channels, network.blocks, network.value_hidden)
    }

    /// The number of worker threads, 0 for one for each core.
    pub fn workers(&self) -> usize {
        match self.selfplay.device {
            Processor::Cpu => self.threads,
            Processor::Gpu => self.selfplay.at_once,
        }
    }

    /// The number of threads that play games, each with a solver's table of its own.
    pub fn threads_of_games(&self) -> usize {
        match self.workers() {
            0 => std::thread::available_parallelism().map_or(1, |cores| cores.get()),
            workers => workers,
        }
    }

    /// Tells whether the solver makes samples, or labels those of games once they are played.
    pub(super) fn solves_samples(&self) -> bool {
        self.selfplay.root_undrawn > 0 || self.selfplay.relabel_nodes > 0 || self.labelled.positions > 0
    }
}

impl SelfPlayConfig {
    /// The settings of self-play's searches.
    pub fn search(&self) -> Settings {
        Settings {
            simulations: self.simulations,
            max_considered: self.max_considered,
            selection: Selection::Gumbel,
            scale: Scale { c_visit: self.c_visit, c_scale: self.c_scale },
            margin_weight: self.margin_weight,
            solver_undrawn: self.leaf_undrawn,
            solver_safe: self.leaf_safe,
            solver_nodes: self.leaf_nodes,
        }
    }
}

impl LearnConfig {
    /// Tells whether edge values are learnt.
    pub fn learns_edges(&self) -> bool {
        self.edge_loss > 0.0
    }
}
