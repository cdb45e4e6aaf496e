//! Files that are either whole or absent, and files of others that are read with care.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use crate::folder::{beside, folder_of, sync_folder};

/// Writes a file of the program's own: under a temporary name, which is synced to disk and renamed
/// into place. Then the folder is synced, so that a power cut leaves the file as it was before or as it
/// is now, and what is done afterwards comes after it. A link under either name is replaced rather than
/// followed.
///
/// # Errors
/// Returns an error if a step fails. The file is then unchanged, or whole where the folder could not be synced.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let partial = beside(path, ".partial");
    let mut file = create_new(&partial)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&partial, path));
    // What is left of a failure only costs its space.
    written.inspect_err(|_| drop(fs::remove_file(&partial)))?;
    sync_folder(folder_of(path))
}

/// Creates a file, and removes one that a kill has left behind.
fn create_new(path: &Path) -> io::Result<File> {
    match File::create_new(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            File::create_new(path)
        }
        created => created,
    }
}

/// Reads a file that another program may have put there: a regular file of at most `most` bytes, and
/// no link to one. A named pipe or a device is not waited for.
///
/// # Errors
/// Returns an error if the file is another kind of file, is longer, or cannot be read.
pub fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if fs::symlink_metadata(path)?.is_symlink() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is a link"));
    }
    read(path, most, false)
}

/// Reads a file that a person has named, as [`read_regular`] does, and follows links to it: secrets of
/// clusters are mounted as such.
///
/// # Errors
/// Returns an error if the file is no regular file, is longer, or cannot be read.
pub fn read_named(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read(path, most, true)
}

fn read(path: &Path, most: u64, follows_links: bool) -> io::Result<Vec<u8>> {
    let invalid = |reason: String| io::Error::new(ErrorKind::InvalidInput, reason);
    let check = |metadata: &fs::Metadata| match metadata {
        metadata if !metadata.is_file() => Err(invalid("it is not a regular file".into())),
        metadata if metadata.len() > most => Err(invalid(format!("it has more than {most} bytes"))),
        _ => Ok(()),
    };
    // Before it is opened, which alone has effects on some devices.
    check(&fs::metadata(path)?)?;
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = if follows_links { OFlags::NONBLOCK } else { OFlags::NOFOLLOW | OFlags::NONBLOCK };
        options.custom_flags(flags.bits() as i32);
    }
    let file = options.open(path)?;
    // The path may have changed since.
    check(&file.metadata()?)?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_as_a_whole() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file");
        fs::write(scratch.path().join("file.partial"), "left behind").unwrap();
        for text in ["one", "two"] {
            write_whole(&path, text.as_bytes()).unwrap();
            assert_eq!(read_regular(&path, 3).unwrap(), text.as_bytes());
        }
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
        assert_eq!(read_regular(&path, 2).unwrap_err().to_string(), "it has more than 2 bytes");
    }

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_read() {
        let scratch = tempfile::tempdir().unwrap();
        let path = |name: &str| scratch.path().join(name);
        fs::write(path("file"), "text").unwrap();
        std::os::unix::fs::symlink(path("file"), path("link")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
        let error = |path: &Path| read_regular(path, 100).unwrap_err().to_string();
        assert_eq!(error(&path("link")), "it is a link");
        assert_eq!(read_named(&path("link"), 100).unwrap(), b"text");
        std::os::unix::fs::symlink(path("pipe"), path("link to a pipe")).unwrap();
        assert_eq!(read_named(&path("link to a pipe"), 100).unwrap_err().to_string(), "it is not a regular file");
        for other in [&path("pipe"), scratch.path(), Path::new("/dev/zero")] {
            assert_eq!(error(other), "it is not a regular file", "{}", other.display());
        }
        assert_eq!(read_regular(&path("nowhere"), 100).unwrap_err().kind(), ErrorKind::NotFound);
    }
}
