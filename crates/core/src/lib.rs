//! The bot core of `doublecross`: everything that a Dots and Boxes bot needs to play.
//!
//! See [`Position`] to play, [`Solver`] to solve, [`search::Player`] to search. The crate depends on
//! the standard library alone, and uses no files, threads, clocks or environment variables, so that
//! it builds for WebAssembly and fits into one file.
//!
//! | module | contents |
//! |---|---|
//! | [`float`] | `exp` and `ln` with the same bits on every machine |
//! | [`mix`] | hashes and checksums |
//! | [`shell`] | words of a command line, for messages |
//! | [`board`] | boards, edges, states, positions, symmetries and text forms |
//! | [`solver`] | exact play: bounds, closed forms of endgames, alpha-beta and its table |
//! | [`net`] | input planes, weights files and inference on the CPU |
//! | [`search`] | tree search with PUCT for play and Gumbel noise for self-play |
//! | [`bots`] | bots that follow a rule of thumb, and bots that search |
//! | [`protocol`] | observations and actions of arenas as JSON |
//! | [`analysis`] | the analysis of positions for people |
//! | [`submission`] | the bot that is submitted to an arena |
//! | [`query`] | answers to a web page's questions about positions |
//! | [`sources`] | the sources of this crate |
//! | [`abi`] | the functions of the WebAssembly module |
//!
//! Each may use those above it.

#![deny(clippy::print_stderr, clippy::print_stdout)]

pub mod abi;
pub mod analysis;
pub mod board;
pub mod bots;
pub mod float;
pub mod mix;
pub mod net;
pub mod protocol;
pub mod query;
pub mod search;
pub mod shell;
pub mod solver;
pub mod sources;
pub mod submission;

pub use board::{Board, Edge, Edges, Position, State};
pub use solver::{Bounds, Solution, Solver};
