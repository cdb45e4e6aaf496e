//! A file that a person named for the output of a command.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::folder::{folder_of, sync_folder};
use crate::stream::Stream;

/// A file that a person named, which is written as `cp` writes it: a pipe or a device stays one, a
/// link is followed, and the file keeps its mode and its owner.
///
/// A regular file is replaced as a whole where nothing but its contents would change with that, and
/// written in place elsewhere: where the folder may not be written, where the file has a second name,
/// or attributes of its own.
#[derive(Debug)]
pub struct OutputFile(Place);

#[derive(Debug)]
enum Place {
    Stream(Stream),
    /// A regular file, or none yet, at the end of all links.
    File(PathBuf),
}

impl OutputFile {
    /// Checks that a file can be written, without changing it, and opens a stream.
    ///
    /// # Errors
    /// Returns an error if a folder is there, if there is no folder for the file, or if the file or its folder may not be
    /// written.
    pub fn open(path: &Path) -> io::Result<OutputFile> {
        if let Some(stream) = Stream::open(path)? {
            return Ok(OutputFile(Place::Stream(stream)));
        }
        let path = end_of_links(path);
        match File::options().write(true).open(&path) {
            Ok(_) => {}
            // A program that runs is replaced.
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => {}
            Err(error) if error.kind() == ErrorKind::NotFound => check_new(&path)?,
            Err(error) => return Err(error),
        }
        Ok(OutputFile(Place::File(path)))
    }

    /// Writes the whole file, and waits until it is on the disk.
    ///
    /// # Errors
    /// Returns an error if it cannot be written. A file that was there is unchanged then, unless it had to be written in
    /// place.
    pub fn write(self, bytes: &[u8]) -> io::Result<()> {
        let path = match self.0 {
            Place::Stream(mut stream) => return stream.write(bytes),
            Place::File(path) => path,
        };
        let Some((partial, mut file)) = partial(&path) else { return write_in_place(&path, bytes) };
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        if let Err(error) = written {
            let _ = fs::remove_file(&partial);
            return Err(error);
        }
        match fs::rename(&partial, &path) {
            Ok(()) => sync_folder(folder_of(&path)),
            // As where the file of another user or a mount point is there.
            Err(_) => {
                let _ = fs::remove_file(&partial);
                write_in_place(&path, bytes)
            }
        }
    }
}

/// Writes a file as it lies there.
fn write_in_place(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    sync_folder(folder_of(path))
}

/// Returns the path at the end of the links that a path may be, whether or not a file is there.
fn end_of_links(path: &Path) -> PathBuf {
    let mut path = PathBuf::from(path);
    for _ in 0..40 {
        let Ok(target) = fs::read_link(&path) else { break };
        path = folder_of(&path).join(target);
    }
    path
}

/// Returns an error if a file cannot be created.
fn check_new(path: &Path) -> io::Result<()> {
    let folder = folder_of(path);
    if path.file_name().is_none() || path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is a folder, not a file"));
    }
    if !fs::metadata(folder)?.is_dir() {
        return Err(ErrorKind::NotADirectory.into());
    }
    #[cfg(unix)]
    rustix::fs::access(folder, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK)?;
    Ok(())
}

/// Creates a file beside another one that takes its place with a rename, with its owner and its mode.
/// Returns `None` if there cannot be such a file.
fn partial(path: &Path) -> Option<(PathBuf, File)> {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name()?);
    name.push(format!(".{}.partial", std::process::id()));
    let partial = path.with_file_name(name);
    let file = File::create_new(&partial).ok()?;
    let is_alike = match fs::symlink_metadata(path) {
        Ok(found) => is_replaceable(path, &found) && take_over(&file, &found).is_ok(),
        Err(error) => error.kind() == ErrorKind::NotFound,
    };
    if !is_alike {
        let _ = fs::remove_file(&partial);
        return None;
    }
    Some((partial, file))
}

/// Returns `true` if a file has no second name, and no attributes that another one would lack.
#[cfg(unix)]
fn is_replaceable(path: &Path, found: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    found.nlink() == 1 && has_no_attributes(path)
}

