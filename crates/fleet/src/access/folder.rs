//! The folder that a fleet's server is started from.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};

use async_nats::rustls::pki_types::ServerName;
use serde::{Deserialize, Serialize};

use crate::access::certificates::Certificates;
use crate::access::key::{roots, write_secret};
use crate::access::server_config::server_config;
use crate::{FleetError, Machine, MachineKey, MachineName, Role};
use doublecross_files::{read_regular, write_whole};

/// The port that a fleet's server listens on unless another is given.
pub const DEFAULT_PORT: u16 = 4222;

/// The most bytes of each file that is read from the folder: a hundred thousand machines have fewer.
const MOST_BYTES: u64 = 16 << 20;

/// The list of machines, from which the server's configuration is made. It is written last.
const MACHINES: &str = "fleet.toml";

/// The server's configuration.
const CONFIG: &str = "nats.conf";

/// The certificate of the fleet's own authority.
const AUTHORITY: &str = "tls/authority.pem";

/// The first line of [`MACHINES`].
const HEAD: &str =
    "# The machines that the server of this fleet lets in. `doublecross fleet key` and `revoke` change it.\n";

/// The settings of a new fleet.
#[derive(Clone, Debug)]
pub struct FleetSettings {
    /// The number of workers, named `worker-1` and so on.
    pub workers: usize,
    /// The names and addresses under which machines reach the server, beside those of this machine.
    pub hosts: Vec<String>,
    /// The address that the server listens on.
    pub bind: IpAddr,
    /// The port that the server listens on.
    pub port: u16,
}

impl Default for FleetSettings {
    fn default() -> FleetSettings {
        FleetSettings { workers: 8, hosts: Vec::new(), bind: IpAddr::V4(Ipv4Addr::LOCALHOST), port: DEFAULT_PORT }
    }
}

/// The contents of [`MACHINES`].
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    /// The names and addresses in the server's certificate.
    hosts: Vec<String>,
    bind: IpAddr,
    port: u16,
    #[serde(default, rename = "machine")]
    machines: Vec<Machine>,
}

/// The folder of a fleet: the server's configuration and certificates, and the keys.
///
/// | file | holds |
/// |---|---|
/// | `fleet.toml` | the machines that are let in, with their public keys |
/// | `nats.conf` | the server's configuration, made from `fleet.toml` |
/// | `nats.conf.old` | the configuration before the last change |
/// | `NAME.key` | a machine's [`MachineKey`] |
/// | `tls/` | the server's certificate with its private key, and that of the authority |
/// | `jetstream/` | what the server stores |
/// | `lock` | held by a command that changes the folder |
#[derive(Debug)]
pub struct Fleet {
    folder: PathBuf,
    listed: Listed,
    /// Held for as long as the folder is open, so that two commands do not change it at once.
    _lock: File,
}

