//! Commands with what they print, compared with a file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use doublecross::net::Isa;
use doublecross::shell::shell_word;
use tempfile::TempDir;

use super::CONFIG;
use crate::common::{feed_command, program, repository};

/// Commands with what they print on stderr and their exit statuses.
pub struct Transcript {
    folder: TempDir,
    text: String,
}

impl Transcript {
    pub fn new() -> Transcript {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("small.toml"), CONFIG).unwrap();
        for name in ["checkpoints", "configs", "data", "tests"] {
            std::os::unix::fs::symlink(repository(name), folder.path().join(name)).unwrap();
        }
        Transcript { folder, text: String::new() }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        fs::write(self.path(name), contents).unwrap();
    }

    /// Adds a heading.
    pub fn about(&mut self, subject: &str) {
        self.text += &format!("## {subject}\n\n");
    }

    /// Adds text.
    pub fn add(&mut self, text: &str) {
        self.text += text;
    }

    /// The program with these arguments, the same on every machine.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program(self.folder());
        command.args(arguments).env("DOUBLECROSS_ISA", "portable").env("COLUMNS", "100");
        command
    }

    /// Runs a command with this on its stdin, which has to end with this status, and adds it with what it prints on
    /// stderr, and on stdout too if `has_stdout`.
    ///
    /// Bad usage and bad input (status 2) print nothing on stdout.
    fn add_command(&mut self, status: i32, arguments: &[&str], mut command: Command, input: &str, has_stdout: bool) {
        let output = if input.is_empty() { command.output().unwrap() } else { feed_command(command, input.as_bytes()) };
        let errors = String::from_utf8(output.stderr).expect("messages are UTF-8");
        let results = String::from_utf8(output.stdout).expect("results are UTF-8");
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {errors}");
        assert!(status != 2 || results.is_empty(), "{arguments:?}: {results}");
        let is_error = |line: &str| line.starts_with("doublecross: ");
        assert!(status == 0 || errors.lines().any(is_error), "{arguments:?}: {errors}");
        let words: Vec<String> = arguments.iter().map(shell_word).collect();
        self.text += &format!("$ doublecross {}\n", words.join(" "));
        let shown = if has_stdout { results + &errors } else { errors };
        self.text += &shown.replace(&self.folder().display().to_string(), "SCRATCH");
        self.text += &format!("status {status}\n\n");
    }

    /// Runs a command, and adds it.
    pub fn run(&mut self, status: i32, arguments: &[&str]) {
        self.add_command(status, arguments, self.command(arguments), "", false);
    }

    /// Runs a command whose results are messages too, and adds it with them.
    pub fn run_shown(&mut self, status: i32, arguments: &[&str]) {
        self.add_command(status, arguments, self.command(arguments), "", true);
    }

    /// Runs a command with this on its stdin, and adds it.
    pub fn feed(&mut self, status: i32, arguments: &[&str], input: &str) {
        self.add_command(status, arguments, self.command(arguments), input, false);
    }

    /// Runs commands that are used wrongly, or whose input is bad: one line on stderr.
    pub fn refused(&mut self, commands: &[&[&str]]) {
        for arguments in commands {
            let before = self.text.len();
            self.run(2, arguments);
            let printed = &self.text[before..];
            assert_eq!(printed.lines().count(), 4, "{printed}");
        }
    }

    /// Runs the commands that cannot be carried out.
    pub fn failed(&mut self, commands: &[(i32, &[&str])]) {
        commands.iter().for_each(|(status, arguments)| self.run(*status, arguments));
    }

    /// Compares everything with the file.
    pub fn compare(mut self, name: &str) {
        let of_processor = format!("(choose another one, such as {})", Isa::Int8.without_bytes().name());
        self.text = self.text.replace(&of_processor, "(choose another one, such as ISA)");
        let path = repository("tests/product").join(name);
        if std::env::var("DOUBLECROSS_BLESS").is_ok_and(|bless| bless == "1") {
            fs::write(path, self.text).unwrap();
            return;
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        let (mut found, mut kept) = (self.text.split("\n\n"), expected.split("\n\n"));
        loop {
            let (found, kept) = (found.next(), kept.next());
            assert_eq!(found, kept, "DOUBLECROSS_BLESS=1 cargo test --release --test product messages");
            if found.is_none() {
                break;
            }
        }
    }
}
