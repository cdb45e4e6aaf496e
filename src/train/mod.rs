//! Training: config, burn model, self-play, replay, learner, checkpoints and logs. burn is known here alone.

mod batch;
mod canaries;
mod checkpoint;
mod config;
mod convolution;
pub(crate) mod files;
mod keys;
mod learner;
mod leaves;
mod logs;
mod loss;
mod measure;
mod model;
mod optimizer;
mod processor;
mod progress;
mod replay;
mod row;
mod run;
mod schedule;
mod selfplay;
mod service;
mod shard;

pub use canaries::with_canaries;
pub use checkpoint::{Checkpoint, CheckpointError, State, load_weights};
pub use config::{Config, ConfigError, FinishConfig, LearnConfig, NetworkConfig, SelfPlayConfig};
pub use leaves::{LeafCost, Recorder};
pub use logs::Record;
pub use measure::{LearningRate, Measurement, Measurer, NetworkRate, SelfPlayRate};
pub use model::{Convolutions, Logits, Model, initial_weights};
pub use optimizer::{Optimizer, OptimizerError};
pub use processor::{Processor, ProcessorError};
pub use progress::Progress;
pub use row::Row;
pub use run::{RunError, Training};
pub use shard::{Shard, ShardError};
