//! Evaluation: checkpoints against exact values.

mod bands;
mod suite;

pub use bands::{Band, Interval, evaluate_suite};
pub use suite::{Suite, SuiteError, SuitePosition};
