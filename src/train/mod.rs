//! Training: config, burn model, self-play, replay, learner, checkpoints and logs.
//!
//! [`Training`] is a run in its folder. It reports to an [`Observer`] and prints nothing. burn is
//! used in this module alone. Without the feature `trainer` there are configs, the weights of checkpoints
//! and suites of runs, and nothing that trains.

// The rest of these is training's.
#![cfg_attr(not(feature = "trainer"), allow(dead_code))]

#[cfg(feature = "trainer")]
mod batch;
#[cfg(feature = "trainer")]
mod bytes;
#[cfg(feature = "trainer")]
mod canaries;
mod checkpoint;
mod config;
#[cfg(feature = "trainer")]
mod convolution;
#[cfg(feature = "trainer")]
mod costs;
#[cfg(feature = "trainer")]
mod environment;
#[cfg(feature = "trainer")]
mod exact;
#[cfg(feature = "trainer")]
mod exchange;
pub(crate) mod files;
#[cfg(feature = "trainer")]
mod game;
#[cfg(feature = "trainer")]
mod growth;
mod isa_setting;
#[cfg(feature = "trainer")]
mod labelled;
#[cfg(feature = "trainer")]
mod learner;
#[cfg(feature = "trainer")]
mod logs;
#[cfg(feature = "trainer")]
mod loss;
#[cfg(feature = "trainer")]
mod measure;
#[cfg(feature = "trainer")]
mod metrics;
mod mixture;
#[cfg(feature = "trainer")]
mod model;
#[cfg(feature = "trainer")]
mod muon;
mod observer;
#[cfg(feature = "trainer")]
mod optimizer;
#[cfg(feature = "trainer")]
mod orders;
#[cfg(feature = "trainer")]
mod part;
#[cfg(feature = "trainer")]
mod parts_file;
#[cfg(feature = "trainer")]
mod pooling;
mod processor;
mod record;
#[cfg(feature = "trainer")]
mod replay;
mod rule;
#[cfg(feature = "trainer")]
mod run;
#[cfg(feature = "trainer")]
mod sample;
mod schedule;
#[cfg(feature = "trainer")]
mod scoring;
#[cfg(feature = "trainer")]
mod service;
#[cfg(feature = "trainer")]
mod session;
#[cfg(feature = "trainer")]
mod shard;
mod solved_suite;
mod suite_score;
#[cfg(feature = "tensorboard")]
mod tensorboard;
#[cfg(all(feature = "trainer", not(feature = "tensorboard")))]
#[path = "tensorboard/absent.rs"]
mod tensorboard;
#[cfg(feature = "trainer")]
mod timed;

#[cfg(feature = "trainer")]
pub use canaries::with_canaries;
#[cfg(feature = "trainer")]
pub(crate) use checkpoint::newest_generation;
pub use checkpoint::{CheckpointError, load_weights};
#[cfg(feature = "trainer")]
pub(crate) use config::changeable_keys;
pub use config::{
    Config, ConfigError, FinishConfig, Key, LabelledConfig, LearnConfig, NetworkConfig, OldName, Phase, Resume,
    SelfPlayConfig, SuiteConfig, preset, preset_names,
};
#[cfg(feature = "trainer")]
pub use costs::Costs;
#[cfg(feature = "trainer")]
pub use environment::Environment;
#[cfg(feature = "trainer")]
pub use exchange::Exchange;
#[cfg(feature = "nats")]
pub(crate) use exchange::{Origin, Receipt, Standing};
#[cfg(feature = "nats")]
pub(crate) use game::Player;
#[cfg(feature = "trainer")]
pub use growth::grow;
pub use isa_setting::{IsaSetting, UnknownSetting};
#[cfg(feature = "trainer")]
pub use measure::{
    BenchPart, LeafCost, LearnerLimit, Measurement, Measurer, NetworkRate, Rate, SelfPlayRate, TrainingRate,
};
pub use mixture::{Mixture, MixtureError};
#[cfg(feature = "trainer")]
pub use model::initial_weights;
pub use observer::{Event, Observer, Task};
#[cfg(feature = "trainer")]
pub use optimizer::OptimizerError;
#[cfg(feature = "nats")]
pub(crate) use orders::MAX_ORDERS;
#[cfg(feature = "trainer")]
pub use orders::{Orders, OrdersError, SealedOrders};
#[cfg(feature = "trainer")]
pub use part::{Part, Played};
#[cfg(feature = "nats")]
pub(crate) use parts_file::SavedItem;
pub use processor::{Processor, ProcessorError};
pub use record::{GenerationRates, Record};
pub use rule::Rule;
#[cfg(feature = "trainer")]
pub(crate) use run::lock;
#[cfg(feature = "nats")]
pub(crate) use run::workers::workers_of;
#[cfg(feature = "trainer")]
pub use run::{DifferingItem, RunError, Training, Verification, Verifier, WarmStart, go_back};
#[cfg(feature = "trainer")]
pub use sample::Sample;
pub use schedule::Course;
#[cfg(feature = "nats")]
pub(crate) use session::Session;
#[cfg(feature = "trainer")]
pub use shard::{Shard, ShardError};
pub use solved_suite::{RunSuiteError, RunSuites, default_suite, run_suites};
pub use suite_score::SuiteScore;

#[cfg(feature = "trainer")]
use model::{Convolutions, Model};
#[cfg(feature = "trainer")]
use optimizer::Optimizer;

// Public for the experiments alone.
#[cfg(all(feature = "trainer", not(feature = "internals")))]
use convolution::Precision;
#[cfg(all(feature = "trainer", feature = "internals"))]
pub use convolution::{Precision, convolve};
#[cfg(feature = "internals")]
#[cfg(feature = "trainer")]
pub use measure::Recorder;
