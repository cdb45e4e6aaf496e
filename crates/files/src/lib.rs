//! Files: those of the program's own, which are whole or absent, also after a power cut; those that a
//! person named, which are written as the system's tools write them; and those of others, which are
//! read with care.
//!
//! [`write_whole`] is for the first and [`OutputFile`] and [`AppendFile`] are for the second.

#![deny(clippy::print_stderr, clippy::print_stdout)]

mod append_file;
mod folder;
mod output_file;
mod output_folder;
mod printable;
mod space;
mod stream;
mod whole;

pub use append_file::AppendFile;
pub use folder::{create_folders, remove_file, sync_folder};
pub use output_file::OutputFile;
pub use output_folder::OutputFolder;
pub use printable::printable;
pub use space::is_out_of_space;
pub use stream::{Stream, end_waits, write_when_ready};
pub use whole::{read_named, read_regular, write_whole};
