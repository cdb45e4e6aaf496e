//! The confinement of a bot: the files that it may change, and the processes that it may signal.

use std::io;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, AccessFs, CompatLevel, Compatible, LandlockStatus, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError,
    RulesetStatus, Scope, path_beneath_rules,
};
use rustix::fs::{StatVfsMountFlags, statvfs};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_change, mount_remount};

use super::Settings;

/// The protections that a bot lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::external) struct Unprotected {
    /// The bot sees the processes of this machine.
    pub processes: bool,
    /// The bot can send signals to processes that are not its own.
    pub signals: bool,
    /// The bot can change files outside its folder.
    pub files: bool,
    /// The bot can change files that were to be read only.
    pub read_only: bool,
}

impl Unprotected {
    /// The protections, each with its letter and description.
    fn all(&mut self) -> [(&mut bool, char, &'static str); 4] {
        [
            (&mut self.processes, 'p', "bots see the other processes of this machine"),
            (&mut self.signals, 's', "bots can end this process and each other"),
            (&mut self.files, 'f', "bots can change files outside the current folder"),
            (&mut self.read_only, 'r', "bots can change the log"),
        ]
    }

    /// The letters of the protections that are missing.
    pub(super) fn letters(mut self) -> String {
        self.all().iter().filter(|(is_missing, ..)| **is_missing).map(|&(_, letter, _)| letter).collect()
    }

    /// The inverse of [`Unprotected::letters`].
    pub(super) fn from_letters(letters: &str) -> Unprotected {
        let mut unprotected = Unprotected::default();
        for (is_missing, letter, _) in unprotected.all() {
            *is_missing = letters.contains(letter);
        }
        unprotected
    }

    /// A description of each protection that is missing.
    pub fn descriptions(mut self) -> Vec<&'static str> {
        self.all().iter().filter(|(is_missing, ..)| **is_missing).map(|&(.., description)| description).collect()
    }
}

/// Confines this process and all that it starts from now on, as far as the system allows it.
/// `has_namespaces` says that it has namespaces of process IDs and mounts of its own.
pub(super) fn confine(settings: &Settings, has_namespaces: bool) -> Unprotected {
    let mut unprotected = Unprotected { processes: true, ..Unprotected::default() };
    // Mounts are made first, since Landlock forbids them.
    let are_mounts_own =
        has_namespaces && mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE).is_ok();
    if are_mounts_own {
        // Not permitted where a container hides parts of `/proc`. The bot sees the outer one then.
        let proc = mount("proc", "/proc", "proc", MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC, None);
        unprotected.processes = proc.is_err();
    }
    if !settings.is_sandboxed {
        return Unprotected { signals: !has_namespaces, files: true, read_only: true, ..unprotected };
    }
    let is_read_only = |path: &PathBuf| are_mounts_own && make_read_only(path).is_ok();
    unprotected.read_only = !settings.read_only.iter().all(is_read_only);
    let abi = restrict().unwrap_or(ABI::Unsupported);
    unprotected.files = abi < ABI::V1;
    unprotected.signals = !has_namespaces && abi < ABI::V6;
    unprotected
}

/// Makes a file read only in the namespace of mounts of this process.
fn make_read_only(path: &Path) -> io::Result<()> {
    mount_bind(path, path)?;
    // Flags of the file system may not be taken back.
    let now = statvfs(path)?.f_flag;
    let mut flags = MountFlags::BIND | MountFlags::RDONLY;
    for (is, flag) in [
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
        (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
    ] {
        if now.contains(is) {
            flags |= flag;
        }
    }
    Ok(mount_remount(path, flags, "")?)
}

/// Lets this process change files only where [`writable`] says, send signals only to processes
/// that it starts, and trace only these. Returns the version of Landlock that does so.
fn restrict() -> Result<ABI, RulesetError> {
    let changes = AccessFs::from_write(ABI::V3);
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(changes)?
        .scope(Scope::Signal)?
        .create()?
        .add_rules(path_beneath_rules(writable(), changes))?
        .restrict_self()?;
    Ok(match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, _) => ABI::Unsupported,
        (_, LandlockStatus::Available { effective_abi, .. }) => effective_abi,
        _ => ABI::Unsupported,
    })
}

/// The files and folders that a bot may change: the current folder, those for temporary files, and
/// devices that are no storage.
fn writable() -> Vec<PathBuf> {
    let mut paths = vec![std::env::temp_dir(), "/tmp".into(), "/var/tmp".into()];
    paths.extend(std::env::current_dir());
    let devices = ["null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "shm", "dri", "kfd"];
    paths.extend(devices.iter().map(|name| Path::new("/dev").join(name)));
    let all = std::fs::read_dir("/dev").into_iter().flatten().flatten();
    paths.extend(all.map(|entry| entry.path()).filter(|path| path.to_string_lossy().starts_with("/dev/nvidia")));
    if !rustix::process::geteuid().is_root() {
        // A process may change some of its own settings there. Root could change the system's.
        paths.push("/proc".into());
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protections_have_letters() {
        let files = Unprotected { files: true, signals: true, ..Unprotected::default() };
        assert_eq!(files.letters(), "sf");
        assert_eq!(Unprotected::from_letters("sf"), files);
        assert_eq!(files.descriptions().len(), 2);
        assert_eq!(Unprotected::default().letters(), "");
    }

    /// A thread is confined by itself.
    #[test]
    fn a_confined_thread_changes_files_in_temporary_folders_alone() {
        let folder = tempfile::tempdir().unwrap();
        let outside = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/no-such-file");
        let inside = folder.path().join("file");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                if restrict().unwrap() == ABI::Unsupported {
                    return;
                }
                std::fs::write(&inside, "text").unwrap();
                assert_eq!(std::fs::read_to_string(&inside).unwrap(), "text");
                std::fs::write("/dev/null", "text").unwrap();
                std::fs::read_to_string("/proc/self/status").unwrap();
                if !outside.starts_with(std::env::current_dir().unwrap()) {
                    assert!(std::fs::write(&outside, "text").is_err());
                }
                assert!(std::fs::write("/no-such-file", "text").is_err());
            });
        });
    }
}
