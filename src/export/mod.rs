//! Bots that leave the building: what plays in them, and the forms that they leave in.
//!
//! [`HandedIn`] is the bot and [`Asked`] what a page asks; they belong to the bot core, as does the border of the
//! WebAssembly module. The forms are written by the trainer.

mod asked;
#[cfg(target_arch = "wasm32")]
mod border;
mod handed_in;
mod slot;

#[cfg(feature = "trainer")]
mod bundle;
#[cfg(feature = "trainer")]
mod safetensors;
#[cfg(feature = "trainer")]
mod source;
#[cfg(feature = "trainer")]
mod wasm;

pub use asked::Asked;
pub use handed_in::{HandedIn, HandedInError};

#[cfg(feature = "trainer")]
pub use bundle::{Bundled, bundle, bundled};
#[cfg(feature = "trainer")]
pub use safetensors::safetensors;
#[cfg(feature = "trainer")]
pub use source::source_file;
#[cfg(feature = "trainer")]
pub use wasm::{WasmError, wasm_module};
