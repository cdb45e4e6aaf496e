//! The run's config: every key, its default, and what its value may be.

use std::path::Path;
use std::{fs, io};

use serde::{Deserialize, Serialize};
use thiserror::Error;
use toml::{Table, Value};

use super::Rule;
use super::keys::{check_keys, insert, merge};
use super::processor::{Processor, ProcessorError};
use crate::board::{Board, TextError};
use crate::net::Architecture;
use crate::search::{MOST_SIMULATIONS, Scale, Selection, Settings};

/// A training run. `configs/5x5.toml` documents every key in place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, expecting = "a table")]
pub struct Config {
    /// The board, as `5x5`.
    pub board: String,
    /// The seed of every random stream.
    pub seed: u64,
    /// Worker threads; 0 takes one for each core. Where a GPU evaluates, `at_once` is how many there are.
    pub threads: usize,
    /// Generations of self-play and learning.
    pub generations: u64,
    /// Stop after this many minutes, at a generation's end; 0 never. The learning rate goes by `generations` alone.
    pub minutes: f64,
    /// The network's shape.
    pub network: NetworkConfig,
    /// How games are played.
    pub selfplay: SelfPlayConfig,
    /// What is learnt beside the games.
    pub study: LabelledConfig,
    /// How rows are learnt.
    pub learn: LearnConfig,
    /// What the run is scored on as it learns.
    pub suite: SuiteConfig,
    /// What is played when the run ends.
    pub finish: FinishConfig,
}

/// The network's shape. See [`Architecture`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, expecting = "a table")]
pub struct NetworkConfig {
    /// Channels of the tower, a multiple of 16.
    pub channels: usize,
    /// Residual blocks.
    pub blocks: usize,
    /// Hidden units of the margin head.
    pub value_hidden: usize,
}

/// How games are played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, expecting = "a table")]
pub struct SelfPlayConfig {
    /// Games of one generation.
    pub games: usize,
    /// Simulations of one search.
    pub simulations: usize,
    /// The share of the moves that get a full search and give a row; the others are searched fast, without noise, and
    /// give none (playout cap randomisation; Wu, Accelerating Self-Play Learning in Go, 2019, 3.1).
    pub full_share: f64,
    /// Simulations of a fast search.
    pub fast_simulations: usize,
    /// Actions considered at the root.
    pub considered: usize,
    /// `c_visit` of the Q-transform.
    pub c_visit: f32,
    /// `c_scale` of the Q-transform.
    pub c_scale: f32,
    /// Share of the margin, beside the result, in what is maximised.
    pub margin_weight: f32,
    /// A game begins with 0 to this many random edges.
    pub opening_edges: usize,
    /// The share of the openings whose edges are all safe, as careful play draws them.
    pub opening_safe: f64,
    /// The share of the games that begin instead with a position that the last generation's games met and the solver did
    /// not settle.
    pub start_share: f64,
    /// The share of a game's searched rows that is handed out in proportion to how far the search's policy is from the
    /// network's, so that surprising rows come more than once and others not at all.
    pub surprise_share: f64,
    /// So many of the moves that a game searches are chosen with Gumbel noise, to try what looks worse; those after them
    /// are the best that the search finds, so that a game's end says more about its positions.
    pub noisy_moves: u64,
    /// The solver is asked at roots of at most this many undrawn edges, and a settled game is over; 0 keeps it out.
    pub root_undrawn: usize,
    /// Its budget at a root, in nodes.
    pub root_nodes: u64,
    /// Its budget for each searched position of a game that has ended, from the last back to the first that it does not
    /// settle, which then has exact answers; 0 leaves them what the search and the game gave.
    pub relabel_nodes: u64,
    /// A settled game gives rows with exact answers down to this many undrawn edges; 0 down to its end.
    pub band_undrawn: usize,
    /// The solver is asked at leaves of at most this many undrawn edges; 0 keeps it out.
    pub leaf_undrawn: usize,
    /// ...and of these with at most this many safe edges.
    pub leaf_safe: usize,
    /// Its budget for each visit of a leaf, in nodes (see [`Settings::proof_nodes`]).
    pub leaf_nodes: u64,
    /// Entries of each worker's solver table.
    pub table: usize,
    /// Entries of each worker's evaluation cache.
    pub cache: usize,
    /// What evaluates positions.
    pub device: Processor,
    /// Games that are played at once where a GPU evaluates, each on a thread that waits for it.
    pub at_once: usize,
}

