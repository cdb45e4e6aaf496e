//! The tables of the config: every key with its meaning, type, default, limits and behavior on resume.
//!
//! The comments in `configs/*.toml` and the tables in `docs/configuration.md` are made from these lines.
//! `DOUBLECROSS_BLESS=1 cargo test --release -p doublecross-run --test generated` writes them again after a change.

use doublecross_arena::BotSpec;
use doublecross_core::board::{Board, MAX_EDGES};
use serde::{Deserialize, Serialize};

use super::isa_setting::IsaSetting;
use super::key::{Key, Section, section};
use super::mixture::Mixture;
use super::optimizer_kind::OptimizerKind;
use super::phase::Phase;
use super::processor::Processor;
use doublecross_core::search::MOST_SIMULATIONS;

const SIMULATIONS: f64 = MOST_SIMULATIONS as f64;

/// The most undrawn edges.
const EDGES: f64 = MAX_EDGES as f64;

/// The most nodes of the solver for one position, where there is a limit.
const NODES: f64 = 1e12;

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
        /// Board to play, rows x columns of boxes, at most 180 edges (9x9 has 180). With a mixture: the largest board.
        #[serde(with = "super::text")]
        board: Board = Board::new(5, 5).expect("there should be such a board");
        /// Boards that one network learns, with their shares of the generations, as in "3x3:1 5x5:2". Absent: board alone.
        mixture: Option<Mixture> = None, optional("\"3x3:1 5x5:2\"");
        /// Undrawn edges with which the solver settles nearly all positions. Limits below that are absent follow from it.
        reach: usize = 38, range(1.0, EDGES);
        /// Another seed plays other games and gives another network. The same seed, keys and isa repeat the same games.
        seed: u64 = 1;
        /// Instruction set that networks run on, as in "avx2". "auto": the fastest where the run starts, and kept from then on.
        isa: IsaSetting = IsaSetting::Auto;
        /// Rounds of play and learning. More take longer and learn more; the learning rate falls until the last one.
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
        /// Threads for play and learning. Absent: one per core.
        threads: Option<usize> = None, optional("2"), range(1.0, 1024.0), may_change();
        /// Stop after the generation in which the run reaches this many minutes, resumes included. Absent: no limit.
        minutes: Option<f64> = None, optional("60.0"), range(0.001, 1e6), may_change();
        /// Processor that learns: "cpu", or "gpu" in a program built for one, as with --features cuda.
        learn_device: Processor = Processor::Cpu, may_change();
    }
}

// The limits are those of `Architecture::validate`.
section! {
    /// The network's shape: a residual tower with global pooling over (rows + 1) x (columns + 1) cells.
    "network." NetworkConfig {
        /// Width of the network, a multiple of 16. A wider one learns more from each sample, and learns and plays more slowly.
        channels: usize = 32, range(16.0, 512.0);
        /// Depth of the network: residual blocks of two 3x3 convolutions. A deeper one learns and plays more slowly.
        blocks: usize = 4, range(0.0, 64.0);
        /// Hidden units of the margin head, the part of the network that predicts the margin still to come.
        value_hidden: usize = 64, range(1.0, 1024.0);
    }
}

