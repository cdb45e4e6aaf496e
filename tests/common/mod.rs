//! Runs the built program in a scratch folder.
#![allow(dead_code)]

pub mod files_server;
pub mod tools;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The path of the built program.
pub const DOUBLECROSS: &str = env!("CARGO_BIN_EXE_doublecross");

/// The program, to be run in `folder`.
pub fn program(folder: &Path) -> Command {
    let mut command = Command::new(DOUBLECROSS);
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs the program to its end.
pub fn run(folder: &Path, arguments: &[&str]) -> Output {
    program(folder).args(arguments).output().expect("the program starts")
}

/// Runs the program to its end and gives its stdout; fails the test when it failed.
pub fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("text on stdout")
}

/// Runs the program with this on its stdin and gives its stdout.
pub fn feed(folder: &Path, arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let mut command = program(folder);
    command.args(arguments);
    let output = feed_command(command, input);
    assert!(output.status.success());
    output.stdout
}

/// Runs a command with this on its stdin.
pub fn feed_command(mut command: Command, input: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // A program that ends before it has read everything is for the caller to judge.
    let writer = std::thread::spawn(move || stdin.write_all(&input).ok());
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic");
    output
}

/// Parses a text that is one JSON value on one line.
pub fn json(text: &str) -> Value {
    assert_eq!(text.lines().count(), 1, "one object: {text}");
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A file of this repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Trains configs/smoke.toml in `folder/run` with overrides.
pub fn train(folder: &Path, run: &str, overrides: &[&str]) -> Command {
    let mut command = program(folder);
    command.arg("train").arg(repository("configs/smoke.toml")).args(["--run", run]);
    for text in overrides {
        command.args(["--set", text]);
    }
    command
}

/// The records of a run's generations, of which there are none before the first has ended.
pub fn progress(run: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(run.join("progress.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Waits until something can be seen to have happened; fails the test when it takes longer than a minute or two.
pub fn wait_until(what: &str, mut has_happened: impl FnMut() -> bool) {
    let start = Instant::now();
    while !has_happened() {
        assert!(start.elapsed() < Duration::from_secs(100), "timed out waiting until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Sends a signal, such as `-INT`, to a process.
#[cfg(unix)]
pub fn signal(child: &Child, signal: &str) {
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill starts");
    assert!(status.success(), "the process has ended");
}

/// A process that is ended when the test is over, however it ends.
pub struct Running(pub Child);

impl Running {
    /// Waits for its end, with all that it still prints to piped stdout and stderr.
    pub fn output(mut self) -> Output {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        if let Some(mut pipe) = self.0.stdout.take() {
            pipe.read_to_end(&mut stdout).expect("a pipe");
        }
        if let Some(mut pipe) = self.0.stderr.take() {
            pipe.read_to_end(&mut stderr).expect("a pipe");
        }
        Output { status: self.0.wait().expect("it ends"), stdout, stderr }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
