//! The self-play trainer of `doublecross`, which reads from top to bottom as its loop runs:
//!
//! ```text
//! Config                  a run's config (crate doublecross-run)
//!   | at(generation)
//!   v
//! selfplay::Orders        all that the games of a generation follow from: keys, weights, seed
//!   | Session::new        the network laid out; SealedOrders are the bytes for other machines
//!   v
//! selfplay::Exchange      hands items out to players: threads here, workers elsewhere
//!   | ItemPlayer::play    a game, or a position that the solver labels
//!   v
//! data::PlayedItem        its samples and their cost, from the player to the shard
//!   | Exchange::collect
//!   v
//! data::Shard             the samples of a generation, on disk before they are learned from
//!   | Window::push
//!   v
//! data::Window            the newest shards, from which batches are drawn
//!   | Learner::learn      model, losses and optimizers in burn, convolutions of our own (kernels)
//!   v
//! learn::Learner          weights and their EMA, which play the next generation
//!   | Checkpoint::write   (crate doublecross-run), once the suite has scored it; then the logs
//!   v
//! the next generation     run::Training::run calls all of it (run/generation.rs)
//! ```
//!
//! [`Training`] is the type to start with: a run in its folder. [`Tuning`] trains variants of a config
//! and compares them. Both report to an [`Observer`](doublecross_run::Observer) and print nothing. No
//! other crate knows burn.

#![deny(clippy::print_stderr, clippy::print_stdout)]

mod data;
mod kernels;
mod learn;
mod run;
mod selfplay;
mod tune;

pub use data::costs::Costs;
pub use data::part::Part;
pub use data::played_item::{Origin, PlayedItem};
pub use data::sample::Sample;
pub use data::shard::{Shard, ShardError};
pub use data::window::Window;
pub use kernels::convolution::{Precision, convolve};
pub use learn::canaries::with_canaries;
pub use learn::device::ProcessorError;
pub use learn::forward::BurnForward;
pub use learn::growth::grow;
pub use learn::learner::{Learner, Steps};
pub use learn::metrics::StepMetrics;
pub use learn::model::initial_weights;
pub use learn::optimizer::OptimizerError;
pub use run::context::RunContext;
pub use run::{DifferingItem, RunError, Training, Verification, Verifier, WarmStart, go_back, lock};
pub use selfplay::exchange::{Collected, Exchange, GenerationProgress, Receipt, play_all};
pub use selfplay::item_player::ItemPlayer;
pub use selfplay::orders::{MAX_ORDERS, Orders, OrdersError, SealedOrders};
pub use selfplay::session::Session;
pub use tune::{Changes, Comparison, Trial, TuneError, TuneSettings, Tuning, Variant};
