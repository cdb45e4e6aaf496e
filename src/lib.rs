//! Self-play trainer, exact solver and arena bot for Dots and Boxes.
//!
//! The layers, each of which may use those above it in this list and none below:
//!
//! | module | what lives there |
//! |---|---|
//! | [`mix`] | mixing of words |
//! | [`board`] | geometry, edges, positions, symmetries, text forms |
//! | [`solver`] | exact play: chains, loops, loony endgames, alpha-beta |
//! | [`net`] | input planes, weights file, the CPU inference engine |
//! | [`search`] | tree search over capture-free positions: PUCT for play, Gumbel for self-play |
//! | [`simple`] | bots that follow a rule of thumb |
//! | [`analysis`] | what a position looks like to solver and search together |
//! | [`protocol`] | observation and action JSON |
//! | [`export`] | bots that leave the building |
//! | [`random`] | streams of random numbers, one for each purpose, and edges drawn by them |
//! | [`pretrained`] | the networks that come with the program |
//! | `stderr` | words for whoever watches |
//! | [`arena`] | referee, bots, match results |
//! | [`parallel`] | solvers on several threads: limits, stops, a snapshot to resume from |
//! | [`eval`] | position suites against exact values, intervals |
//! | [`train`] | run config, burn model, self-play, replay, learner, checkpoints |
//! | [`page`] | the browser's page and its server |
//! | [`cli`] | one file per command |
//!
//! The first nine are the bot core: they build without default features, depend on nothing but the standard library,
//! and know nothing of files, threads, clocks or burn.

#![warn(missing_docs)]
// They end the program where nobody reads: `stderr::print_line` and `cli::print` do not.
#![deny(clippy::print_stderr, clippy::print_stdout)]

pub mod analysis;
pub mod board;
pub mod bots;
pub mod export;
pub mod mix;
pub mod net;
pub mod protocol;
pub mod search;
pub mod solver;

#[cfg(feature = "trainer")]
pub mod arena;
#[cfg(feature = "trainer")]
pub mod cli;
#[cfg(feature = "trainer")]
pub mod eval;
#[cfg(feature = "trainer")]
pub mod page;
#[cfg(feature = "trainer")]
pub mod parallel;
#[cfg(feature = "trainer")]
pub mod pretrained;
#[cfg(feature = "trainer")]
pub mod random;
#[cfg(feature = "trainer")]
pub mod statistics;
#[cfg(feature = "trainer")]
mod stderr;
#[cfg(feature = "trainer")]
pub mod train;
