//! The sources of this crate, for programs that write it as one file.

/// The name, as in `board/edge.rs`, and the text of each source file of this crate.
pub const SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sources.rs"));
