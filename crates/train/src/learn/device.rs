//! The device that burn computes on.

use burn::tensor::Device;
use doublecross_run::Processor;
use thiserror::Error;

/// The kinds of GPUs that the program was built for, those that are preferred first.
pub const GPU_KINDS: &[&str] = &[
    #[cfg(feature = "cuda")]
    "cuda",
    #[cfg(feature = "rocm")]
    "rocm",
    #[cfg(feature = "metal")]
    "metal",
    #[cfg(feature = "vulkan")]
    "vulkan",
    #[cfg(feature = "wgpu")]
    "wgpu",
];

/// An error of a GPU that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProcessorError {
    /// The program was built without support for GPUs.
    #[error(
        "this program was built without a GPU; build it with --features cuda, rocm, metal or vulkan, or say \"cpu\""
    )]
    NotBuilt,
    /// The machine has no GPU that can be used.
    #[error("no GPU can be used here ({}): {reason}; say \"cpu\", or install the GPU's driver", GPU_KINDS.join(", "))]
    None {
        /// The reason that the last kind of GPU gives.
        reason: String,
    },
}

/// Returns burn's device for a processor.
pub(crate) fn device(processor: Processor) -> Result<Device, ProcessorError> {
    match processor {
        Processor::Cpu => Ok(Device::flex()),
        Processor::Gpu => gpu(),
    }
}

/// Returns the name of the GPU that a run would learn on.
///
/// # Errors
/// Returns an error if there is none.
#[cfg(feature = "gpu")]
pub fn gpu_name() -> Result<String, ProcessorError> {
    Ok(gpu()?.identity().map_or_else(|| "a GPU without a name".into(), |identity| identity.name))
}

/// Returns the name of the GPU that a run would learn on.
///
/// # Errors
/// Returns an error if there is none.
#[cfg(not(feature = "gpu"))]
pub fn gpu_name() -> Result<String, ProcessorError> {
    Err(ProcessorError::NotBuilt)
}

/// Returns the GPU. burn accepts the options of an adapter once, so the first result is kept.
#[cfg(feature = "gpu")]
fn gpu() -> Result<Device, ProcessorError> {
    static GPU: std::sync::OnceLock<Result<Device, ProcessorError>> = std::sync::OnceLock::new();
    GPU.get_or_init(first_gpu).clone()
}

#[cfg(not(feature = "gpu"))]
fn gpu() -> Result<Device, ProcessorError> {
    Err(ProcessorError::NotBuilt)
}

/// Returns the first GPU of the kinds that the program was built for.
#[cfg(feature = "gpu")]
fn first_gpu() -> Result<Device, ProcessorError> {
    #[cfg(any(feature = "cuda", feature = "rocm"))]
    {
        use burn::tensor::DeviceType;
        let kinds = [
            #[cfg(feature = "cuda")]
            DeviceType::Cuda,
            #[cfg(feature = "rocm")]
            DeviceType::Rocm,
        ];
        let found = kinds.into_iter().find_map(|kind| Device::enumerate(kind).into_vec().into_iter().next());
        if let Some(device) = found {
            return Ok(device);
        }
    }
    #[cfg(feature = "wgpu")]
    let last = Device::wgpu_options().init().map_err(|error| error.to_string());
    #[cfg(not(feature = "wgpu"))]
    let last = Err("no driver has one".into());
    last.map_err(|reason| ProcessorError::None { reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_a_gpu_says_so() {
        assert!(device(Processor::Cpu).is_ok());
        let gpu = device(Processor::Gpu).map(drop);
        assert_eq!(gpu == Err(ProcessorError::NotBuilt), GPU_KINDS.is_empty());
        assert_eq!(gpu, gpu_name().map(drop));
    }
}
