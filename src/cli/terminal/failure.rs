//! Failures of commands: exit statuses and error messages.

use std::io::ErrorKind;
use std::process::ExitCode;

use clap::builder::Styles;

use crate::cli::ISA_VARIABLE;
use crate::cli::terminal::interrupt::is_interrupted;
use crate::cli::terminal::stderr::print_after;
use doublecross_arena::SpecError;
use doublecross_core::net::CanaryError;
use doublecross_core::shell::shell_word;
use doublecross_core::submission::SubmissionError;

/// The exit status of a command that a signal has ended.
pub(crate) const INTERRUPTED: u8 = 130;

/// An error that ends a command. docs/command-line.md lists the exit statuses.
pub(crate) enum Failure {
    /// Wrong usage or bad input: exit status 2.
    Input(anyhow::Error),
    /// An error while running: exit status 1.
    Running(anyhow::Error),
    /// The input was read to its end, but something in it is wrong, as damaged lines of a log, a bot that
    /// failed in its games, or lines of stdin that are no positions: exit status 3.
    ///
    /// It is returned after the results of the rest are printed.
    Damaged(anyhow::Error),
    /// A bot acted on none of its own turns: exit status 4.
    Faults(anyhow::Error),
    /// A proof was checked, but what it claims follows from claims that were not solved: exit status 5.
    ///
    /// It is returned after the results are printed.
    Assumed(anyhow::Error),
    /// Ctrl-C or another signal has ended the command, after what was done so far is printed: exit
    /// status 130.
    Interrupted,
}

impl Failure {
    pub fn input(error: impl Into<anyhow::Error>) -> Failure {
        Failure::Input(error.into())
    }

    pub fn running(error: impl Into<anyhow::Error>) -> Failure {
        Failure::Running(error.into())
    }

    pub fn damaged(error: impl Into<anyhow::Error>) -> Failure {
        Failure::Damaged(error.into())
    }

    /// The message, in one line unless it has a list.
    pub fn message(&self) -> String {
        match self {
            Failure::Input(error)
            | Failure::Running(error)
            | Failure::Damaged(error)
            | Failure::Faults(error)
            | Failure::Assumed(error) => format!("{error:#}{}", isa_hint(error).unwrap_or_default()),
            Failure::Interrupted => "interrupted".into(),
        }
    }

    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            Failure::Running(_) => 1,
            Failure::Input(_) => 2,
            Failure::Damaged(_) => 3,
            Failure::Faults(_) => 4,
            Failure::Assumed(_) => 5,
            Failure::Interrupted => INTERRUPTED,
        }
    }
}

/// Returns a hint that is added to an error if another instruction set would avoid it.
fn isa_hint(error: &anyhow::Error) -> Option<String> {
    let canary = match error.downcast_ref() {
        Some(SpecError::Canary { error, .. }) => Some(error),
        _ => match error.downcast_ref() {
            Some(SubmissionError::Canary(error)) => Some(error),
            _ => error.downcast_ref(),
        },
    };
    match canary? {
        CanaryError::Rounds { .. } => Some(format!(": set {ISA_VARIABLE}=NAME, or isa=NAME in the bot's name")),
        CanaryError::Differs { .. } => None,
    }
}

/// Returns a function that turns an error in writing this file or folder into a failure.
pub(crate) fn cannot_write(path: &std::path::Path) -> impl Fn(std::io::Error) -> Failure + '_ {
    move |error| {
        let is_refused = error.kind() == ErrorKind::InvalidInput;
        let reason = match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            Some(folder) if folder.is_file() => format!("{} is a file, not a folder", shell_word(folder)),
            Some(folder) if !folder.exists() => format!("the folder {} does not exist", shell_word(folder)),
            _ => error.to_string(),
        };
        let error = anyhow::anyhow!("cannot write {}: {reason}", shell_word(path));
        if is_refused { Failure::input(error) } else { Failure::running(error) }
    }
}

/// Prints the message of a failure, and returns the exit status.
pub(crate) fn exit_code(result: Result<(), Failure>) -> ExitCode {
    let Err(failure) = result else { return ExitCode::SUCCESS };
    // What fails after a signal, such as the wait for a reader, is due to it.
    let is_due = matches!(failure, Failure::Running(_) | Failure::Input(_)) && is_interrupted();
    let status = if is_due { INTERRUPTED } else { failure.status() };
    let styles = Styles::styled();
    let style = styles.get_error();
    print_after(&format!("{style}doublecross:{style:#} "), &failure.message());
    ExitCode::from(status)
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_core::net::Isa;

    #[test]
    fn each_kind_has_its_status() {
        let error = || anyhow::anyhow!("a reason");
        let bad = [Failure::running(error()), Failure::input(error()), Failure::damaged(error())];
        assert_eq!(bad.map(|failure| failure.status()), [1, 2, 3]);
        let others = [Failure::Faults(error()), Failure::Assumed(error()), Failure::Interrupted];
        assert_eq!(others.map(|failure| failure.status()), [4, 5, 130]);
    }

    #[test]
    fn errors_of_rounding_hint_at_the_instruction_set() {
        let rounds = || CanaryError::Rounds { isa: Isa::Int8, percent: "50.00 %".into() };
        let differs =
            CanaryError::Differs { position: "2x2:0x0".into(), isa: Isa::Portable, percent: "50.00 %".into() };
        for (failure, is_hinted) in [
            (Failure::input(rounds()), true),
            (Failure::input(SpecError::Canary { text: "net".into(), error: rounds() }), true),
            (Failure::running(SubmissionError::Canary(rounds())), true),
            (Failure::input(differs), false),
            (Failure::input(anyhow::anyhow!("something else")), false),
        ] {
            let message = failure.message();
            assert_eq!(message.contains("DOUBLECROSS_ISA=NAME"), is_hinted, "{message}");
        }
    }
}
