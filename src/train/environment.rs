//! The surroundings of training.

use std::sync::Arc;

use super::observer::Observer;
use crate::net::Isa;

/// The surroundings that training works in, beside its config.
#[derive(Clone)]
pub struct Environment {
    /// The instruction set that networks run on.
    pub isa: Isa,
    /// The receiver of reports.
    pub observer: Arc<dyn Observer>,
}
