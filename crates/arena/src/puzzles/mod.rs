//! Puzzles for people: positions in which exactly one move wins, each proved by the exact solver.
//!
//! [`make_puzzles`] finds puzzles in games between [levels](doublecross_core::bots::LEVELS), and
//! [`PuzzleChecker`] proves a [`Puzzle`] again. [`to_text`] and [`parse`] are the file's form, which
//! docs/puzzles.md describes.
//!
//! Each file of this module is one step: [`distinct_moves`] says which edges are one move, a prover
//! finds the positions with one winning move, a grader the level that finds the move, and a
//! selection takes an even share of levels, themes and boards.
//!
//! Puzzles are made on rayon's threads.

mod candidate;
mod checker;
mod file;
mod fragment;
mod grader;
mod maker;
mod moves;
mod prover;
mod puzzle;
mod selection;
mod theme;

pub use checker::{PuzzleChecker, WrongPuzzle};
pub use file::{PuzzleFileError, parse, to_text};
pub use fragment::FragmentError;
pub use grader::has_puzzles;
pub use maker::{MadePuzzles, PuzzleSettings, make_puzzles};
pub use moves::distinct_moves;
pub use puzzle::Puzzle;
pub use theme::Theme;

#[cfg(test)]
mod tests;
