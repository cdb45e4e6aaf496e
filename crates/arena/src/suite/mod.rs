//! Evaluation: networks and their searches scored on suites, files of positions with exact answers.
//!
//! [`Suite::read`] reads a suite, and [`evaluate_suite`] scores a network on it. This module may
//! use everything above `eval` in the list of layers in [the crate's documentation](crate). It
//! scores positions on rayon's threads, and prints nothing.

mod bands;
mod draw;
mod solved;
mod suite;

pub use bands::{Band, Interval, evaluate_suite, suite_budget};
pub use draw::{DrawnPosition, PositionKind, SuiteBand, SuiteSettings, draw_suite};
pub use solved::{SolvedSuite, SolvedSuiteSettings};
pub use suite::{Suite, SuiteError, SuitePosition};
