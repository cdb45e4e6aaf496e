//! Export: the forms in which a bot that plays without this program is written (docs/export.md).
//!
//! | item | purpose |
//! |---|---|
//! | [`wasm_module`] | a WebAssembly module with the bot and answers to a page's questions |
//! | [`source_file`] | the bot as one Rust file |
//! | [`bundle`] | this program with a bot behind it |
//! | [`onnx`] | the network as a model for runtimes of other languages |
//! | [`safetensors`] | the network's tensors for other tools |

mod bundle;
mod metadata;
mod onnx;
mod safetensors;
mod source;
mod wasm;

pub(crate) use bundle::{BundledBot, bundle, bundled_bot};
pub(crate) use onnx::onnx;
pub(crate) use safetensors::safetensors;
pub(crate) use source::source_file;
pub(crate) use wasm::{WasmError, wasm_module};