impl Fleet {
    /// Makes the folder of a new fleet, with a coordinator, an observer and workers.
    ///
    /// The private key of the authority is not kept, so that no second server can pass for this one.
    /// A fleet whose server is reached under another name therefore has to be made anew.
    ///
    /// # Errors
    /// Returns an error if the folder has something in it, a host is not one, or a file cannot be
    /// written.
    pub fn create(folder: &Path, settings: &FleetSettings) -> Result<Fleet, FleetError> {
        let hosts = all_hosts(&settings.hosts)?;
        check_path(&std::path::absolute(folder).map_err(write_error(folder))?)?;
        match fs::read_dir(folder) {
            Ok(mut entries) => match entries.next() {
                None => {}
                Some(_) => return Err(FleetError::NotEmpty(folder.into())),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(FleetError::Write { path: folder.into(), error }),
        }
        let names = ["coordinator", "observer"].map(String::from).into_iter();
        let names = names.chain((1..=settings.workers).map(|number| format!("worker-{number}")));
        let Certificates { authority, server, server_key } = Certificates::new(&hosts)?;
        let keys: Vec<MachineKey> = names
            .map(|name| {
                let role = Role::ALL.into_iter().find(|role| role.name() == name).unwrap_or(Role::Worker);
                let name = name.parse().map_err(|_| FleetError::Host(name))?;
                Ok(MachineKey::new(name, role, &authority)?)
            })
            .collect::<Result<_, FleetError>>()?;

        fs::create_dir_all(folder).map_err(write_error(folder))?;
        let _lock = lock(folder)?;
        let tls = folder.join("tls");
        fs::create_dir(&tls).map_err(write_error(&tls))?;
        let path = folder.join(AUTHORITY);
        write_whole(&path, authority.as_bytes()).map_err(write_error(&path))?;
        let path = folder.join("tls/server.pem");
        write_whole(&path, server.as_bytes()).map_err(write_error(&path))?;
        let path = folder.join("tls/server.key");
        write_secret(&path, server_key.as_bytes()).map_err(write_error(&path))?;
        let mut fleet = Fleet {
            folder: folder.into(),
            listed: Listed { hosts, bind: settings.bind, port: settings.port, machines: Vec::new() },
            _lock,
        };
        for key in &keys {
            key.write_new(&fleet.key_path(key.name()))?;
        }
        fleet.listed.machines = keys.iter().map(MachineKey::machine).collect();
        fleet.write()?;
        Ok(fleet)
    }

    /// Opens the folder of a fleet.
    ///
    /// # Errors
    /// Returns an error if the folder has no list of machines, or a damaged one.
    pub fn open(folder: &Path) -> Result<Fleet, FleetError> {
        let path = folder.join(MACHINES);
        // Before the lock is made, so that nothing is written to another folder.
        read_text(&path)?;
        let _lock = lock(folder)?;
        let text = read_text(&path)?;
        let invalid = |reason: String| FleetError::Invalid { path: path.clone(), reason };
        let listed: Listed = toml::from_str(&text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = text.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count() + 1;
            invalid(format!("line {line}: {}", error.message().replace("expected u16", "expected 0 to 65535")))
        })?;
        for (index, machine) in listed.machines.iter().enumerate() {
            // Nothing but keys may get into the server's configuration.
            let is_key = machine.public_key.starts_with('U') && nkeys::from_public_key(&machine.public_key).is_ok();
            if !is_key {
                return Err(invalid(format!(
                    "{}: its public_key is not the public half of a user's NKey",
                    machine.name
                )));
            }
            let is_same = |other: &Machine| other.name == machine.name || other.public_key == machine.public_key;
            if listed.machines[..index].iter().any(is_same) {
                return Err(invalid(format!("{} is listed twice", machine.name)));
            }
        }
        Ok(Fleet { folder: folder.into(), listed, _lock })
    }

    /// Adds a machine, and returns the path of its key. The server has to be told.
    ///
    /// # Errors
    /// Returns an error if the machine exists, or a file cannot be read or written.
    pub fn add(&mut self, name: MachineName, role: Role) -> Result<PathBuf, FleetError> {
        if self.machine(&name).is_some() {
            return Err(FleetError::Known(name));
        }
        let path = self.folder.join(AUTHORITY);
        let authority = read_text(&path)?;
        roots(&authority).map_err(|reason| FleetError::Invalid { path, reason })?;
        self.path()?;
        let key = MachineKey::new(name, role, &authority)?;
        let path = self.key_path(key.name());
        key.write_new(&path)?;
        self.listed.machines.push(key.machine());
        // A key that the server does not know is of no use.
        self.write().inspect_err(|_| drop(fs::remove_file(&path)))?;
        Ok(path)
    }

    /// Removes a machine and its key. The server has to be told.
    ///
    /// # Errors
    /// Returns an error if there is no such machine, it is the coordinator, or a file cannot be
    /// written.
    pub fn revoke(&mut self, name: &MachineName) -> Result<(), FleetError> {
        match self.machine(name) {
            None => {
                let known: Vec<&str> = self.listed.machines.iter().map(|machine| machine.name.as_str()).collect();
                return Err(FleetError::Unknown { name: name.clone(), known: known.join(", ") });
            }
            Some(machine) if machine.role == Role::Coordinator => return Err(FleetError::Coordinator(name.clone())),
            Some(_) => {}
        }
        self.path()?;
        self.listed.machines.retain(|machine| machine.name != *name);
        self.write()?;
        let path = self.key_path(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(FleetError::Write { path, error }),
            _ => Ok(()),
        }
    }

    /// The machines that the server lets in.
    pub fn machines(&self) -> &[Machine] {
        &self.listed.machines
    }

    /// The names and addresses in the server's certificate.
    pub fn hosts(&self) -> &[String] {
        &self.listed.hosts
    }

