//! The output of a command that makes a text.

use std::path::{Path, PathBuf};

use clap::Args;

use super::force::Force;
use crate::cli::{Failure, cannot_write, print};
use doublecross_files::OutputFile;

/// The options of commands that write a text to stdout or to a file.
#[derive(Debug, Args)]
pub(crate) struct TextOutputOptions {
    /// Write to this file rather than to stdout, which is "-".
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

impl TextOutputOptions {
    /// Checks that the file can be written, without changing it.
    ///
    /// # Errors
    /// Returns a failure if it exists and may not be overwritten, or cannot be written.
    pub fn open(&self) -> Result<TextOutput, Failure> {
        let Some(path) = self.out.clone().filter(|path| path.as_os_str() != "-") else { return Ok(TextOutput::Stdout) };
        self.force.check([path.clone()])?;
        let file = OutputFile::open(&path).map_err(cannot_write(&path))?;
        Ok(TextOutput::File(path, file))
    }
}

/// The place that a text goes to once it is made.
#[derive(Debug)]
pub(crate) enum TextOutput {
    Stdout,
    File(PathBuf, OutputFile),
}

impl TextOutput {
    /// Returns the path of the file, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            TextOutput::Stdout => None,
            TextOutput::File(path, _) => Some(path),
        }
    }

    /// Writes the whole text.
    pub fn write(self, text: &str) -> Result<(), Failure> {
        match self {
            TextOutput::Stdout => print(format_args!("{text}")),
            TextOutput::File(path, file) => file.write(text.as_bytes()).map_err(cannot_write(&path))?,
        }
        Ok(())
    }
}
