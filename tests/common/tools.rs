//! Programs that some tests run. Without one of them a test skips itself with a line on stderr; with the environment variable
//! `DOUBLECROSS_REQUIRE_TOOLS` at 1 that is a failure.

use std::env;
use std::ffi::OsString;
use std::io::{Write, stderr};
use std::path::Path;
use std::process::Command;

/// Node 18 or later, which runs exported modules and the page's own tests.
pub fn has_node() -> bool {
    let version = stdout(Command::new("node").arg("--version"));
    let major = version.and_then(|text| text.trim_start_matches('v').split('.').next()?.parse::<u32>().ok());
    is_found("node 18 or later", major.is_some_and(|major| major >= 18))
}

/// Chromium, which shows the page: the program that `CHROMIUM` names, or `chromium`.
pub fn has_chromium() -> bool {
    let name = env::var_os("CHROMIUM").unwrap_or_else(|| "chromium".into());
    is_found("chromium", stdout(Command::new(name).arg("--version")).is_some())
}

/// Firefox, which shows the page: the program that `FIREFOX` names, or `firefox-esr`.
pub fn has_firefox() -> bool {
    let name = env::var_os("FIREFOX").unwrap_or_else(|| "firefox-esr".into());
    is_found("firefox-esr", stdout(Command::new(name).arg("--version")).is_some())
}

/// Python 3, which runs the reference programs.
pub fn has_python() -> bool {
    is_found("python3", stdout(Command::new("python3").arg("--version")).is_some())
}

/// mdBook, which makes the documents a web site: the program that `MDBOOK` names, or `mdbook`.
pub fn has_mdbook() -> bool {
    let name = env::var_os("MDBOOK").unwrap_or_else(|| "mdbook".into());
    is_found("mdbook", stdout(Command::new(name).arg("--version")).is_some())
}

/// The wasmtime package of Python 3, a second engine for exported modules.
pub fn has_wasmtime() -> bool {
    is_found("wasmtime for python3", stdout(Command::new("python3").args(["-c", "import wasmtime"])).is_some())
}

/// The onnx and onnxruntime packages of Python 3, which check and run exported models.
pub fn has_onnx() -> bool {
    let imported = stdout(Command::new("python3").args(["-c", "import onnx, onnxruntime"]));
    is_found("onnx and onnxruntime for python3", imported.is_some())
}

/// The NATS server that machines meet at: the program that `NATS_SERVER` names, or `nats-server`.
pub fn has_nats_server() -> bool {
    is_found("nats-server", stdout(Command::new(nats_server()).arg("--version")).is_some())
}

/// The program of the NATS server. Debian's is in a folder that not every user's PATH has.
pub fn nats_server() -> OsString {
    let is_file = |path: &&str| Path::new(path).is_file();
    let found = || if has_command("nats-server") { None } else { Some("/usr/sbin/nats-server").filter(is_file) };
    env::var_os("NATS_SERVER").unwrap_or_else(|| found().unwrap_or("nats-server").into())
}

/// strace, which records how files are written.
pub fn has_strace() -> bool {
    // Some containers have it and may not use it.
    let traces =
        || Command::new("strace").args(["-f", "-o", "/dev/null", "true"]).status().is_ok_and(|status| status.success());
    is_found("strace", cfg!(target_os = "linux") && traces())
}

fn has_command(name: &str) -> bool {
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders).any(|folder| folder.join(name).is_file())
}

/// The output of a command that succeeds.
fn stdout(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}

fn is_found(name: &str, is_found: bool) -> bool {
    if !is_found {
        let is_required = env::var("DOUBLECROSS_REQUIRE_TOOLS").is_ok_and(|value| value == "1");
        assert!(!is_required, "{name} not found, and DOUBLECROSS_REQUIRE_TOOLS is 1");
        // Not by `eprintln!`, whose output is not shown for a test that passes.
        let thread = std::thread::current();
        let test = thread.name().unwrap_or("a test");
        writeln!(stderr(), "skipped: {name} not found ({test})").expect("stderr");
    }
    is_found
}
