//! How a search is run.

/// Beyond that a visit of a leaf costs more simulations than an exact answer is worth.
const MOST_LEAF_NODES: u64 = 256;

/// The most simulations that a search may be asked for: each takes up to three kilobytes.
pub const MOST_SIMULATIONS: usize = 1_000_000;

/// How a search is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Simulations below the root.
    pub simulations: usize,
    /// At most this many actions are considered at the root.
    pub considered: usize,
    /// Scales of the Q-transform; `None` takes those that go with what answers at leaves.
    pub scale: Option<Scale>,
    /// The share of the margin, beside the result, in what is maximised (see [`Utility`](super::Utility)).
    pub margin_weight: f32,
    /// Leaves with at most this many undrawn edges are given to the solver.
    pub solver_undrawn: usize,
    /// ...and of these with at most this many safe edges.
    pub solver_safe: usize,
    /// The solver's budget for each visit of a leaf, in nodes; 0 keeps it out. See [`Settings::proof_nodes`].
    pub solver_nodes: u64,
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

/// Where the solver answers for leaves: values are to be believed.
const PROVED: Scale = Scale { c_visit: 50.0, c_scale: 1.0 };

/// Where nothing but guesses comes from leaves: more is found when what looks worse is tried longer.
const GUESSED: Scale = Scale { c_visit: 20.0, c_scale: 0.5 };

impl Settings {
    /// The scales of the Q-transform: those that were set, else what goes with the solver's part at leaves.
    pub fn scale(&self) -> Scale {
        self.scale.unwrap_or(if self.solver_nodes > 0 { PROVED } else { GUESSED })
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
            considered: 16,
            scale: None,
            margin_weight: 0.5,
            solver_undrawn: 0,
            solver_safe: usize::MAX,
            solver_nodes: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_go_with_what_answers_at_leaves_unless_they_are_set() {
        let settings = Settings::default();
        assert_eq!(settings.scale(), GUESSED);
        assert_eq!(settings.clone().with_leaves(20_000).scale(), PROVED);
        assert_eq!(settings.clone().with_leaves(20_000).with_leaves(0).scale(), GUESSED);
        let scale = Scale { c_visit: 3.0, c_scale: 2.0 };
        assert_eq!(Settings { scale: Some(scale), ..settings }.with_leaves(20_000).scale(), scale);
    }
}
