//! The config of one generation.

use doublecross_core::board::Board;
use doublecross_core::net::Architecture;
use doublecross_core::search::{Scale, Selection, Settings};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::ranges::{RangeError, check_ranges};
use super::tables::{LabeledConfig, LearnConfig, NetworkConfig, SelfPlayConfig};
use super::validate::check_span;
use super::values::values_in;

/// The config of one generation of a run: the tables that phases may change, with the values that
/// they have in that generation.
///
/// [`Config::at`](super::Config::at) makes it. A run's [`Config`](super::Config) has the values of its
/// first part instead, which is why they are two types.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "a table")]
pub struct GenerationConfig {
    /// The table `[network]`.
    pub network: NetworkConfig,
    /// The table `[selfplay]`.
    pub selfplay: SelfPlayConfig,
    /// The table `[labeled]`.
    pub labeled: LabeledConfig,
    /// The table `[learn]`.
    pub learn: LearnConfig,
}

impl GenerationConfig {
    /// Returns the network's shape.
    pub fn architecture(&self) -> Architecture {
        self.network.architecture()
    }

    /// Returns the config for games on another board than `own`, the run's.
    ///
    /// Keys that count undrawn edges are for the run's own board. On another they are lower by one edge
    /// for each box that it has fewer, so that the solver has as much work. The number of random edges
    /// that games begin with is in proportion to the edges.
    #[must_use]
    pub fn on(&self, own: Board, board: Board) -> GenerationConfig {
        let mut config = self.clone();
        if board == own {
            return config;
        }
        let fewer = own.boxes().saturating_sub(board.boxes());
        let GenerationConfig { selfplay, labeled, .. } = &mut config;
        for (limit, least) in [
            (&mut selfplay.root_undrawn, 1),
            (&mut selfplay.leaf_undrawn, 1),
            (&mut selfplay.band_undrawn, 0),
            (&mut labeled.least_undrawn, 0),
            (&mut labeled.most_undrawn, 0),
            (&mut labeled.band_undrawn, 0),
        ] {
            *limit = limit.map(|undrawn| undrawn.saturating_sub(fewer).max(least));
        }
        config.selfplay.opening_edges = config.selfplay.opening_edges.min(own.edges()) * board.edges() / own.edges();
        config
    }

    /// Checks every value, by itself and against the others. An error is the reason why one is refused.
    pub(super) fn validate(&self) -> Result<(), String> {
        self.check_ranges().map_err(|error| error.to_string())?;
        self.architecture().validate().map_err(|error| error.to_string())?;
        if let LabeledConfig { least_undrawn: Some(least), most_undrawn: Some(most), .. } = self.labeled {
            check_span("labeled", least, most)?;
        }
        if self.selfplay.games == 0 && !self.has_labels() {
            return Err("selfplay.games = 0 and labeled.positions = 0 leave nothing to learn from".into());
        }
        if self.learn.learns_edges() && !self.solves_samples() {
            return Err(format!(
                "learn.edge_loss = {} has no exact answers to learn from (set selfplay.root_nodes, \
                 selfplay.relabel_nodes or labeled.positions, or learn.edge_loss = 0)",
                self.learn.edge_loss
            ));
        }
        Ok(())
    }

    /// Checks that each number is within the limits of its key.
    ///
    /// # Errors
    /// Returns an error if one is not.
    pub fn check_ranges(&self) -> Result<(), RangeError> {
        check_ranges(values_in(&Table::try_from(self).expect("a config is plain tables")))
    }

    /// Returns `true` if there are labeled positions beside the games.
    fn has_labels(&self) -> bool {
        self.labeled.positions > 0 || self.labeled.data.is_some()
    }

    /// Returns `true` if the solver makes samples, or labels those of games once they are played.
    fn solves_samples(&self) -> bool {
        self.selfplay.root_nodes > 0 || self.selfplay.relabel_nodes.is_some() || self.has_labels()
    }
}

impl NetworkConfig {
    /// Returns the network's shape.
    pub fn architecture(&self) -> Architecture {
        Architecture::new(self.channels, self.blocks, self.value_hidden)
    }
}

impl SelfPlayConfig {
    /// Returns the settings of self-play's searches.
    pub fn search(&self) -> Settings {
        Settings {
            simulations: self.simulations,
            max_considered: self.max_considered,
            selection: Selection::Gumbel,
            scale: Scale { c_visit: self.c_visit as f32, c_scale: self.c_scale as f32 },
            margin_weight: self.margin_weight as f32,
            solver_undrawn: self.leaf_undrawn.unwrap_or(0),
            solver_safe: self.leaf_safe.unwrap_or(usize::MAX),
            solver_nodes: self.leaf_nodes,
        }
    }
}

impl LearnConfig {
    /// Returns `true` if edge values are learned.
    pub fn learns_edges(&self) -> bool {
        self.edge_loss > 0.0
    }
}
