//! Evaluation: networks and their searches scored on suites, files of positions with exact answers.
//!
//! [`Suite::read`] reads a suite, and [`evaluate_suite`] scores a network on it, on
//! rayon's threads.

mod bands;
mod draw;
mod solved;
// The type to start with stands in the file of its name.
#[allow(clippy::module_inception)]
mod suite;

pub use bands::{Band, Interval, PositionScore, bands, evaluate_suite, score_positions, suite_budget};
pub use draw::{DrawnPosition, PositionKind, SuiteBand, SuiteSettings, draw_suite};
pub use solved::{SolvedSuite, SolvedSuiteSettings};
pub use suite::{Suite, SuiteError, SuitePosition};
