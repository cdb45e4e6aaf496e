//! Bots that leave the building.

#[cfg(target_arch = "wasm32")]
mod border;
mod handed_in;
mod slot;
#[cfg(feature = "trainer")]
mod wasm;

pub use handed_in::{HandedIn, HandedInError};
#[cfg(feature = "trainer")]
pub use wasm::{MOST_BYTES, WasmError, wasm_module};
