//! A training run as it lies in its folder: config, checkpoints and records, and the reports of
//! whoever works on it. Everything about a run that does not train.
//!
//! [`Config`] is the type to start with. Nothing here knows burn, plays games, or prints.

#![deny(clippy::print_stderr, clippy::print_stdout)]

pub mod checkpoint;
pub mod config;
mod finish;
mod initial_weights;
pub mod layout;
pub mod observer;
mod processor_time;
mod record;
mod run_suites;
mod suite_score;
pub mod workers;

pub use checkpoint::{CheckpointError, load_weights};
pub use config::{
    Config, ConfigError, FinishConfig, GenerationConfig, IsaSetting, Key, LabeledConfig, LearnConfig, Mixture,
    NetworkConfig, OptimizerKind, Phase, Processor, ResourcesConfig, Resume, SelfPlayConfig, SuiteConfig,
};
pub use finish::FinishMatch;
pub use initial_weights::{initial_edge_head, initial_weights};
pub use observer::{Event, Observer, Task};
pub use processor_time::{Elapsed, Stopwatch, processor_time};
pub use record::{GenerationRates, Record};
pub use run_suites::{RunSuiteError, RunSuites, run_suites};
pub use suite_score::SuiteScore;
