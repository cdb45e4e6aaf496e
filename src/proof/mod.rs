//! Proofs that outlast the process that found them: logs of lemmas, and checks of logs.
//!
//! A solve of hours writes its [`Lemma`](crate::solver::Lemma)s to a [`ProofLog`], reads them again
//! when it is started anew, and takes over those of other machines. A [`Checker`] derives the value
//! of a position from a log without the solver that wrote it.
//!
//! [`ProofLog`] is the type to start with. The module uses [`board`](crate::board),
//! [`solver`](crate::solver) and files. The format is described in docs/formats.md.

mod agenda;
mod check;
mod claim;
mod lemma_line;
mod lemma_set;
mod log;
mod log_file;
mod plain;
mod string_list;

pub use agenda::{Question, Survey};
pub use check::{Checker, Derivation, Verdict};
pub use claim::Claim;
pub use lemma_line::{LineError, format_lemma, parse_lemma};
pub use lemma_set::{Contradiction, LemmaSet, Origin};
pub use log::{Appended, LogError, ProofLog, board_of};
pub use plain::PlainSolver;

#[cfg(test)]
mod tests;
