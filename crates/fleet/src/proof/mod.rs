//! A proof on many machines: questions go to workers, lemmas come back and are shared as they grow.
//!
//! The coordinator holds the log. It splits the question that is open into as many as there are
//! workers ([`Question::survey`](doublecross_proof::Question::survey)) and offers them on the stream of
//! parcels. A worker gives a whole machine to one question, with a table of its own, and hands in
//! its lemmas while it works. All lemmas are written once and read by every worker, so that nothing
//! dear is proved twice.
//!
//! Lemmas are checked like games: the coordinator proves some of each worker's again. One that is
//! false bans its worker, and the log goes back to where it was before that worker's first
//! lemma, since others may have relied on it. The proof ends with what follows from the log and the
//! claims that nobody proved again: it is no proof until these are solved, as `prove check` does.

mod audit;
mod coordinator;
mod messages;
mod prover;

pub use coordinator::{ProofCoordinator, ProofEvent, ProofResult, ProofSettings};
pub use prover::{ProverSettings, prove_for};

pub(crate) use messages::is_proof;
