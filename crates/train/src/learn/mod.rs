//! Learning: the model in burn, losses, optimizers and the learner.

pub(crate) mod batch;
pub(crate) mod canaries;
pub(crate) mod device;
pub(crate) mod forward;
pub(crate) mod growth;
pub(crate) mod learner;
pub(crate) mod loss;
pub(crate) mod master;
pub(crate) mod metrics;
pub(crate) mod model;
pub(crate) mod read;