section! {
    /// The games of a generation, and the searches and the solver in them.
    "selfplay." SelfPlayConfig {
        /// Games per generation. More give more new samples to learn from, and make a generation longer. 0: labels alone.
        games: usize = 400, range(0.0, 1e6);
        /// Generations by which games run ahead of learning. 0: play, then learn. 1: both at once, with weights one generation older.
        lag: u64 = 0, range(0.0, 8.0), whole_run();
        /// Simulations of a full search. More give better moves and better policies to learn from, and slower games.
        simulations: usize = 64, range(1.0, SIMULATIONS);
        // Playout cap randomization: Wu, Accelerating Self-Play Learning in Go, 2019, section 3.1.
        /// Share of the moves with a full search, which alone give samples. The rest get a fast search without noise. 1: all.
        full_share: f64 = 1.0, range(0.01, 1.0);
        /// Simulations of a fast search, which only moves the game on. Unused when full_share is 1.
        fast_simulations: usize = 16, range(1.0, SIMULATIONS);
        /// Most actions that a search compares at its root by sequential halving. More try more actions, each with fewer visits.
        max_considered: usize = 16, range(1.0, 64.0);
        /// Part of the Q-transform (c_visit + most visits) * c_scale * q, q from -1 to 1. Larger trusts searched values more.
        c_visit: f64 = 50.0, range(0.0, 1e4);
        /// Scale of the Q-transform, see c_visit. Larger trusts searched values more and the network's policy less.
        c_scale: f64 = 1.0, range(0.0, 1e3);
        /// Share of the margin in what the search maximizes; the rest is the result. 0: plays to win. 1: plays for boxes.
        margin_weight: f64 = 0.5, range(0.0, 1.0);
        /// Each game begins with a random number of random edges, from 0 to this. More vary the games.
        opening_edges: usize = 8;
        /// Share of the openings that draw safe edges only, like careful players; the others draw any edges.
        opening_safe: f64 = 0.0, range(0.0, 1.0);
        /// Share of the games that begin at a position of the board's last generation that the solver did not settle. 0: none.
        start_share: f64 = 0.0, range(0.0, 1.0);
        /// Share of the games that begin in the board's book of proofs. Above 0, the book also corrects labels. 0: no book.
        book_share: f64 = 0.0, range(0.0, 1.0);
        /// Share of a game's samples dealt out by how far the search's policy is from the network's. 0: each position once.
        surprise_share: f64 = 0.0, range(0.0, 1.0);
        /// Searched moves, from a game's start, that are chosen with Gumbel noise. Later moves are the best found. 0: no noise.
        noisy_moves: u64 = 64;
        /// Ask the solver once at most this many edges are undrawn; a game ends where it settles the position. Absent: reach.
        root_undrawn: Option<usize> = None, optional("38"), range(1.0, EDGES);
        /// Solver nodes for each such position (root_undrawn). More end games earlier, with exact answers, and take longer. 0: never.
        root_nodes: u64 = 0;
        /// Label a finished game's positions exactly, from the last one back, with this many solver nodes each. Absent: none.
        relabel_nodes: Option<u64> = None, optional("20000"), range(1.0, NODES);
        /// When the solver ends a game, label positions on a walk from there, down to this many undrawn edges. Absent: reach - 22.
        band_undrawn: Option<usize> = None, optional("16"), range(0.0, EDGES);
        /// Ask the solver at leaves of the search with at most this many undrawn edges. Absent: reach - 12.
        leaf_undrawn: Option<usize> = None, optional("26"), range(1.0, EDGES);
        /// Ask the solver only at leaves with at most this many safe edges. Absent: no limit.
        leaf_safe: Option<usize> = None, optional("12");
        /// Solver nodes per visit of a leaf; leaves visited often get more. More prove more and slow games down. 0: never at leaves.
        leaf_nodes: u64 = 0;
        /// Entries of each thread's solver table, 11 bytes each. Raise it with the node budgets.
        table: usize = 1 << 16, range(2.0, (1u64 << 30) as f64);
        /// Entries of each thread's evaluation cache, about 500 bytes each on 5x5. More evaluate fewer positions twice.
        cache: usize = 1 << 13, range(1.0, (1u64 << 24) as f64);
    }
}

section! {
    /// Solver-labeled positions: samples with exact answers from positions of random careful play, beside the games.
    "labeled." LabeledConfig {
        /// Random careful positions that the solver labels per generation. Those that it does not settle give no sample. 0: none.
        positions: usize = 0, range(0.0, 1e6);
        /// Fewest undrawn edges of such a position, at most most_undrawn. Absent: reach - 10. Lower adds positions nearer to the end.
        least_undrawn: Option<usize> = None, optional("28"), range(0.0, EDGES);
        /// Most undrawn edges of such a position; more where safe edges run out. Absent: reach - 1. Higher takes many more nodes.
        most_undrawn: Option<usize> = None, optional("37"), range(0.0, EDGES);
        /// Also label positions on a walk toward the end, down to this many. Absent: reach - 22. Above most_undrawn: no walk.
        band_undrawn: Option<usize> = None, optional("16"), range(0.0, EDGES);
        /// Solver nodes for each position. More settle positions farther from the end, and take longer.
        nodes: u64 = 200_000;
        /// Labels from this folder, which `doublecross label` makes, a shard for each generation. Absent: each makes its own.
        data: Option<String> = None, optional("\"labels/5x5\""), whole_run();
    }
}

