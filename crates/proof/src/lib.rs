//! Proofs that outlast the process that found them: logs of lemmas, and checks of logs.
//!
//! A solve of hours writes its [`Lemma`](doublecross_core::solver::Lemma)s to a [`ProofLog`], reads them again
//! when it is started anew, and takes over those of other machines. A [`Checker`] derives the value
//! of a position from a log without the solver that wrote it, down to claims that it assumes, and a
//! [`Sample`] says how far those were solved.
//!
//! [`ProofLog`] is the type to start with, and [`parallel`] solves on several threads. The format of
//! logs is described in docs/formats.md. Nothing here knows networks or games, or prints.

#![deny(clippy::print_stderr, clippy::print_stdout)]

mod agenda;
mod assumption;
mod books;
mod check;
mod claim;
mod damaged_lines;
mod lemma_line;
mod lemma_set;
mod log;
mod log_file;
pub mod parallel;
mod plain;
mod sample;
mod string_list;

pub use agenda::{Question, Survey};
pub use assumption::Assumption;
pub use books::{Books, parse_lemmas};
pub use check::{Checker, Derivation, Verdict};
pub use claim::Claim;
pub use damaged_lines::DamagedLines;
pub use lemma_line::{LineError, format_lemma, parse_lemma};
pub use lemma_set::{Contradiction, LemmaSet, Origin};
pub use log::{Appended, LogError, ProofLog, board_of};
pub use plain::PlainSolver;
pub use sample::{Outcome, Sample, draw};

#[cfg(test)]
mod forgery_tests;
#[cfg(test)]
mod tests;
