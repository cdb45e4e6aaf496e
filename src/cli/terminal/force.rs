//! `--force`: files that a command may overwrite.

use std::path::PathBuf;

use clap::Args;

use crate::cli::Failure;
use doublecross_core::shell::shell_word;
use doublecross_files::Stream;

/// The option of commands that write files where the user says.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Force {
    /// Overwrite files that exist.
    #[arg(long)]
    force: bool,
}

impl Force {
    /// Returns a failure if one of these files exists, unless they may be overwritten. It is called before anything is
    /// written. A pipe or a device is no file to overwrite.
    pub fn check(self, files: impl IntoIterator<Item = PathBuf>) -> Result<(), Failure> {
        // A file that a shell has opened for this program, as /dev/stdout, is a stream.
        let is_stream = |path: &PathBuf| Stream::open(path).is_ok_and(|stream| stream.is_some());
        let is_lost = |path: &PathBuf| !self.force && path.is_file() && !is_stream(path);
        let found: Vec<PathBuf> = files.into_iter().filter(is_lost).collect();
        let Some(first) = found.first() else { return Ok(()) };
        let (others, verb) = match found.len() - 1 {
            0 => (String::new(), "exists"),
            others => (format!(" and {others} more"), "exist"),
        };
        let error = anyhow::anyhow!("{}{others} {verb} already (pass --force to overwrite)", shell_word(first));
        Err(Failure::input(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_exist_are_overwritten_by_force_alone() {
        let scratch = tempfile::tempdir().unwrap();
        let path = |name: &str| scratch.path().join(name);
        std::fs::write(path("a"), "mine").unwrap();
        std::fs::write(path("b"), "mine").unwrap();
        let refused = |names: &[&str], force| Force { force }.check(names.iter().map(|name| path(name))).err();
        for (names, is_refused) in
            [(&["new", "."][..], false), (&["new", "a"], true), (&["a", "b"], true), (&["a/new"], false)]
        {
            assert_eq!(refused(names, false).is_some(), is_refused, "{names:?}");
            assert!(refused(names, true).is_none(), "{names:?}");
        }
        assert_eq!(refused(&["a"], false).map(|failure| failure.status()), Some(2));
        #[cfg(unix)]
        assert!(Force { force: false }.check(["/dev/null".into(), "/dev/stdout".into()]).is_ok());
        // A folder of files as any other.
        #[cfg(target_os = "linux")]
        if let Ok(shared) = tempfile::tempdir_in("/dev/shm") {
            std::fs::write(shared.path().join("a"), "mine").unwrap();
            assert!(Force { force: false }.check([shared.path().join("a")]).is_err());
        }
    }
}
