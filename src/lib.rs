//! Exact solver, tree search and self-play trainer for Dots and Boxes.
//!
//! This is the library behind the program `doublecross`, in one name. It solves positions exactly
//! where they are near enough to the end of the game, chooses moves by a tree search with a neural
//! network elsewhere, trains such networks by self-play, and plays matches between bots.
//!
//! See [`Position`] to play, [`Solver`] to solve, [`search::Player`] to search, and `train::Training`,
//! with the default features, to train. The terms of the game are explained in docs/glossary.md, and
//! its theory in docs/strategy.md.
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
#![doc = "```"]
#![doc = include_str!("../examples/play.rs")]
#![doc = "```"]
//!
//! # Crates
//!
//! Each may use those above it; programs that need less depend on one of them.
//!
//! | crate | here | contents |
//! |---|---|---|
//! | `doublecross-core` | the root | rules, solver, inference, search, bots: no dependency, no file, no clock |
//! | `doublecross-files` | | files that are whole or absent, and files that a user named |
//! | `doublecross-proof` | [`proof`] | solving on several threads, logs of proofs and their check |
//! | `doublecross-arena` | [`arena`] | bots by name, matches, suites, puzzles |
//! | `doublecross-run` | [`run`] | a training run's folder: config, checkpoints, records |
//! | `doublecross-selfplay` | `selfplay` | the games that are trained on, without burn |
//! | `doublecross-train` | `train` | training with burn |
//! | `doublecross-fleet` | `fleet` | runs and proofs on many machines |

pub mod built_in;

pub use doublecross_arena as arena;
pub use doublecross_core::*;
#[cfg(feature = "fleet")]
pub use doublecross_fleet as fleet;
pub use doublecross_proof as proof;
pub use doublecross_run as run;
#[cfg(feature = "train")]
pub use {doublecross_selfplay as selfplay, doublecross_train as train};

pub use built_in::built_in;