/// What is learnt beside the games: positions that careful play at random comes to, with exact answers. They may have more
/// edges undrawn than was asked for, where safe ones come to an end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, expecting = "a table")]
pub struct LabelledConfig {
    /// Positions of each generation; those that the solver does not settle give no row.
    pub positions: usize,
    /// They have at least this many undrawn edges...
    pub least_undrawn: usize,
    /// ...and at most this many.
    pub most_undrawn: usize,
    /// The solver's budget for one, in nodes.
    pub nodes: u64,
}

/// How rows are learnt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, expecting = "a table")]
pub struct LearnConfig {
    /// What learns.
    pub device: Processor,
    /// Rows of one step.
    pub batch: usize,
    /// What the weights of hidden layers are learnt by.
    pub optimizer: Rule,
    /// The learning rate after the warm-up.
    pub learning_rate: f64,
    /// The learning rate at the last generation; it falls along a half cosine.
    pub final_learning_rate: f64,
    /// Steps over which the learning rate rises from 0.
    pub warmup_steps: u64,
    /// The weight decay; biases have none.
    pub weight_decay: f32,
    /// Gradients with a larger norm are scaled down to it.
    pub clip_norm: f32,
    /// Weight of the margin loss beside the policy loss.
    pub margin_loss: f32,
    /// Weight of the loss of what each edge is worth, which rows with exact answers then tell; 0 leaves them without. What
    /// learns it is no part of the weights that play.
    pub edge_loss: f32,
    /// A generation learns from this many times its new rows, drawn from the window.
    pub passes: u8,
    /// The window holds at least this many of the newest rows...
    pub window_rows: usize,
    /// ...and at least this share of all rows.
    pub window_share: f64,
    /// How much of the averaged weights stays at each step.
    pub averaging: f32,
}

/// What the run is scored on as it learns: positions that careful play at random comes to, with exact answers. They are the
/// same whatever the run's seed, and no row of theirs is learnt, but what a run starts from may have learnt them. They may have
/// more edges undrawn than was asked for, where safe ones come to an end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, expecting = "a table")]
pub struct SuiteConfig {
    /// How many; 0 scores nothing. Those that the solver does not settle are left out.
    pub positions: usize,
    /// They have at least this many undrawn edges...
    pub least_undrawn: usize,
    /// ...and at most this many.
    pub most_undrawn: usize,
    /// The solver's budget for one, in nodes.
    pub nodes: u64,
    /// Scores are taken after the first generation, every so many, and after the last.
    pub every: u64,
    /// Simulations of the searches that are scored beside the network's own policy; they have no solver.
    pub simulations: usize,
}

/// What is played when the run ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, expecting = "a table")]
pub struct FinishConfig {
    /// The bot that the result plays.
    pub against: String,
    /// How many games; 0 plays none.
    pub games: usize,
    /// Simulations of the result's searches.
    pub simulations: usize,
    /// The solver's budget for each of the result's moves, in nodes; 0 keeps the solver out of them.
    pub nodes: u64,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            board: "5x5".into(),
            seed: 1,
            threads: 0,
            generations: 100,
            minutes: 0.0,
            network: NetworkConfig::default(),
            selfplay: SelfPlayConfig::default(),
            study: LabelledConfig::default(),
            learn: LearnConfig::default(),
            suite: SuiteConfig::default(),
            finish: FinishConfig::default(),
        }
    }
}

impl Default for NetworkConfig {
    fn default() -> NetworkConfig {
        NetworkConfig { channels: 32, blocks: 4, value_hidden: 64 }
    }
}

