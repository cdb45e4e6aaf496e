//! How a search is run.

/// Beyond that a visit of a leaf costs more simulations than an exact answer is worth.
const MOST_LEAF_NODES: u64 = 256;

/// The most simulations that a search may be asked for: each takes up to three kilobytes.
pub const MOST_SIMULATIONS: usize = 1_000_000;

/// The most simulations that sequential halving takes before PUCT goes on.
const MOST_HALVED: usize = 512;

/// How a search is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Simulations below the root.
    pub simulations: usize,
    /// At most this many actions are considered by sequential halving at the root; 0 does without it.
    pub max_considered: usize,
    /// Which action is simulated next.
    pub selection: Selection,
    /// Scales of the Q-transform, which makes the improved policy.
    pub scale: Scale,
    /// The share of the margin, beside the result, in what is maximised (see [`Utility`](super::Utility)).
    pub margin_weight: f32,
    /// Leaves with at most this many undrawn edges are given to the solver.
    pub solver_undrawn: usize,
    /// ...and of these with at most this many safe edges.
    pub solver_safe: usize,
    /// The solver's budget for each visit of a leaf, in nodes; 0 keeps it out. See [`Settings::proof_nodes`].
    pub solver_nodes: u64,
}

/// Which action of a node is simulated next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Selection {
    /// The one with the largest `q + exploration * prior * sqrt(1 + N) / (1 + n)`, `N` being the simulations of all actions
    /// and `n` its own (Silver et al. 2017, after Rosin 2011); what was not tried yet has the mixed value (Danihelka et al.
    /// 2022, equation 33) for its `q`. At the root the first half of the simulations, 512 at most, go by sequential
    /// halving, so that every action considered has its chance. For play: it comes back to what looked worse when what
    /// looked better turns out to be no better, and may be stopped at any time.
    Puct {
        /// How far simulations follow the prior rather than the values, which are in -1..=1.
        exploration: f32,
    },
    /// The one whose visits fall shortest of the improved policy, and sequential halving at the root (Danihelka et al. 2022).
    /// For self-play: with Gumbel noise at the root its policy is one to learn from, however few the simulations.
    Gumbel,
}

/// Scales of the Q-transform `sigma(q) = (c_visit + max N) * c_scale * q` (Danihelka et al. 2022, equation 8), with raw
/// Q-values, in -1..=1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// What is added to the visits of the most visited action.
    pub c_visit: f32,
    /// What their sum is multiplied by.
    pub c_scale: f32,
}

impl Settings {
    /// How many of the simulations at the root go by sequential halving.
    pub(super) fn halved(&self) -> usize {
        match self.selection {
            _ if self.max_considered == 0 => 0,
            Selection::Puct { .. } => (self.simulations / 2).min(MOST_HALVED),
            Selection::Gumbel => self.simulations,
        }
    }

    /// Puts the solver in play at leaves, with a budget that goes with the root's.
    pub fn with_leaves(self, root_nodes: u64) -> Settings {
        let solver_nodes = (root_nodes / 100).min(MOST_LEAF_NODES);
        Settings { solver_undrawn: usize::MAX, solver_safe: usize::MAX, solver_nodes, ..self }
    }
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