section! {
    /// Learning from the samples.
    "learn." LearnConfig {
        /// Samples per learning step. A larger batch takes fewer steps and keeps more threads busy, see part.
        batch: usize = 128, range(1.0, 65536.0);
        /// Samples of a batch that one thread learns from at a time (a GPU: all). Fewer keep more threads busy, each for longer.
        part: usize = 16, range(1.0, 65536.0);
        /// Optimizer of the hidden layers' weights, "adamw" or "muon". AdamW updates all others.
        optimizer: OptimizerKind = OptimizerKind::AdamW;
        /// Learning rate after the warm-up; it falls along a half cosine. Larger networks need a lower one.
        learning_rate: f64 = 1e-3, range(0.0, 1.0);
        /// Learning rate at the end of its half cosine.
        final_learning_rate: f64 = 1e-4, range(0.0, 1.0);
        /// Generations until the learning rate has fallen; then it stays. Absent: all of the run, or until a phase resets it.
        schedule_generations: Option<u64> = None, optional("100"), range(1.0, 1e6), may_change();
        /// Steps over which the learning rate rises from 0. 0: no warm-up.
        warmup_steps: u64 = 100;
        /// Share of weights, not biases, taken off at each step, times the learning rate. Larger keeps them smaller. 0: none.
        weight_decay: f64 = 1e-4, range(0.0, 1.0);
        /// Gradients with a larger norm are scaled down to this one, so that a bad batch does less harm.
        clip_norm: f64 = 5.0, range(1e-6, 1e6);
        /// Weight of the margin loss; the policy loss has weight 1. Larger favors margins over the policy.
        margin_loss: f64 = 1.0, range(0.0, 100.0);
        /// Weight of the edge-value loss, on samples with exact answers. 0: edge values are not learned.
        edge_loss: f64 = 0.0, range(0.0, 100.0);
        /// Samples learned per generation, in multiples of its new ones: these once, the rest from the window. More take longer.
        passes: u8 = 4, range(1.0, 100.0);
        /// The window that is learned from holds at least this many of the newest samples of each kind, exact and played.
        window_samples: usize = 20_000, range(1.0, 1e9);
        /// The window holds at least this share of all the run's samples with exact answers. 1: it keeps everything.
        window_share: f64 = 0.2, range(0.0, 1.0);
        /// The same of all the run's other samples, whose answers are those of games and grow old. Below 1: the newest alone.
        played_share: f64 = 0.2, range(0.0, 1.0);
        /// Share of the EMA weights kept at each step. Closer to 1 smooths over more steps. The EMA weights play the games.
        ema_decay: f64 = 0.99, range(0.0, 0.99999);
    }
}

section! {
    /// Solved positions of random careful play on which the run is scored as it learns; it learns from none of them.
    "suite." SuiteConfig {
        /// Positions to score on, the same in all runs with this board, reach and table; never learned from. 0: no scores.
        positions: usize = 0, range(0.0, 1e5);
        /// Fewest undrawn edges of a position, at most most_undrawn. Absent: reach - 10. Lower adds easier positions.
        least_undrawn: Option<usize> = None, optional("28"), range(0.0, EDGES);
        /// Most undrawn edges of a position; more where safe edges run out. Absent: reach - 2. Higher adds harder positions.
        most_undrawn: Option<usize> = None, optional("36"), range(0.0, EDGES);
        /// Solver nodes for each position. Positions that the solver does not settle are left out.
        nodes: u64 = 1_000_000;
        /// Generations between scores. The first and the last generation are always scored.
        every: u64 = 10, range(1.0, 1e6), may_change();
        /// Simulations of the searches that are scored beside the policy; they have no solver. More find more, and take longer.
        simulations: usize = 100, range(0.0, SIMULATIONS), may_change();
    }
}

section! {
    /// The match that the run's network plays when the run ends.
    "finish." FinishConfig {
        /// Opponent in the match that ends the run, a bot as in `doublecross match`.
        #[serde(with = "super::text")]
        against: BotSpec = "solver".parse().expect("there should be such a bot"), may_change();
        /// Games of that match, rounded up to an even number. 0: no match.
        games: usize = 20, range(0.0, 1e6), may_change();
        /// Simulations of the network's searches. 0: its policy plays alone.
        simulations: usize = 100, range(0.0, SIMULATIONS), may_change();
        /// Solver nodes for each of the network's moves. Absent: it plays without the solver.
        nodes: Option<u64> = None, optional("200000"), range(1.0, NODES), may_change();
    }
}