impl Default for SelfPlayConfig {
    fn default() -> SelfPlayConfig {
        SelfPlayConfig {
            games: 400,
            simulations: 64,
            full_share: 1.0,
            fast_simulations: 16,
            considered: 16,
            c_visit: 50.0,
            c_scale: 1.0,
            margin_weight: 0.5,
            opening_edges: 8,
            opening_safe: 0.0,
            start_share: 0.0,
            surprise_share: 0.0,
            noisy_moves: 64,
            root_undrawn: 36,
            root_nodes: 50_000,
            relabel_nodes: 0,
            band_undrawn: 24,
            leaf_undrawn: 30,
            leaf_safe: 64,
            leaf_nodes: 200,
            table: 1 << 16,
            cache: 1 << 13,
            device: Processor::Cpu,
            at_once: 128,
        }
    }
}

impl Default for LabelledConfig {
    fn default() -> LabelledConfig {
        LabelledConfig { positions: 0, least_undrawn: 24, most_undrawn: 36, nodes: 200_000 }
    }
}

impl Default for LearnConfig {
    fn default() -> LearnConfig {
        LearnConfig {
            device: Processor::Cpu,
            batch: 128,
            optimizer: Rule::AdamW,
            learning_rate: 1e-3,
            final_learning_rate: 1e-4,
            warmup_steps: 100,
            weight_decay: 1e-4,
            clip_norm: 5.0,
            margin_loss: 1.0,
            edge_loss: 0.0,
            passes: 4,
            window_rows: 20_000,
            window_share: 0.2,
            averaging: 0.99,
        }
    }
}

impl LearnConfig {
    /// Whether what each edge is worth is learnt.
    pub(super) fn learns_edges(&self) -> bool {
        self.edge_loss > 0.0
    }
}

impl Default for SuiteConfig {
    fn default() -> SuiteConfig {
        SuiteConfig { positions: 0, least_undrawn: 28, most_undrawn: 36, nodes: 1_000_000, every: 10, simulations: 100 }
    }
}

impl Default for FinishConfig {
    fn default() -> FinishConfig {
        FinishConfig { against: "solver".into(), games: 20, simulations: 100, nodes: 0 }
    }
}

/// Why a config cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read config {path}: {error}")]
    Read {
        /// The file.
        path: String,
        /// Why not.
        error: io::Error,
    },
    /// Not TOML, or a value of the wrong type.
    #[error("{origin}: {error}")]
    Toml {
        /// The file or the override.
        origin: String,
        /// What is wrong and where.
        error: String,
    },
    /// A key that does not exist.
    #[error("{origin}: unknown key `{key}`; did you mean `{nearest}`?")]
    UnknownKey {
        /// The file or the override.
        origin: String,
        /// The key.
        key: String,
        /// The key most like it.
        nearest: String,
    },
    /// A value out of range.
    #[error("config: {0}")]
    Value(String),
}

impl Config {
    /// Reads a config file and applies overrides of the form `key=value`, as in `learn.batch=64`.
    ///
    /// # Errors
    /// When the file cannot be read, a key is unknown, or a value is of the wrong type or out of range.
    pub fn load(path: &Path, overrides: &[String]) -> Result<Config, ConfigError> {
        Config::parse(&read(path)?, &path.display().to_string(), overrides)
    }

    /// Reads the config of a run that is there, which may be from a program built otherwise.
    pub(super) fn load_kept(path: &Path) -> Result<Config, ConfigError> {
        Config::resolve(&read(path)?, &path.display().to_string(), &[])
    }

    /// As [`Config::load`], from a text that is called `origin` in errors.
    ///
    /// # Errors
    /// When a key is unknown or a value is of the wrong type or out of range.
    pub fn parse(text: &str, origin: &str, overrides: &[String]) -> Result<Config, ConfigError> {
        let config = Config::resolve(text, origin, overrides)?;
        for (key, processor) in [("selfplay.device", config.selfplay.device), ("learn.device", config.learn.device)] {
            if processor == Processor::Gpu && !cfg!(feature = "wgpu") {
                return Err(ConfigError::Value(format!("{key} = \"gpu\": {}", ProcessorError::NotBuilt)));
            }
        }
        Ok(config)
    }

