//! Export: bots for arenas and pages, and the forms in which they are written.
//!
//! [`Submission`] is the bot that is handed to an arena and [`QueryApi`] the interface of a page; they belong to the bot core,
//! as does the ABI of the WebAssembly module. The forms are written by the trainer.

#[cfg(target_arch = "wasm32")]
mod abi;
mod query;
mod slot;
mod submission;

#[cfg(feature = "trainer")]
mod bundle;
#[cfg(feature = "trainer")]
mod safetensors;
#[cfg(feature = "trainer")]
mod source;
#[cfg(feature = "trainer")]
mod wasm;

pub use query::QueryApi;
pub use submission::{Submission, SubmissionError};

#[cfg(feature = "trainer")]
pub use bundle::{Bundled, bundle, bundled};
#[cfg(feature = "trainer")]
pub use safetensors::safetensors;
#[cfg(feature = "trainer")]
pub use source::source_file;
#[cfg(feature = "trainer")]
pub use wasm::{WasmError, wasm_module};
