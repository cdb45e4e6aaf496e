//! The help of all commands.

use super::transcript::Transcript;
use crate::common::program;

/// The names of the commands that a help lists.
fn commands(help: &str) -> Vec<String> {
    let list = help.split("\nCommands:\n").nth(1).unwrap_or_default();
    let names = list
        .lines()
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(String::from).collect()
}

/// Adds the help of a command and of those within it.
fn add(transcript: &mut Transcript, words: &[String]) {
    let mut command = program(transcript.folder());
    command.args(words).arg("--help").env("COLUMNS", "100");
    let output = command.output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{words:?}");
    let help = String::from_utf8(output.stdout).unwrap();
    let words_before: String = words.iter().map(|word| format!("{word} ")).collect();
    transcript.add(&format!("$ doublecross {words_before}--help\n{help}\n"));
    for name in commands(&help) {
        add(transcript, &[words, &[name]].concat());
    }
}

#[test]
fn messages_of_help_are_those_of_the_file() {
    let mut transcript = Transcript::new();
    add(&mut transcript, &[]);
    transcript.compare("help.txt");
}