    fn resolve(text: &str, origin: &str, overrides: &[String]) -> Result<Config, ConfigError> {
        let mut table: Table = text.parse().map_err(|error| not_toml(text, origin, error))?;
        check_keys(&table, origin)?;
        for text in overrides {
            let origin = format!("--set {text}");
            let Some((key, value)) = text.split_once('=') else {
                return Err(ConfigError::Toml { origin, error: "expected key=value".into() });
            };
            // A bare word is a string, so that `--set board=3x3` needs no quotes.
            let parsed = format!("value = {value}").parse::<Table>().ok().and_then(|mut t| t.remove("value"));
            if parsed.is_none() && value.trim().parse::<u128>().is_ok_and(|number| number > i64::MAX as u128) {
                return Err(ConfigError::Toml { origin, error: format!("expected at most {}", i64::MAX) });
            }
            let value = parsed.unwrap_or_else(|| Value::String(value.into()));
            let mut layer = Table::new();
            insert(&mut layer, key.trim(), value);
            check_keys(&layer, &origin)?;
            // By itself, so that it is what an error names.
            Config::deserialize(layer.clone()).map_err(|error| wrong_type(&origin, error))?;
            merge(&mut table, layer);
        }
        let config: Config = table.try_into().map_err(|error| wrong_type(origin, error))?;
        config.validate()?;
        Ok(config)
    }

