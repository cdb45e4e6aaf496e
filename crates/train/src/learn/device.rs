//! The device that burn computes on.

use burn::tensor::Device;
use doublecross_run::Processor;
use thiserror::Error;

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
pub(crate) fn device(processor: Processor) -> Result<Device, ProcessorError> {
    match processor {
        Processor::Cpu => Ok(Device::flex()),
        Processor::Gpu => gpu(),
    }
}

/// Returns the GPU. burn accepts the options of an adapter once, so the first result is kept.
#[cfg(feature = "wgpu")]
fn gpu() -> Result<Device, ProcessorError> {
    static GPU: std::sync::OnceLock<Result<Device, ProcessorError>> = std::sync::OnceLock::new();
    let acquire = || Device::wgpu_options().init().map_err(|error| ProcessorError::None(error.to_string()));
    GPU.get_or_init(acquire).clone()
}

#[cfg(not(feature = "wgpu"))]
fn gpu() -> Result<Device, ProcessorError> {
    Err(ProcessorError::NotBuilt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_a_gpu_says_so() {
        assert!(device(Processor::Cpu).is_ok());
        let gpu = device(Processor::Gpu).map(drop);
        assert_eq!(gpu == Err(ProcessorError::NotBuilt), !cfg!(feature = "wgpu"));
    }
}
