//! The tables of the config: every key with its meaning, type, default, limits and behavior on resume.
//!
//! The comments in `configs/*.toml` and the tables in `docs/configuration.md` are made from these lines.
//! `DOUBLECROSS_BLESS=1 cargo test --release -p doublecross-run --test generated` writes them again after a change.

use doublecross_arena::BotSpec;
use doublecross_core::board::Board;
use serde::{Deserialize, Serialize};

use super::isa_setting::IsaSetting;
use super::key::{Key, Section, section};
use super::mixture::Mixture;
use super::optimizer_kind::OptimizerKind;
use super::phase::Phase;
use super::processor::Processor;
use doublecross_core::search::MOST_SIMULATIONS;

const SIMULATIONS: f64 = MOST_SIMULATIONS as f64;

/// All tables in the order of a config file, after the keys above them.
pub(super) const SECTIONS: [Section; 8] = [
    Config::SECTION,
    ResourcesConfig::SECTION,
    NetworkConfig::SECTION,
    SelfPlayConfig::SECTION,
    LabeledConfig::SECTION,
    LearnConfig::SECTION,
    SuiteConfig::SECTION,
    FinishConfig::SECTION,
];

impl Config {
    /// Returns all tables in the order of a config file, after the keys above them.
    pub fn sections() -> &'static [Section] {
        &SECTIONS
    }

    /// Returns all keys in the order of a config file.
    pub fn keys() -> impl Iterator<Item = &'static Key> {
        SECTIONS.iter().flat_map(|section| section.keys)
    }
}

section! {
    /// A training run: what holds for all of it, and a table for each of its parts.
    "" Config {
        /// Rows x columns of boxes; the board has at most 180 edges, as 9x9 has.
        #[serde(with = "super::text")]
        board: Board = Board::new(5, 5).expect("there should be such a board");
        /// Boards to learn from, with shares of the generations, as in "3x3:1 5x5:2", board the largest; "" is board alone.
        mixture: Mixture = Mixture::default();
        /// Seed of all random streams: the same config, with its seed and instruction set, plays the same games.
        seed: u64 = 1;
        /// Instruction set that networks run on, as in "avx2"; "auto" is the fastest when the run starts, and the run's then.
        isa: IsaSetting = IsaSetting::Auto;
        /// Generations of self-play and learning; the learning rate falls until the last one.
        generations: u64 = 100, range(1.0, 1e6), may_change();
    }
    tables {
        resources: ResourcesConfig,
        network: NetworkConfig,
        selfplay: SelfPlayConfig,
        labeled: LabeledConfig,
        learn: LearnConfig,
        suite: SuiteConfig,
        finish: FinishConfig
    }
    list {
        /// The phases, tables `[[phase]]`, in the order of their first generations.
        phases, "phase": Phase
    }
}

section! {
    /// Where a run computes and how long, not what. A GPU rounds in its own way; nothing else here changes a game.
    "resources." ResourcesConfig {
        /// Threads; 0 starts one for each core. Where a GPU evaluates, games_at_once sets the number of players.
        threads: usize = 0, range(0.0, 1024.0), may_change();
        /// The run ends with the generation in which it has taken this many minutes, resumes included; 0 sets no limit.
        minutes: f64 = 0.0, range(0.0, 1e6), may_change();
        /// Processor that evaluates positions in games: "cpu", or "gpu" in a program built with --features wgpu.
        selfplay_device: Processor = Processor::Cpu, may_change();
        /// Games played at once where a GPU evaluates, each on a thread of its own.
        games_at_once: usize = 128, range(1.0, 4096.0), may_change();
        /// Processor that learns: "cpu", or "gpu" in a program built with --features wgpu.
        learn_device: Processor = Processor::Cpu, may_change();
    }
}

