//! The WebAssembly module of a bot: its functions, and the slot that an exporter fills.

#[cfg(target_arch = "wasm32")]
mod functions;
mod slot;

pub use slot::SLOT_MARK;
