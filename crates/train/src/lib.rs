//! The self-play trainer of `doublecross`.
//!
//! [`Training`] is a run in its folder. It reports to an
//! [`Observer`](doublecross_run::Observer) and prints nothing. burn is used in this crate alone.

#![deny(clippy::print_stderr, clippy::print_stdout)]

mod data;
mod kernels;
mod learn;
mod measure;
mod run;
mod selfplay;
mod tune;

pub use data::costs::Costs;
pub use data::part::Part;
pub use data::played_item::{Origin, PlayedItem};
pub use data::sample::Sample;
pub use data::shard::{Shard, ShardError};
pub use kernels::convolution::{Precision, convolve};
pub use learn::canaries::with_canaries;
pub use learn::device::ProcessorError;
pub use learn::growth::grow;
pub use learn::model::initial_weights;
pub use learn::optimizer::OptimizerError;
pub use measure::{
    BenchPart, LeafCost, LearnerLimit, Measurement, Measurer, NetworkRate, Rate, Recorder, SelfPlayRate, TrainingRate,
};
pub use run::context::RunContext;
pub use run::{DifferingItem, RunError, Training, Verification, Verifier, WarmStart, go_back, lock};
pub use selfplay::exchange::{Exchange, GenerationProgress, Receipt};
pub use selfplay::game::ItemPlayer;
pub use selfplay::orders::{MAX_ORDERS, Orders, OrdersError, SealedOrders};
pub use selfplay::session::Session;
pub use tune::{Changes, Comparison, Trial, TuneError, TuneSettings, Tuning, Variant};
