//! The surroundings of training.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::run::held_out::HeldOut;
use doublecross_core::net::Isa;
use doublecross_proof::Books;
use doublecross_run::observer::Observer;

/// The surroundings that training works in, beside its config.
#[derive(Clone)]
pub struct RunContext {
    /// The instruction set that was asked for beside the config.
    pub isa: Option<Isa>,
    /// The books of proved positions that games may begin with.
    pub books: Books,
    /// The receiver of reports.
    pub observer: Arc<dyn Observer>,
    /// Set from outside to end a run soon. A generation that was being learned from is learned from
    /// again when the run is resumed.
    pub stop: Arc<AtomicBool>,
    /// Positions that nothing is learned from, beside those of the run's own suite.
    pub held_out: Arc<HeldOut>,
}

impl RunContext {
    /// Returns surroundings with these books and this receiver, which hold nothing out.
    pub fn new(isa: Option<Isa>, books: Books, observer: Arc<dyn Observer>) -> RunContext {
        RunContext { isa, books, observer, stop: Arc::default(), held_out: Arc::default() }
    }
}