    /// The resolved config as a file.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a config is plain tables")
    }

    /// The board it is for.
    ///
    /// # Errors
    /// When there is no such board.
    pub fn board(&self) -> Result<Board, ConfigError> {
        self.board.parse().map_err(|error: TextError| ConfigError::Value(error.to_string()))
    }

    /// The network's shape.
    pub fn architecture(&self) -> Architecture {
        let NetworkConfig { channels, blocks, value_hidden } = self.network;
        Architecture { channels, blocks, value_hidden }
    }

    /// Worker threads, 0 for one a core.
    pub(super) fn workers(&self) -> usize {
        match self.selfplay.device {
            Processor::Cpu => self.threads,
            Processor::Gpu => self.selfplay.at_once,
        }
    }

    /// How many threads play games, each with a solver's table of its own.
    pub(super) fn threads_of_games(&self) -> usize {
        match self.workers() {
            0 => std::thread::available_parallelism().map_or(1, |cores| cores.get()),
            workers => workers,
        }
    }

    /// How self-play searches.
    pub fn search(&self) -> Settings {
        let s = &self.selfplay;
        Settings {
            simulations: s.simulations,
            max_considered: s.considered,
            selection: Selection::Gumbel,
            scale: Scale { c_visit: s.c_visit, c_scale: s.c_scale },
            margin_weight: s.margin_weight,
            solver_undrawn: s.leaf_undrawn,
            solver_safe: s.leaf_safe,
            solver_nodes: s.leaf_nodes,
        }
    }

    /// Whether the solver makes rows, or settles those of games once they are played.
    fn solves_rows(&self) -> bool {
        self.selfplay.root_undrawn > 0 || self.selfplay.relabel_nodes > 0 || self.study.positions > 0
    }

    fn validate(&self) -> Result<(), ConfigError> {
        let board = self.board()?;
        self.architecture().validate().map_err(|error| ConfigError::Value(error.to_string()))?;
        let (s, study, l, suite) = (&self.selfplay, &self.study, &self.learn, &self.suite);
        // The empty board is for learning.
        let most_of_suite = match suite.positions {
            0 => suite.most_undrawn,
            _ => suite.most_undrawn.min(board.edges() - 1),
        };
        let ranges = [
            ("threads", self.threads as f64, 0.0, 1024.0),
            ("generations", self.generations as f64, 1.0, 1e6),
            ("minutes", self.minutes, 0.0, 1e6),
            ("selfplay.games", s.games as f64, 1.0, 1e6),
            ("selfplay.simulations", s.simulations as f64, 1.0, MOST_SIMULATIONS as f64),
            ("selfplay.opening_safe", s.opening_safe, 0.0, 1.0),
            ("selfplay.start_share", s.start_share, 0.0, 1.0),
            ("selfplay.surprise_share", s.surprise_share, 0.0, 1.0),
            ("selfplay.full_share", s.full_share, 0.01, 1.0),
            ("selfplay.fast_simulations", s.fast_simulations as f64, 1.0, MOST_SIMULATIONS as f64),
            ("selfplay.considered", s.considered as f64, 1.0, 64.0),
            ("selfplay.c_visit", s.c_visit as f64, 0.0, 1e4),
            ("selfplay.c_scale", s.c_scale as f64, 0.0, 1e3),
            ("selfplay.margin_weight", s.margin_weight as f64, 0.0, 1.0),
            ("selfplay.table", s.table as f64, 2.0, 2f64.powi(30)),
            ("selfplay.cache", s.cache as f64, 1.0, 2f64.powi(24)),
            ("selfplay.at_once", s.at_once as f64, 1.0, 4096.0),
            ("study.positions", study.positions as f64, 0.0, 1e6),
            ("study.least_undrawn", study.least_undrawn as f64, 0.0, study.most_undrawn as f64),
            ("learn.batch", l.batch as f64, 1.0, 65536.0),
            ("learn.learning_rate", l.learning_rate, 0.0, 1.0),
            ("learn.final_learning_rate", l.final_learning_rate, 0.0, 1.0),
            ("learn.weight_decay", l.weight_decay as f64, 0.0, 1.0),
            ("learn.clip_norm", l.clip_norm as f64, 1e-6, 1e6),
            ("learn.margin_loss", l.margin_loss as f64, 0.0, 100.0),
            ("learn.edge_loss", l.edge_loss as f64, 0.0, 100.0),
            ("learn.passes", l.passes as f64, 1.0, 100.0),
            ("learn.window_rows", l.window_rows as f64, 1.0, 1e9),
            ("learn.window_share", l.window_share, 0.0, 1.0),
            ("learn.averaging", l.averaging as f64, 0.0, 0.99999),
            ("suite.positions", suite.positions as f64, 0.0, 1e5),
            ("suite.least_undrawn", suite.least_undrawn as f64, 0.0, most_of_suite as f64),
            ("suite.every", suite.every as f64, 1.0, 1e6),
            ("suite.simulations", suite.simulations as f64, 0.0, MOST_SIMULATIONS as f64),
            ("finish.games", self.finish.games as f64, 0.0, 1e6),
            ("finish.simulations", self.finish.simulations as f64, 0.0, MOST_SIMULATIONS as f64),
            ("finish.nodes", self.finish.nodes as f64, 0.0, 1e12),
        ];
        for (key, value, low, high) in ranges {
            if !(low..=high).contains(&value) {
                return Err(ConfigError::Value(format!("{key} = {value} is out of range; expected {low} to {high}")));
            }
        }
        if l.learns_edges() && !self.solves_rows() {
            return Err(ConfigError::Value(format!(
                "learn.edge_loss = {} learns from rows that the solver has settled; expected selfplay.root_undrawn, \
                 selfplay.relabel_nodes or study.positions above 0, or 0",
                l.edge_loss
            )));
        }
        Ok(())
    }
}

/// What is wrong with a text that is not TOML, and in which line.
fn not_toml(text: &str, origin: &str, error: toml::de::Error) -> ConfigError {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let (line, column) =
        (before.matches('\n').count() + 1, before.chars().rev().take_while(|&c| c != '\n').count() + 1);
    ConfigError::Toml { origin: format!("{origin}:{line}:{column}"), error: error.message().replace('\n', "; ") }
}

/// What is wrong with a value of another type, in words that are not Rust's.
fn wrong_type(origin: &str, error: toml::de::Error) -> ConfigError {
    let words = [
        ("expected usize", "expected a whole number, at least 0"),
        ("expected u64", "expected a whole number, at least 0"),
        ("expected u8", "expected a whole number from 0 to 255"),
        ("expected f64", "expected a number"),
        ("expected f32", "expected a number"),
    ];
    let said = error.to_string().trim().replace('\n', " ");
    let error = words.iter().fold(said, |said, (own, plain)| said.replace(own, plain));
    ConfigError::Toml { origin: origin.into(), error }
}

