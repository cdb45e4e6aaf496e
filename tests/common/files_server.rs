//! A server of a folder's files.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use super::{Running, wait_until};

/// Serves a folder by Python's own server, and returns it with its address.
pub fn serve_folder(folder: &Path) -> (Running, String) {
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut server = Command::new("python3");
    server.args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory"]).arg(folder);
    server.stdout(File::create(log.path()).unwrap()).stderr(Stdio::null());
    let server = Running(server.spawn().expect("python3 starts"));
    let mut address = None;
    wait_until("the server listens", || {
        let text = fs::read_to_string(log.path()).unwrap();
        address = text.split('(').nth(1).and_then(|rest| rest.split(')').next()).map(str::to_string);
        address.is_some()
    });
    (server, address.expect("it listens"))
}
