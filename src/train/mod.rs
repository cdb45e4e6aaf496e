//! Training: config, burn model, self-play, replay, learner, checkpoints and logs.
//!
//! [`Training`] is a run in its folder. It reports to an [`Observer`] and prints nothing. burn is
//! used in this module alone.

mod batch;
mod bytes;
mod canaries;
mod checkpoint;
mod config;
mod convolution;
mod costs;
mod environment;
mod exact;
mod exchange;
pub(crate) mod files;
mod game;
mod growth;
mod isa_setting;
mod labelled;
mod learner;
mod logs;
mod loss;
mod measure;
mod metrics;
mod mixture;
mod model;
mod muon;
mod observer;
mod optimizer;
mod orders;
mod part;
mod parts_file;
mod pooling;
mod processor;
mod record;
mod replay;
mod run;
mod sample;
mod schedule;
mod scoring;
mod service;
mod session;
mod shard;
mod solved_suite;
mod suite_score;
#[cfg(feature = "tensorboard")]
mod tensorboard;
#[cfg(not(feature = "tensorboard"))]
#[path = "tensorboard/absent.rs"]
mod tensorboard;
mod timed;

pub use canaries::with_canaries;
pub(crate) use checkpoint::newest_generation;
pub use checkpoint::{CheckpointError, load_weights};
pub(crate) use config::changeable_keys;
pub use config::{
    Config, ConfigError, FinishConfig, Key, LabelledConfig, LearnConfig, NetworkConfig, OldName, Phase, Resume,
    SelfPlayConfig, SuiteConfig,
};
pub use costs::Costs;
pub use environment::Environment;
pub use exchange::Exchange;
#[cfg(feature = "nats")]
pub(crate) use exchange::{Origin, Receipt, Standing};
#[cfg(feature = "nats")]
pub(crate) use game::Player;
pub use growth::grow;
pub use isa_setting::{IsaSetting, UnknownSetting};
pub use measure::{
    BenchPart, LeafCost, LearnerLimit, Measurement, Measurer, NetworkRate, Rate, SelfPlayRate, TrainingRate,
};
pub use mixture::{Mixture, MixtureError};
pub use model::initial_weights;
pub use observer::{Event, Observer, Task};
pub use optimizer::{OptimizerError, Rule};
#[cfg(feature = "nats")]
pub(crate) use orders::MAX_ORDERS;
pub use orders::{Orders, OrdersError, SealedOrders};
pub use part::{Part, Played};
#[cfg(feature = "nats")]
pub(crate) use parts_file::SavedItem;
pub use processor::{Processor, ProcessorError};
pub use record::{GenerationRates, Record};
pub(crate) use run::lock;
#[cfg(feature = "nats")]
pub(crate) use run::workers::workers_of;
pub use run::{RunError, Training, Verification, Verifier, WarmStart, go_back};
pub use sample::Sample;
pub use schedule::Course;
#[cfg(feature = "nats")]
pub(crate) use session::Session;
pub use shard::{Shard, ShardError};
pub use solved_suite::{RunSuiteError, RunSuites, default_suite, run_suites};
pub use suite_score::SuiteScore;

use model::{Convolutions, Model};
use optimizer::Optimizer;

// Public for the experiments alone.
#[cfg(not(feature = "internals"))]
use convolution::Precision;
#[cfg(feature = "internals")]
pub use convolution::{Precision, convolve};
#[cfg(feature = "internals")]
pub use measure::Recorder;
