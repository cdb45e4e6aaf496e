//! Folders whose entries are on the disk.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Creates a folder and those above it that do not exist, all of which survive a power cut then.
///
/// # Errors
/// Returns an error if one cannot be created.
pub fn create_folders(path: &Path) -> io::Result<()> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let missing: Vec<&Path> = path.ancestors().take_while(is_missing).collect();
    fs::create_dir_all(path)?;
    missing.into_iter().rev().try_for_each(|folder| sync_folder(folder_of(folder)))
}

/// Waits until the entries of a folder are on the disk: files that were created in it, renamed or
/// removed. The contents of the files are not waited for.
///
/// Nothing is done on systems that sync no folders, and in folders that may not be read.
///
/// # Errors
/// Returns an error if the folder cannot be opened or synced.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    let synced = fs::File::open(path).and_then(|folder| folder.sync_all());
    match synced {
        // Some file systems, as those of networks, do not know it.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::PermissionDenied | ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

/// Removes a file, and waits until it is gone from the disk too. A file that does not exist is no
/// error.
///
/// # Errors
/// Returns an error if the file cannot be removed.
pub fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed.and_then(|()| sync_folder(folder_of(path))),
    }
}

/// Returns the folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) => Path::new("."),
        None => path,
    }
}

/// Returns the path beside a file whose name has this ending too.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(ending);
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_created_and_files_removed() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("a/b");
        create_folders(&folder).unwrap();
        create_folders(&folder).unwrap();
        let file = folder.join("file");
        fs::write(&file, "text").unwrap();
        remove_file(&file).unwrap();
        remove_file(&file).unwrap();
        assert!(!file.exists() && sync_folder(&folder.join("nowhere")).is_err());
        fs::write(&file, "text").unwrap();
        assert!(create_folders(&file.join("c")).is_err());
        assert_eq!((folder_of(Path::new("a")), folder_of(Path::new("/"))), (Path::new("."), Path::new("/")));
    }
}
