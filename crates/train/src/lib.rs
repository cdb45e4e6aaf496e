//! The self-play trainer of `doublecross`, which reads from top to bottom as its loop runs:
//!
//! ```text
//! Config                  a run's config (crate doublecross-run)
//!   | at(generation)
//!   v                     crate doublecross-selfplay, which knows no burn:
//! Orders                  all that the games of a generation follow from: keys, weights, seed
//!   | Session::new        the network laid out; SealedOrders are the bytes for other machines
//!   v
//! Exchange                hands items out to players: threads here, workers elsewhere
//!   | ItemPlayer::play    a game, or a position that the solver labels
//!   v
//! PlayedItem              its samples and their cost, from the player to the shard
//!   | Exchange::collect
//!   v
//! Shard                   the samples of a generation, on disk before they are learned from
//!   | Window::push
//!   v
//! Window                  the newest shards, from which batches are drawn
//!   |                     this crate:
//!   | Learner::learn      batches, model, losses and optimizers in burn, convolutions of our own (kernels)
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

mod kernels;
mod learn;
mod run;
mod tune;

pub use kernels::convolution::Precision;
pub use learn::canaries::with_canaries;
pub use learn::device::{ProcessorError, gpu_kinds, gpu_name};
pub use learn::forward::BurnForward;
pub use learn::growth::grow;
pub use learn::learner::{Learner, Steps};
pub use learn::master::OptimizerError;
pub use learn::metrics::StepMetrics;
pub use run::context::RunContext;
pub use run::held_out::HeldOut;
pub use run::{DifferingItem, RunError, Training, Verification, Verifier, WarmStart, go_back, lock};
pub use tune::{Changes, Comparison, Trial, TrialScore, TuneError, TuneSettings, Tuning, Variant};
