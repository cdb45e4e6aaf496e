//! The versions that `-V` and `--version` print.

use std::sync::LazyLock;

use crate::cli::chosen_isa;
use doublecross_core::net::Isa;

/// The version, the commit and the instruction set that networks run on.
pub(crate) static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    // Where the environment names no set that there is, every command says so.
    let isa = chosen_isa().unwrap_or_else(|_| Isa::fastest());
    let available: Vec<&str> = Isa::available().iter().map(|isa| isa.name()).collect();
    let version = format!(
        "{}\ncommit: {}\ninstruction set: {} (of {})",
        env!("CARGO_PKG_VERSION"),
        option_env!("DOUBLECROSS_COMMIT").unwrap_or("unknown"),
        isa.name(),
        available.join(", ")
    );
    #[cfg(feature = "train")]
    let version = match doublecross_train::gpu_kinds() {
        kinds if kinds.is_empty() => version,
        kinds => format!("{version}\nbuilt for GPUs of: {}", kinds.join(", ")),
    };
    version
});
