//! Exact solver, tree search and self-play trainer for Dots and Boxes.
//!
//! The crate is the library behind the program `doublecross`. It solves positions exactly where
//! they are near enough to the end of the game, chooses moves by a tree search with a neural
//! network elsewhere, trains such networks by self-play, and plays matches between bots.
//!
//! See [`board::Position`] to play, [`solver::Solver`] to solve, [`search::Player`] to search,
//! [`train::Training`] to train. The terms of the game are explained in docs/glossary.md, and its
//! theory in docs/strategy.md.
//!
//! # Example
//!
//! ```
//! use doublecross::{Position, Solver};
//!
//! let mut position: Position = "2x3 H0,0 V1,2 H2,1 V0,3".parse()?;
//! let mut solver = Solver::new(position.board(), 1 << 16);
//! let solution = solver.solve(position.state(), 1_000_000);
//! // With best play, the player to move gets two boxes fewer than the opponent from here on.
//! assert_eq!(solution.margin(), Some(-2));
//! let edge = solution.best.lowest().expect("the game should not be over");
//! position.play(edge)?;
//! println!("{}\n{position}", position.board().edge_name(edge));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Programs to start from
//!
//! They stand in `examples/`, and `cargo run --release --example NAME` runs them. `solve` solves a position:
//!
#![doc = "```"]
#![doc = include_str!("../examples/solve.rs")]
#![doc = "```"]
//!
//! `own_evaluator` searches with an evaluator of its own:
//!
#![doc = "```"]
#![doc = include_str!("../examples/own_evaluator.rs")]
#![doc = "```"]
//!
//! `play` has a pretrained network play the solver:
//!
#![cfg_attr(feature = "program", doc = "```")]
#![cfg_attr(not(feature = "program"), doc = "```ignore")]
#![doc = include_str!("../examples/play.rs")]
#![doc = "```"]
//!
//! # Layers
//!
//! | module | contents |
//! |---|---|
//! | [`float`] | `exp` and `ln` with the same bits on every machine |
//! | [`board`] | boards, edges, states, positions, symmetries and text forms |
//! | [`solver`] | exact play: bounds, closed forms of endgames, alpha-beta and its table |
//! | [`parallel`] | solving on several threads, with limits |
//! | [`proof`] | logs of what took long to prove, and their check |
//! | [`net`] | input planes, weights files and inference on the CPU |
//! | [`search`] | tree search with PUCT for play and Gumbel noise for self-play |
//! | [`bots`] | bots that follow a rule of thumb, and bots that search |
//! | [`protocol`] | observations and actions of arenas as JSON |
//! | [`analysis`] | the analysis of positions for people |
//! | [`export`] | submissions for arenas and pages |
//! | [`statistics`] | Wilson intervals, Elo differences and ratings |
//! | [`arena`] | referee, bots, matches and logs |
//! | [`eval`] | suites of positions with exact answers |
//! | [`puzzles`] | positions for people in which one move wins |
//! | [`train`] | training: configs, model, self-play, learner and checkpoints |
//! | [`tune`] | variants of a config, trained for equal time and compared |
//! | [`fleet`] | the server of runs on many machines: keys, permissions and the connection |
//! | [`page`] | the browser's page and its server |
//! | [`cli`] | the command line, one file for each command |
//!
//! Each may use those above it. Beside them are [`random`], the streams of random numbers,
//! [`pretrained`], the networks that are built into the program, and [`book`], the proved positions
//! that are.
//!
//! The layers from `float` to `export`, without `parallel`, are the bot core: they build without
//! default features, depend on the standard library alone, and use no threads, clocks or
//! environment variables.

// Lints for all targets stand in Cargo.toml. These macros panic if the output is closed; the modules
// `stderr` and `cli` write without a panic.
#![deny(clippy::print_stderr, clippy::print_stdout)]

pub mod analysis;
pub mod board;
pub mod bots;
pub mod export;
pub mod float;
pub(crate) mod mix;
pub mod net;
pub mod protocol;
pub mod search;
pub mod solver;

#[cfg(feature = "program")]
pub mod arena;
#[cfg(feature = "program")]
pub mod book;
#[cfg(feature = "program")]
pub mod cli;
#[cfg(feature = "program")]
pub mod eval;
#[cfg(feature = "nats")]
pub mod fleet;
#[cfg(feature = "program")]
mod output_folder;
#[cfg(feature = "program")]
pub mod page;
#[cfg(feature = "program")]
pub mod parallel;
#[cfg(feature = "program")]
pub mod pretrained;
#[cfg(feature = "program")]
pub mod proof;
#[cfg(feature = "program")]
pub mod puzzles;
#[cfg(feature = "program")]
pub mod random;
#[cfg(feature = "program")]
pub mod statistics;
#[cfg(feature = "program")]
mod stderr;
#[cfg(feature = "program")]
pub mod train;
#[cfg(feature = "trainer")]
pub mod tune;

pub use board::{Board, Edge, Edges, Position, State};
pub use solver::{Bounds, Solution, Solver};
