//! A real NATS server, started from the folder of a new fleet.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use doublecross::fleet::{Fleet, FleetSettings, MachineKey};
use tempfile::TempDir;

use crate::common::{signal, tools, wait_until};

/// A server on a port of its own on loopback, which ends with this value.
pub struct NatsServer {
    scratch: TempDir,
    port: u16,
    child: Option<Child>,
}

impl NatsServer {
    /// Makes a fleet with this many workers and starts its server, unless there is no server to
    /// start.
    pub fn start(workers: usize) -> Option<NatsServer> {
        if !tools::has_nats_server() {
            return None;
        }
        // Another program may take the port before the server does.
        for _ in 0..10 {
            let scratch = tempfile::tempdir().unwrap();
            let bind = IpAddr::V4(Ipv4Addr::LOCALHOST);
            let port = TcpListener::bind((bind, 0)).unwrap().local_addr().unwrap().port();
            let settings = FleetSettings { workers, bind, port, ..FleetSettings::default() };
            Fleet::create(&scratch.path().join("fleet"), &settings).unwrap();
            let mut server = NatsServer { scratch, port, child: None };
            if server.spawn() {
                return Some(server);
            }
        }
        panic!("the server does not start");
    }

    /// Starts the process. Returns `true` if it came to accept connections.
    fn spawn(&mut self) -> bool {
        let log = File::options().create(true).append(true).open(self.log_path()).unwrap();
        let mut command = Command::new(tools::nats_server());
        // Not the fleet's folder, so that no path is found by chance.
        command.arg("-c").arg(self.folder().join("nats.conf")).current_dir(self.scratch.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let child = self.child.insert(command.spawn().expect("the server starts"));
        let (mut has_ended, port) = (false, self.port);
        wait_until("the server accepts", || {
            has_ended = child.try_wait().unwrap().is_some();
            has_ended || greets(port)
        });
        if has_ended {
            self.child = None;
        }
        !has_ended
    }

    /// The folder of the fleet.
    pub fn folder(&self) -> PathBuf {
        self.scratch.path().join("fleet")
    }

    /// The log of the server.
    pub fn log(&self) -> String {
        fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    fn log_path(&self) -> PathBuf {
        self.scratch.path().join("log")
    }

    /// The address of the server.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The port of the server.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The path of a machine's key.
    pub fn key_path(&self, name: &str) -> PathBuf {
        self.folder().join(format!("{name}.key"))
    }

    /// The key of a machine.
    pub fn key(&self, name: &str) -> MachineKey {
        MachineKey::read(&self.key_path(name)).unwrap()
    }

    fn signal(&self, name: &str) {
        signal(self.child.as_ref().expect("the server runs"), name);
    }

    /// Keeps the server from doing anything.
    pub fn stop(&self) {
        self.signal("-STOP");
    }

    /// Lets a stopped server go on.
    pub fn go_on(&self) {
        self.signal("-CONT");
    }

    /// Lets the server read its configuration again, and waits until it has.
    pub fn reload(&self) {
        let count = || self.log().matches("Reloaded server configuration").count();
        let before = count();
        self.signal("-HUP");
        wait_until("the server has reloaded", || count() > before);
    }

    /// Ends the server at once, as a loss of power does.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // One that has ended is as good.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Starts the server again, with what it has stored.
    pub fn restart(&mut self) {
        self.kill();
        assert!(self.spawn(), "the server does not start again: {}", self.log());
    }

    /// Starts the server again, with nothing stored.
    pub fn restart_empty(&mut self) {
        self.kill();
        remove_folder(&self.store());
        assert!(self.spawn(), "the server does not start again: {}", self.log());
    }

    /// Keeps what the server has stored now, as its files would be if the power were cut.
    pub fn keep_store(&self) {
        self.stop();
        remove_folder(&self.kept());
        copy_folder(&self.store(), &self.kept());
        self.go_on();
    }

    /// Starts the server again, with what was kept: all that it has stored since is lost.
    pub fn restart_rolled_back(&mut self) {
        self.kill();
        remove_folder(&self.store());
        copy_folder(&self.kept(), &self.store());
        assert!(self.spawn(), "the server does not start again: {}", self.log());
    }

    /// Starts the server again, with one bit of what it has stored flipped: that of the files' bytes,
    /// one after the other, to which this number comes. Where the damage keeps the server from
    /// starting, it starts with nothing stored, as someone who looks after it would have it do.
    pub fn restart_flipped(&mut self, number: u64) {
        self.kill();
        let files: Vec<(PathBuf, u64)> = files_in(&self.store());
        let mut at = number / 8 % files.iter().map(|(_, bytes)| bytes).sum::<u64>().max(1);
        for (path, bytes) in files {
            if at < bytes {
                let mut contents = fs::read(&path).unwrap();
                contents[at as usize] ^= 1 << (number % 8);
                fs::write(&path, contents).unwrap();
                break;
            }
            at -= bytes;
        }
        if !self.spawn() {
            self.restart_empty();
        }
    }

    fn store(&self) -> PathBuf {
        self.folder().join("jetstream")
    }

    fn kept(&self) -> PathBuf {
        self.scratch.path().join("kept")
    }
}

fn remove_folder(folder: &Path) {
    if folder.exists() {
        fs::remove_dir_all(folder).unwrap();
    }
}

/// The files in a folder and those below it, with their numbers of bytes, in an order.
fn files_in(folder: &Path) -> Vec<(PathBuf, u64)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let (path, metadata) = entry.and_then(|entry| Ok((entry.path(), entry.metadata()?))).unwrap();
        if metadata.is_dir() {
            files.extend(files_in(&path));
        } else {
            files.push((path, metadata.len()));
        }
    }
    files.sort();
    files
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for (path, _) in files_in(from) {
        let copy = to.join(path.strip_prefix(from).unwrap());
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(path, copy).unwrap();
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns `true` if a NATS server greets on this port.
fn greets(port: u16) -> bool {
    let Ok(stream) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else { return false };
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).is_ok() && line.starts_with("INFO ")
}

/// Runs a test's future on this thread.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}