    /// The address that the server listens on.
    pub fn bind(&self) -> IpAddr {
        self.listed.bind
    }

    /// The port that the server listens on.
    pub fn port(&self) -> u16 {
        self.listed.port
    }

    /// The path of the server's configuration.
    pub fn config_path(&self) -> PathBuf {
        self.folder.join(CONFIG)
    }

    /// The path of a machine's key.
    pub fn key_path(&self, name: &MachineName) -> PathBuf {
        self.folder.join(format!("{name}.key"))
    }

    fn machine(&self, name: &MachineName) -> Option<&Machine> {
        self.listed.machines.iter().find(|machine| machine.name == *name)
    }

    /// The folder's absolute path, as text.
    fn path(&self) -> Result<String, FleetError> {
        let path = fs::canonicalize(&self.folder).map_err(write_error(&self.folder))?;
        check_path(&path)
    }

    /// Writes the server's configuration, and then the list of machines that it was made from, so
    /// that a command that was cut off can be given again.
    fn write(&self) -> Result<(), FleetError> {
        let Listed { bind, port, machines, .. } = &self.listed;
        let config = server_config(&self.path()?, *bind, *port, machines);
        let path = self.config_path();
        match read_regular(&path, MOST_BYTES) {
            Ok(old) => {
                let path = self.folder.join(format!("{CONFIG}.old"));
                write_whole(&path, &old).map_err(write_error(&path))?;
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(FleetError::Read { path, error }),
        }
        write_whole(&path, config.as_bytes()).map_err(write_error(&path))?;
        let path = self.folder.join(MACHINES);
        let text = toml::to_string(&self.listed)
            .map_err(|error| FleetError::Invalid { path: path.clone(), reason: error.to_string() })?;
        write_whole(&path, format!("{HEAD}{text}").as_bytes()).map_err(write_error(&path))
    }
}

/// Locks the folder for this process until the file is closed. A link is not followed.
fn lock(folder: &Path) -> Result<File, FleetError> {
    let path = folder.join("lock");
    if fs::symlink_metadata(&path).is_ok_and(|file| !file.is_file()) {
        let error = std::io::Error::other("it is a link, or no file");
        return Err(FleetError::Write { path, error });
    }
    let file = File::options().create(true).append(true).open(&path).map_err(write_error(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(FleetError::Busy(folder.into())),
        Err(TryLockError::Error(error)) => Err(FleetError::Write { path, error }),
    }
}

fn write_error(path: &Path) -> impl Fn(std::io::Error) -> FleetError + '_ {
    |error| FleetError::Write { path: path.into(), error }
}

fn read_text(path: &Path) -> Result<String, FleetError> {
    let bytes = read_regular(path, MOST_BYTES).map_err(|error| FleetError::Read { path: path.into(), error })?;
    String::from_utf8(bytes)
        .map_err(|_| FleetError::Invalid { path: path.into(), reason: "it is not UTF-8 text".into() })
}

/// Returns a path as text if it can stand in the server's configuration.
fn check_path(path: &Path) -> Result<String, FleetError> {
    match path.to_str() {
        Some(text) if !text.chars().any(char::is_control) => Ok(text.into()),
        _ => Err(FleetError::Path(path.into())),
    }
}

/// The given names and addresses with those of this machine.
fn all_hosts(given: &[String]) -> Result<Vec<String>, FleetError> {
    let is_host = |host: &str| ServerName::try_from(host).is_ok();
    if let Some(host) = given.iter().find(|host| !is_host(host)) {
        return Err(FleetError::Host(host.clone()));
    }
    let own = ["localhost", "127.0.0.1", "::1"].map(String::from).into_iter().chain(hostname());
    let mut hosts: Vec<String> = Vec::new();
    for host in given.iter().cloned().chain(own.filter(|host| is_host(host))) {
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    Ok(hosts)
}

/// The name of this machine.
fn hostname() -> Option<String> {
    #[cfg(unix)]
    return rustix::system::uname().nodename().to_str().ok().map(String::from);
    #[cfg(not(unix))]
    std::env::var("COMPUTERNAME").ok().map(|name| name.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn settings(workers: usize, hosts: &[&str]) -> FleetSettings {
        FleetSettings { workers, hosts: hosts.iter().map(|host| host.to_string()).collect(), ..Default::default() }
    }

    #[test]
    fn a_fleet_grows_and_shrinks() {
        let scratch = tempfile::tempdir().unwrap();
        // A path with characters that the server's configuration knows as its own.
        let folder = scratch.path().join("a \"fleet\" \\ $x {");
        drop(Fleet::create(&folder, &settings(2, &["games.example.org", "10.0.0.7"])).unwrap());
        let files = [
            "coordinator.key",
            "fleet.toml",
            "lock",
            "nats.conf",
            "observer.key",
            "tls",
            "worker-1.key",
            "worker-2.key",
        ];
        assert_eq!(entries(&folder), files);
        let config = || fs::read_to_string(folder.join("nats.conf")).unwrap();
        let first = config();
        let mut fleet = Fleet::open(&folder).unwrap();
        assert_eq!(fleet.machines().len(), 4);
        let added = fleet.add("laptop".parse().unwrap(), Role::Observer).unwrap();
        assert_eq!(MachineKey::read(&added).unwrap().machine(), fleet.machines()[4]);
        assert!(config().contains(&fleet.machines()[4].public_key));
        assert_eq!(fs::read_to_string(folder.join("nats.conf.old")).unwrap(), first);
        fleet.revoke(&"laptop".parse().unwrap()).unwrap();
        assert_eq!(config(), first);
        assert!(!added.exists());
        for file in ["coordinator.key", "worker-1.key", "tls/server.key"] {
            #[cfg(unix)]
            assert_eq!(
                std::os::unix::fs::MetadataExt::mode(&fs::metadata(folder.join(file)).unwrap()) & 0o777,
                0o600,
                "{file}"
            );
        }
    }

    #[test]
    fn what_is_refused_changes_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("fleet");
        for bad in ["", "a b", "*.example.org", "-x", "a\nb", "https://x"] {
            assert!(matches!(Fleet::create(&folder, &settings(1, &[bad])), Err(FleetError::Host(_))), "{bad:?}");
        }
        assert!(matches!(Fleet::create(&scratch.path().join("a\nb"), &settings(1, &[])), Err(FleetError::Path(_))));
        assert!(matches!(Fleet::open(scratch.path()), Err(FleetError::Read { .. })));
        assert!(entries(scratch.path()).is_empty());
        let mut fleet = Fleet::create(&folder, &settings(1, &[])).unwrap();
        let before = entries(&folder);
        assert!(matches!(Fleet::create(&folder, &settings(1, &[])), Err(FleetError::NotEmpty(_))));
        assert!(matches!(Fleet::open(&folder), Err(FleetError::Busy(_))));
        assert!(matches!(fleet.add("worker-1".parse().unwrap(), Role::Worker), Err(FleetError::Known(_))));
        assert!(matches!(fleet.revoke(&"worker-2".parse().unwrap()), Err(FleetError::Unknown { .. })));
        assert!(matches!(fleet.revoke(&"coordinator".parse().unwrap()), Err(FleetError::Coordinator(_))));
        fs::write(folder.join("left.key"), "mine").unwrap();
        assert!(matches!(fleet.add("left".parse().unwrap(), Role::Worker), Err(FleetError::Key(_))));
        assert_eq!(fs::read_to_string(folder.join("left.key")).unwrap(), "mine");
        fs::remove_file(folder.join("left.key")).unwrap();
        assert_eq!(entries(&folder), before);
    }

    #[test]
    fn a_damaged_list_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("fleet");
        drop(Fleet::create(&folder, &settings(1, &[])).unwrap());
        let path = folder.join(MACHINES);
        let text = fs::read_to_string(&path).unwrap();
        let key = text.lines().find(|line| line.starts_with("public_key")).unwrap().to_string();
        for (old, new, part) in [
            ("name = \"observer\"", "name = \"coordinator\"", "coordinator is listed twice"),
            ("name = \"observer\"", "name = \"a}b\"", "line 12: it must be 1 to 32"),
            (&key, "public_key = \"U } ]\"", "coordinator: its public_key"),
            ("port = 4222", "port = 70000", "line 4"),
        ] {
            let changed = text.replacen(old, new, 1);
            assert_ne!(changed, text, "{old}");
            fs::write(&path, changed).unwrap();
            let error = Fleet::open(&folder).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}