// The limits are those of `Architecture::validate`.
section! {
    /// The network's shape: a residual tower with global pooling over (rows + 1) x (columns + 1) cells.
    "network." NetworkConfig {
        /// Channels of the tower, a multiple of 16.
        channels: usize = 32, range(16.0, 512.0);
        /// Residual blocks of two 3x3 convolutions each.
        blocks: usize = 4, range(0.0, 64.0);
        /// Hidden units of the margin head.
        value_hidden: usize = 64, range(1.0, 1024.0);
    }
}

section! {
    /// The games of a generation, and the searches and the solver in them.
    "selfplay." SelfPlayConfig {
        /// Games of one generation.
        games: usize = 400, range(1.0, 1e6);
        /// Generations by which games are ahead of learning; with 1, they are played while the last ones are learned from.
        lag: u64 = 0, range(0.0, 8.0), whole_run();
        /// Simulations of a full search.
        simulations: usize = 64, range(1.0, SIMULATIONS);
        // Playout cap randomization: Wu, Accelerating Self-Play Learning in Go, 2019, section 3.1.
        /// Share of the moves that get a full search and give a training sample; the others get a fast search without
        /// noise.
        full_share: f64 = 1.0, range(0.01, 1.0);
        /// Simulations of a fast search.
        fast_simulations: usize = 16, range(1.0, SIMULATIONS);
        /// Maximum number of actions considered at the root, where sequential halving starts with them.
        max_considered: usize = 16, range(1.0, 64.0);
        /// The Q-transform is sigma(q) = (c_visit + most visits) * c_scale * q, with q from -1 to 1.
        c_visit: f64 = 50.0, range(0.0, 1e4);
        /// Scale of the Q-transform; see c_visit.
        c_scale: f64 = 1.0, range(0.0, 1e3);
        /// Share of the margin in what the search maximizes; the rest is the result of the game.
        margin_weight: f64 = 0.5, range(0.0, 1.0);
        /// A game begins with 0 to this many random edges.
        opening_edges: usize = 8;
        /// Share of the openings whose edges are all safe, as careful players draw them.
        opening_safe: f64 = 0.0, range(0.0, 1.0);
        /// Share of the games that begin with a position of the board's last generation that the solver did not settle.
        start_share: f64 = 0.0, range(0.0, 1.0);
        /// Share of the games that begin in the board's book of proofs; unless it is 0, its positions are labeled by it.
        book_share: f64 = 0.0, range(0.0, 1.0);
        /// Share of a game's samples handed out in proportion to the distance between the search's policy and the
        /// network's.
        surprise_share: f64 = 0.0, range(0.0, 1.0);
        /// Number of searched moves, from the start of a game, chosen with Gumbel noise; later ones are the best found.
        noisy_moves: u64 = 64;
        /// The solver is asked at roots with at most this many undrawn edges, and a settled game ends; 0 keeps it out.
        root_undrawn: usize = 36;
        /// Nodes that the solver may spend on a root.
        root_nodes: u64 = 50_000;
        /// Nodes that the solver may spend on labeling each position of a finished game, from the last back; 0 labels
        /// none.
        relabel_nodes: u64 = 0;
        /// A settled game gives samples with exact answers down to this many undrawn edges; 0 goes to its end.
        band_undrawn: usize = 24;
        /// The solver is asked at leaves with at most this many undrawn edges; 0 keeps it out.
        leaf_undrawn: usize = 30;
        /// The solver is asked only at leaves with at most this many safe edges.
        leaf_safe: usize = 64;
        /// Nodes that the solver may spend on each visit of a leaf, so that leaves visited often get more; 0 keeps it
        /// out.
        leaf_nodes: u64 = 200;
        /// Entries of each worker's solver table, 11 bytes each.
        table: usize = 1 << 16, range(2.0, (1u64 << 30) as f64);
        /// Entries of each worker's evaluation cache, about 500 bytes each on 5x5.
        cache: usize = 1 << 13, range(1.0, (1u64 << 24) as f64);
    }
}

