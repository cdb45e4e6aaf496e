//! The processor that burn computes on.

#[cfg(feature = "trainer")]
use burn::tensor::Device;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The processor that a config names for learning or for self-play's evaluations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Processor {
    /// burn's `flex` for learning, the engine of [`crate::net`] for evaluations.
    #[default]
    Cpu,
    /// burn's `wgpu`, on the adapter that it prefers; needs the cargo feature `wgpu`.
    Gpu,
}

/// An error of a GPU that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProcessorError {
    /// The program was built without support for GPUs.
    #[error("this program was built without a GPU; build it with --features wgpu, or say \"cpu\"")]
    NotBuilt,
    /// The machine has no GPU that can be used.
    #[error("no GPU can be used here: {0}; say \"cpu\", or install a Vulkan driver")]
    None(String),
    /// The thread that hands positions to the GPU cannot be started.
    #[error("cannot start the thread that evaluates on the GPU: {0}")]
    Thread(String),
}

/// Returns burn's device for a processor.
#[cfg(feature = "trainer")]
pub(super) fn device(processor: Processor) -> Result<Device, ProcessorError> {
    match processor {
        Processor::Cpu => Ok(Device::flex()),
        Processor::Gpu => gpu(),
    }
}

#[cfg(all(feature = "trainer", not(feature = "wgpu")))]
fn gpu() -> Result<Device, ProcessorError> {
    Err(ProcessorError::NotBuilt)
}

/// Returns the GPU. burn accepts the options of an adapter once, so the first result is kept.
#[cfg(feature = "wgpu")]
fn gpu() -> Result<Device, ProcessorError> {
    static GPU: std::sync::OnceLock<Result<Device, ProcessorError>> = std::sync::OnceLock::new();
    let acquire = || Device::wgpu_options().init().map_err(|error| ProcessorError::None(error.to_string()));
    GPU.get_or_init(acquire).clone()
}