#[cfg(not(unix))]
fn is_replaceable(_: &Path, _: &Metadata) -> bool {
    true
}

/// Returns `true` if a file has no attributes but those that come from its folder.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn has_no_attributes(path: &Path) -> bool {
    let mut names = [0; 4096];
    let attributes = match rustix::fs::listxattr(path, &mut names[..]) {
        Ok(length) => &names[..length],
        // The file system has none.
        Err(rustix::io::Errno::NOTSUP) => &[],
        Err(_) => return false,
    };
    let is_inherited = |name: &[u8]| name.is_empty() || name == b"security.selinux";
    attributes.split(|&byte| byte == 0).all(is_inherited)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
#[cfg(unix)]
fn has_no_attributes(_: &Path) -> bool {
    true
}

/// Gives a new file the owner and the mode of another one.
#[cfg(unix)]
fn take_over(file: &File, found: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (found.uid(), found.gid()) {
        fchown(file, Some(found.uid()), Some(found.gid()))?;
    }
    // After the owner, whose change takes some bits away.
    file.set_permissions(found.permissions())
}

#[cfg(not(unix))]
fn take_over(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) -> io::Result<()> {
        OutputFile::open(path)?.write(text.as_bytes())
    }

    #[test]
    fn a_file_is_written_and_nothing_is_left_beside_it() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file");
        for text in ["one", "two"] {
            write(&path, text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_written_is_an_error_before_the_work() {
        let scratch = tempfile::tempdir().unwrap();
        fs::write(scratch.path().join("file"), "mine").unwrap();
        for (name, kind) in [
            ("", ErrorKind::InvalidInput),
            ("new/", ErrorKind::InvalidInput),
            ("nowhere/file", ErrorKind::NotFound),
            ("file/file", ErrorKind::NotADirectory),
        ] {
            let path = format!("{}/{name}", scratch.path().display());
            assert_eq!(OutputFile::open(path.as_ref()).unwrap_err().kind(), kind, "{name}");
        }
        OutputFile::open(&scratch.path().join("new")).unwrap();
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_modes_and_second_names_stay() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
        let scratch = tempfile::tempdir().unwrap();
        let path = |name: &str| scratch.path().join(name);
        fs::create_dir(path("other")).unwrap();
        fs::write(path("other/file"), "mine").unwrap();
        fs::set_permissions(path("other/file"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("other/file", path("link")).unwrap();
        symlink("link", path("second")).unwrap();
        symlink("other/new", path("dangling")).unwrap();
        write(&path("second"), "text").unwrap();
        write(&path("dangling"), "new").unwrap();
        assert_eq!(fs::read_to_string(path("other/file")).unwrap(), "text");
        assert_eq!(fs::read_to_string(path("other/new")).unwrap(), "new");
        assert_eq!(fs::metadata(path("other/file")).unwrap().mode() & 0o7777, 0o640);
        assert!(["link", "second", "dangling"].iter().all(|name| path(name).is_symlink()));
        // Both names are of one file still.
        fs::hard_link(path("other/file"), path("twin")).unwrap();
        write(&path("twin"), "both").unwrap();
        assert_eq!(fs::read_to_string(path("other/file")).unwrap(), "both");
        assert_eq!(fs::read_dir(path("other")).unwrap().count(), 2);
    }

    /// Pipes and devices are opened, and not replaced. This needs no rights: the devices are the system's.
    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_stay() {
        use std::os::unix::fs::FileTypeExt;
        let scratch = tempfile::tempdir().unwrap();
        let pipe = scratch.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let long = "text ".repeat(40_000);
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe).unwrap()
        });
        write(&pipe, &long).unwrap();
        assert_eq!(reader.join().unwrap(), long);
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
        std::os::unix::fs::symlink("/dev/full", scratch.path().join("full")).unwrap();
        for full in [Path::new("/dev/full"), &scratch.path().join("full")] {
            assert_eq!(write(full, "text").unwrap_err().kind(), ErrorKind::StorageFull);
        }
    }
}
