//! Export: bots that play without this program, and the forms in which they are written
//! (docs/export.md).
//!
//! | item | purpose |
//! |---|---|
//! | [`Submission`] | the bot that is handed to an arena |
//! | [`QueryApi`] | answers to a web page's questions about positions |
//! | `wasm_module` | a WebAssembly module with both, behind the ABI of `abi.rs` |
//! | `source_file` | a submission as one Rust file |
//! | `bundle` | this program with a submission behind it |
//! | `safetensors` | the network's tensors for other tools |
//!
//! The first two and the ABI belong to the bot core: no dependencies, files, threads, clocks or
//! environment. The others need the feature `trainer`, and may use everything above `export` in the
//! list of layers in [the crate's documentation](crate).

#[cfg(target_arch = "wasm32")]
mod abi;
mod query;
mod slot;
mod submission;

#[cfg(feature = "program")]
mod bundle;
#[cfg(feature = "program")]
mod safetensors;
#[cfg(feature = "program")]
mod source;
#[cfg(feature = "program")]
mod wasm;

pub use query::QueryApi;
pub use submission::{Submission, SubmissionError};

#[cfg(feature = "program")]
pub use bundle::{BundledBot, bundle, bundled_bot};
#[cfg(feature = "program")]
pub use safetensors::safetensors;
#[cfg(feature = "program")]
pub use source::source_file;
#[cfg(feature = "program")]
pub use wasm::{WasmError, wasm_module};
