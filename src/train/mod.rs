//! x
mod model;
mod optimizer;
pub use model::{Model, initial_tensors};
pub use optimizer::{Optimizer, OptimizerError};