section! {
    /// Solver-labeled positions: samples with exact answers from positions of random careful play, beside the games.
    "labeled." LabeledConfig {
        /// Positions of one generation; those that the solver does not settle give no sample.
        positions: usize = 0, range(0.0, 1e6);
        /// Fewest undrawn edges of a position, not above most_undrawn.
        least_undrawn: usize = 24;
        /// Most undrawn edges of a position; there are more where safe edges run out.
        most_undrawn: usize = 36;
        /// Fewest undrawn edges of further exact samples, taken as each position is played on from; 0 goes to the end, 180 takes none.
        band_undrawn: usize = 180;
        /// Nodes that the solver may spend on a position.
        nodes: u64 = 200_000;
    }
}

section! {
    /// Learning from the samples.
    "learn." LearnConfig {
        /// Samples of one step.
        batch: usize = 128, range(1.0, 65536.0);
        /// Optimizer of the hidden layers' weights, "adamw" or "muon"; AdamW updates all others.
        optimizer: OptimizerKind = OptimizerKind::AdamW;
        /// Learning rate after the warm-up; it falls along a half cosine.
        learning_rate: f64 = 1e-3, range(0.0, 1.0);
        /// Learning rate at the end of its course.
        final_learning_rate: f64 = 1e-4, range(0.0, 1.0);
        /// Generations over which the learning rate falls, and after which it stays; 0 for those of the run.
        schedule_generations: u64 = 0, may_change();
        /// Steps over which the learning rate rises from 0.
        warmup_steps: u64 = 100;
        /// Weight decay of weights; biases have none.
        weight_decay: f64 = 1e-4, range(0.0, 1.0);
        /// Gradients with a larger norm are scaled down to this one.
        clip_norm: f64 = 5.0, range(1e-6, 1e6);
        /// Weight of the margin loss; the policy loss has weight 1.
        margin_loss: f64 = 1.0, range(0.0, 100.0);
        /// Weight of the edge-value loss, on samples with exact answers; 0 leaves edge values out.
        edge_loss: f64 = 0.0, range(0.0, 100.0);
        /// A generation learns from this many times its new samples, drawn from the window.
        passes: u8 = 4, range(1.0, 100.0);
        /// The window holds at least this many of the newest samples.
        window_samples: usize = 20_000, range(1.0, 1e9);
        /// The window holds at least this share of all samples.
        window_share: f64 = 0.2, range(0.0, 1.0);
        /// Decay of the EMA weights, which play the games: the share of them that stays at each step.
        ema_decay: f64 = 0.99, range(0.0, 0.99999);
    }
}

section! {
    /// Solved positions of random careful play on which the run is scored as it learns; it learns from none of them.
    "suite." SuiteConfig {
        /// Positions to score on, the same for all runs with this board and these four keys; 0 scores nothing.
        positions: usize = 0, range(0.0, 1e5);
        /// Fewest undrawn edges of a position, not above most_undrawn.
        least_undrawn: usize = 28;
        /// Most undrawn edges of a position; there are more where safe edges run out.
        most_undrawn: usize = 36;
        /// Nodes that the solver may spend on a position; those that it does not settle are left out.
        nodes: u64 = 1_000_000;
        /// Generations from one scoring to the next; the first and the last generation are always scored.
        every: u64 = 10, range(1.0, 1e6), may_change();
        /// Simulations of the searches that are scored beside the network's policy; they have no solver.
        simulations: usize = 100, range(0.0, SIMULATIONS), may_change();
    }
}

section! {
    /// The match that the run's network plays when the run ends.
    "finish." FinishConfig {
        /// Opponent, a bot as in `doublecross match`.
        #[serde(with = "super::text")]
        against: BotSpec = "solver".parse().expect("there should be such a bot"), may_change();
        /// Games of the match; 0 plays none.
        games: usize = 20, range(0.0, 1e6), may_change();
        /// Simulations of the network's searches.
        simulations: usize = 100, range(0.0, SIMULATIONS), may_change();
        /// Nodes that the solver may spend on each of the network's moves; 0 keeps the solver out.
        nodes: u64 = 0, range(0.0, 1e12), may_change();
    }
}
