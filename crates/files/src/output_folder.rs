//! A folder that a command writes its results to, and nothing outside it.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use crate::printable;
use crate::{OutputFile, create_folders};

/// A folder that a person named, to write files to.
///
/// Its files are written as an [`OutputFile`] is, so that a link in place of a file is followed. One in place
/// of a subfolder is an error.
pub struct OutputFolder(PathBuf);

impl OutputFolder {
    /// Creates the folder if it does not exist.
    ///
    /// # Errors
    /// Returns an error if the folder is the root of a file system or cannot be created.
    pub fn create(path: &Path) -> io::Result<OutputFolder> {
        if path.exists() && !path.is_dir() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "it is a file, not a folder"));
        }
        create_folders(path)?;
        if fs::canonicalize(path)?.parent().is_none() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "it is the root of the file system"));
        }
        Ok(OutputFolder(path.into()))
    }

    /// Writes a file, given by its path within the folder, and returns its whole path.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written or if its path leads outside the folder.
    pub fn write(&self, path: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let path = Path::new(path);
        if path.components().any(|part| !matches!(part, Component::Normal(_))) {
            return Err(io::Error::new(
                ErrorKind::InvalidInput,
                format!("{} is outside", printable(&path.display().to_string())),
            ));
        }
        let mut folder = self.0.clone();
        for part in path.parent().into_iter().flat_map(Path::components) {
            folder.push(part);
            match fs::symlink_metadata(&folder) {
                Err(error) if error.kind() == ErrorKind::NotFound => fs::create_dir(&folder)?,
                Err(error) => return Err(error),
                Ok(found) if found.is_dir() => {}
                Ok(_) => {
                    let reason =
                        format!("{} is a link or a file, not a folder", printable(&folder.display().to_string()));
                    return Err(io::Error::new(ErrorKind::AlreadyExists, reason));
                }
            }
        }
        let path = self.0.join(path);
        OutputFile::open(&path)?.write(bytes)?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_are_written_to() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("file");
        fs::write(&file, "mine").unwrap();
        let refused = |path: &Path| OutputFolder::create(path).err().map(|error| error.to_string());
        assert_eq!(refused(&file).unwrap(), "it is a file, not a folder");
        for root in ["/", "/..", "//", "/./"] {
            assert_eq!(refused(Path::new(root)).unwrap(), "it is the root of the file system", "{root}");
        }
        let folder = OutputFolder::create(&scratch.path().join("a/b")).unwrap();
        assert_eq!(fs::read(folder.write("c/d/e", b"text").unwrap()).unwrap(), b"text");
        assert_eq!(fs::read(folder.write("c/d/e", b"other").unwrap()).unwrap(), b"other");
        for path in ["../out", "/out", "c/../../../out"] {
            assert!(folder.write(path, b"text").is_err(), "{path}");
        }
        let entries = fs::read_dir(scratch.path()).unwrap().count();
        assert_eq!((entries, fs::read(&file).unwrap()), (2, b"mine".to_vec()));
    }

    #[cfg(unix)]
    #[test]
    fn links_to_files_are_followed_and_those_to_folders_are_not() {
        use std::os::unix::fs::symlink;
        let scratch = tempfile::tempdir().unwrap();
        let (inside, outside) = (scratch.path().join("inside"), scratch.path().join("outside"));
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("file"), "mine").unwrap();
        let folder = OutputFolder::create(&inside).unwrap();
        symlink(outside.join("file"), inside.join("bot")).unwrap();
        symlink(&outside, inside.join("bots")).unwrap();
        folder.write("bot", b"text").unwrap();
        assert!(folder.write("bots/one", b"text").unwrap_err().to_string().contains("bots is a link"));
        assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "text");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
        assert!(inside.join("bot").is_symlink());
    }
}
