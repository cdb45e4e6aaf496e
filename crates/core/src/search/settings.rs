//! The settings of a search.

/// The largest budget of the solver for a visit of a leaf, in nodes. Beyond it a visit costs more
/// simulations than an exact answer is worth.
const MAX_LEAF_NODES: u64 = 256;

/// The largest number of simulations of a search. Each takes a few kilobytes.
pub const MOST_SIMULATIONS: usize = 1_000_000;

/// The number of actions at which a tree is full and a search ends, some 110 bytes each. A node of an
/// empty 9x9 board has 176 actions.
pub(super) const MOST_ACTIONS: usize = if usize::BITS < 64 { 1 << 23 } else { 1 << 25 };

/// The largest number of simulations by sequential halving before PUCT takes over.
const MAX_HALVING_SIMULATIONS: usize = 512;

/// The settings of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The number of simulations.
    pub simulations: usize,
    /// The largest number of actions that sequential halving considers at the root. 0 means no
    /// sequential halving.
    pub max_considered: usize,
    /// The rule by which the next action to simulate is selected.
    pub selection: Selection,
    /// The scales of the Q-transform, which gives the improved policy.
    pub scale: Scale,
    /// The weight of the margin, as opposed to the result, in the value that is maximized (see
    /// [`Utility`](super::Utility)).
    pub margin_weight: f32,
    /// The largest number of undrawn edges with which a leaf is given to the solver.
    pub solver_undrawn: usize,
    /// The largest number of safe edges with which a leaf is given to the solver.
    pub solver_safe: usize,
    /// The budget of the solver for each visit of a leaf, in nodes. 0 means no solver at leaves.
    /// See [`Settings::proof_nodes`].
    pub solver_nodes: u64,
}

/// The rule by which the next action of a node to simulate is selected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Selection {
    /// The action with the largest `q + exploration * prior * sqrt(1 + N) / (1 + n)`, where `N` is
    /// the number of simulations of all actions and `n` that of the action (Silver et al. 2017,
    /// after Rosin 2011). The `q` of an untried action is the mixed value (Danihelka et al. 2022,
    /// equation 33).
    ///
    /// At the root, the first half of the simulations, at most 512, is distributed by sequential
    /// halving, so that every considered action is tried. This rule is for play: it returns to an
    /// action that looked worse when the others turn out to be no better, and the search may be
    /// stopped at any time (docs/experiments/search.md#n36).
    Puct {
        /// The weight of the prior against the values, which are in -1..=1.
        exploration: f32,
    },
    /// The action whose visits fall shortest of the improved policy, with sequential halving at the
    /// root (Danihelka et al. 2022). This rule is for self-play: with Gumbel noise at the root, its
    /// policy is an improvement to learn from with any number of simulations.
    Gumbel,
}

/// The scales of the Q-transform `sigma(q) = (c_visit + max N) * c_scale * q` (Danihelka et al.
/// 2022, equation 8), with Q-values in -1..=1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The number added to the visits of the most visited action.
    pub c_visit: f32,
    /// The factor of that sum.
    pub c_scale: f32,
}

impl Settings {
    /// Returns the number of simulations at the root by sequential halving.
    pub(super) fn halving_simulations(&self) -> usize {
        match self.selection {
            _ if self.max_considered == 0 => 0,
            Selection::Puct { .. } => (self.simulations / 2).min(MAX_HALVING_SIMULATIONS),
            Selection::Gumbel => self.simulations,
        }
    }

    /// Returns the settings with the solver at all leaves, with a budget in proportion to that of
    /// the root.
    pub fn with_leaves(self, root_nodes: u64) -> Settings {
        let solver_nodes = leaf_nodes(root_nodes);
        Settings { solver_undrawn: usize::MAX, solver_safe: usize::MAX, solver_nodes, ..self }
    }
}

/// Returns the budget of the solver for a visit of a leaf that goes with a budget for the root.
pub(super) fn leaf_nodes(root_nodes: u64) -> u64 {
    (root_nodes / 100).min(MAX_LEAF_NODES)
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            simulations: 100,
            max_considered: 16,
            selection: Selection::Puct { exploration: 0.45 },
            scale: Scale { c_visit: 50.0, c_scale: 1.0 },
            margin_weight: 0.5,
            solver_undrawn: 0,
            solver_safe: usize::MAX,
            solver_nodes: 0,
        }
    }
}
