//! Files that are whole or absent, files of others that are read with care, and folders that a
//! command writes its results to.

#![deny(clippy::print_stderr, clippy::print_stdout)]

mod output_folder;
mod whole;

pub use output_folder::OutputFolder;
pub use whole::{read_regular, write_whole};
