//! Training: config, burn model, self-play, replay, learner, checkpoints and logs. burn is known here alone.

mod batch;
mod canaries;
mod checkpoint;
mod config;
mod convolution;
mod costs;
mod exact;
pub(crate) mod files;
mod game;
mod growth;
mod labelled;
mod learner;
mod leaves;
mod logs;
mod loss;
mod measure;
mod model;
mod muon;
mod optimizer;
mod processor;
mod progress;
mod replay;
mod run;
mod sample;
mod schedule;
mod scoring;
mod selfplay;
mod service;
mod shard;

pub use canaries::with_canaries;
pub use checkpoint::{CheckpointError, load_weights};
pub(crate) use config::changeable_keys;
pub use config::{
    Config, ConfigError, FinishConfig, Key, LabelledConfig, LearnConfig, NetworkConfig, OldName, Resume,
    SelfPlayConfig, SuiteConfig,
};
pub use growth::grow;
pub use leaves::LeafCost;
pub use logs::Record;
pub use measure::{LearningRate, Measurement, Measurer, NetworkRate, Part, Rate, SelfPlayRate};
pub use model::initial_weights;
pub use optimizer::{OptimizerError, Rule};
pub use processor::{Processor, ProcessorError};
pub use progress::Progress;
pub use run::{RunError, Training, WarmStart};
pub use sample::Sample;
pub use scoring::SuiteScore;
pub use shard::{Shard, ShardError};

use model::{Convolutions, Model};
use optimizer::Optimizer;

// Public for the experiments alone.
#[cfg(not(feature = "internals"))]
use convolution::Precision;
#[cfg(feature = "internals")]
pub use convolution::{Precision, convolve};
#[cfg(feature = "internals")]
pub use leaves::Recorder;