fn read(path: &Path) -> Result<String, ConfigError> {
    fs::read_to_string(path).map_err(|error| ConfigError::Read { path: path.display().to_string(), error })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, overrides: &[&str]) -> Result<Config, String> {
        let overrides: Vec<String> = overrides.iter().map(|s| s.to_string()).collect();
        Config::parse(text, "run.toml", &overrides).map_err(|error| error.to_string())
    }

    #[test]
    fn defaults_overrides_and_the_resolved_copy() {
        let config = parse("seed = 9\n[learn]\nbatch = 64", &["learn.passes=2", "board=3x3", "seed=10"]).unwrap();
        assert_eq!((config.seed, config.learn.batch, config.learn.passes), (10, 64, 2));
        assert_eq!(config.board, "3x3");
        assert!(config.threads == 0 && config.threads_of_games() > 0);
        assert_eq!(config.selfplay, SelfPlayConfig::default());
        assert_eq!(parse(&config.to_toml(), &[]).unwrap(), config);
    }

    #[test]
    fn unknown_keys_name_the_nearest() {
        let error = parse("[learn]\nlerning_rate = 0.1", &[]).unwrap_err();
        assert_eq!(error, "run.toml: unknown key `learn.lerning_rate`; did you mean `learn.learning_rate`?");
        let error = parse("chanels = 3", &[]).unwrap_err();
        assert!(error.contains("did you mean `network.channels`"), "{error}");
        let error = parse("", &["sede=3"]).unwrap_err();
        assert!(error.contains("--set sede=3") && error.contains("`seed`"), "{error}");
        // In quotes it is one key at the top, not one of a table.
        let error = parse("\"learn.batch\" = 64", &[]).unwrap_err();
        assert_eq!(error, "run.toml: unknown key `learn.batch`; did you mean `learn.batch`?");
    }

    #[test]
    fn bad_values_say_what_was_expected() {
        for (text, part) in [
            ("board = \"9x9\"", "64 edges"),
            ("board = 5", "string"),
            ("[network]\nchannels = 40", "multiple of 16"),
            ("[learn]\npasses = 0", "learn.passes = 0 is out of range; expected 1 to 100"),
            ("[study]\nleast_undrawn = 40", "study.least_undrawn = 40 is out of range; expected 0 to 36"),
            ("board = \"3x3\"\n[suite]\npositions = 9", "suite.least_undrawn = 28 is out of range; expected 0 to 23"),
            ("seed = \"x\"", "run.toml: invalid type: string \"x\", expected a whole number, at least 0 in `seed`"),
            ("[learn]\npasses = 300", "expected a whole number from 0 to 255 in `learn.passes`"),
            ("board = \"5x5\"\nseed = ", "run.toml:2:8: "),
            ("learn = 3", "expected a table in `learn`"),
            ("[selfplay]\nroot_undrawn = 0\n[learn]\nedge_loss = 2", "learn.edge_loss = 2 learns from rows that"),
        ] {
            let error = parse(text, &[]).unwrap_err();
            assert!(error.contains(part), "{text:?}: {error}");
        }
        assert!(parse("", &["seed"]).unwrap_err().contains("key=value"));
        assert!(parse("", &["seed=18446744073709551615"]).unwrap_err().contains("at most 9223372036854775807"));
        assert!(parse("", &["finish.simulations=1000000000000"]).unwrap_err().contains("expected 0 to 1000000"));
    }

    /// Whoever resumes a run may have a program without a GPU; only what is to be used needs one.
    #[test]
    fn the_config_of_a_run_is_read_whatever_it_learnt_on() {
        let text = Config { learn: LearnConfig { device: Processor::Gpu, ..Default::default() }, ..Default::default() };
        let text = text.to_toml();
        assert_eq!(Config::resolve(&text, "run.toml", &[]).unwrap().learn.device, Processor::Gpu);
        assert_eq!(parse(&text, &[]).is_ok(), cfg!(feature = "wgpu"));
    }
}
