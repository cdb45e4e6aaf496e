//! The device that burn computes on.

use std::sync::OnceLock;

use burn::tensor::Device;
use doublecross_run::Processor;
use thiserror::Error;

/// A kind of GPU that the program was built for.
struct GpuKind {
    /// The name of the feature that it was built with.
    name: &'static str,
    /// Returns the first GPU of this kind, or the reason why there is none.
    first: fn() -> Result<Gpu, String>,
}

/// The kinds of GPUs that the program was built for, those that are preferred first.
const GPU_KINDS: &[GpuKind] = &[
    #[cfg(feature = "cuda")]
    GpuKind { name: "cuda", first: || Gpu::listed(burn::tensor::DeviceType::Cuda) },
    #[cfg(feature = "rocm")]
    GpuKind { name: "rocm", first: || Gpu::listed(burn::tensor::DeviceType::Rocm) },
    #[cfg(feature = "wgpu")]
    GpuKind { name: WGPU, first: || Device::wgpu_options().init().map(Gpu::new).map_err(|error| error.to_string()) },
];

/// The name of what wgpu was built with.
#[cfg(feature = "wgpu")]
const WGPU: &str = match (cfg!(feature = "metal"), cfg!(feature = "vulkan")) {
    (true, _) => "metal",
    (_, true) => "vulkan",
    _ => "wgpu",
};

/// A GPU that burn computes on.
#[derive(Clone)]
struct Gpu {
    device: Device,
    name: String,
}

#[cfg(feature = "gpu")]
impl Gpu {
    fn new(device: Device) -> Gpu {
        let name = device.identity().map_or_else(|| "a GPU without a name".into(), |identity| identity.name);
        Gpu { device, name }
    }

    /// Returns the first GPU that a driver lists.
    #[cfg(any(feature = "cuda", feature = "rocm"))]
    fn listed(kind: burn::tensor::DeviceType) -> Result<Gpu, String> {
        let first = Device::enumerate(kind).into_vec().into_iter().next();
        first.map(Gpu::new).ok_or_else(|| "its driver lists none".into())
    }
}

/// An error of a GPU that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProcessorError {
    /// The program was built without support for GPUs.
    #[error(
        "this program was built without a GPU (build it with --features cuda, rocm, metal, vulkan or wgpu, or learn on the \
         processor with --set resources.learn_device=cpu)"
    )]
    NotBuilt,
    /// The machine has no GPU that can be used.
    #[error(
        "no GPU can be used here ({}): {reason} (install the GPU's driver, or learn on the processor with \
         --set resources.learn_device=cpu)",
        gpu_kinds().join(", ")
    )]
    None {
        /// The reason that the last kind of GPU gives.
        reason: String,
    },
}

/// Returns the names of the kinds of GPUs that the program was built for, those that are preferred first.
pub fn gpu_kinds() -> Vec<&'static str> {
    GPU_KINDS.iter().map(|kind| kind.name).collect()
}

/// Returns burn's device for a processor.
pub(crate) fn device(processor: Processor) -> Result<Device, ProcessorError> {
    match processor {
        Processor::Cpu => Ok(Device::flex()),
        Processor::Gpu => Ok(gpu()?.device),
    }
}

/// Returns the name of the GPU that a run would learn on.
///
/// # Errors
/// Returns an error if there is none.
pub fn gpu_name() -> Result<String, ProcessorError> {
    Ok(gpu()?.name)
}

/// Returns the first GPU of the kinds that the program was built for. burn accepts the options of an adapter once, so
/// the first answer is kept.
fn gpu() -> Result<Gpu, ProcessorError> {
    static GPU: OnceLock<Result<Gpu, ProcessorError>> = OnceLock::new();
    GPU.get_or_init(first_gpu).clone()
}

fn first_gpu() -> Result<Gpu, ProcessorError> {
    let mut refused = ProcessorError::NotBuilt;
    for kind in GPU_KINDS {
        match (kind.first)() {
            Ok(gpu) => return Ok(gpu),
            Err(reason) => refused = ProcessorError::None { reason },
        }
    }
    Err(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_a_gpu_says_so() {
        assert!(device(Processor::Cpu).is_ok());
        let gpu = device(Processor::Gpu).map(drop);
        assert_eq!(gpu == Err(ProcessorError::NotBuilt), gpu_kinds().is_empty());
        assert_eq!(gpu, gpu_name().map(drop));
    }
}
