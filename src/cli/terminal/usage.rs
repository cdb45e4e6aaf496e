//! Messages about a wrong command line.

use std::net::AddrParseError;
use std::num::{IntErrorKind, ParseIntError};

use crate::cli::parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use doublecross_core::shell::shell_word;
use doublecross_run::config::Config;

/// Returns the message about a wrong command line, in one line: what is wrong, and how to mend it.
pub(crate) fn usage_message(error: &clap::Error) -> String {
    let part = |kind| error.get(kind).map(texts).unwrap_or_default();
    let first = |kind| part(kind).into_iter().next();
    let (named, value) = (first(ContextKind::InvalidArg), first(ContextKind::InvalidValue));
    let help = help_command(error);
    match (error.kind(), named) {
        (ErrorKind::InvalidSubcommand, _) => {
            let name = shell_word(first(ContextKind::InvalidSubcommand).unwrap_or_default());
            // The most similar one is the last.
            match part(ContextKind::SuggestedSubcommand).last() {
                Some(meant) => format!("unknown command {name} (did you mean {meant}?)"),
                None => format!("unknown command {name} ({help} lists the commands)"),
            }
        }
        (ErrorKind::UnknownArgument, Some(named)) => {
            let name = shell_word(&named);
            match first(ContextKind::SuggestedArg) {
                _ if let Some(key) = key_of(&named).filter(|_| takes_keys(&help)) => {
                    format!("unknown option {name} (a key of the config: --set {key}=VALUE)")
                }
                Some(meant) => format!("unknown option {name} (did you mean {meant}?)"),
                None if named.starts_with('-') => format!("unknown option {name} ({help} lists the options)"),
                None => format!("{name} is one argument too many ({help} shows those that there are)"),
            }
        }
        (ErrorKind::InvalidValue, Some(named)) if value.as_ref().is_none_or(String::is_empty) => {
            let values = part(ContextKind::ValidValue);
            let values = if values.is_empty() { String::new() } else { format!(": {}", listed(&values, "or")) };
            format!("{} lacks its value{values} (as in {named})", option(&named).unwrap_or(&named))
        }
        (ErrorKind::InvalidValue, Some(named)) => {
            let values = listed(&part(ContextKind::ValidValue), "and");
            let meant = first(ContextKind::SuggestedValue);
            let meant = meant.map_or(String::new(), |meant| format!(" (did you mean {meant}?)"));
            format!("{}: possible values are {values}{meant}", given(&named, &value.unwrap_or_default()))
        }
        (ErrorKind::ValueValidation, Some(named)) => {
            let (value, reason) = (value.unwrap_or_default(), reason(error));
            // Many errors name the value that cannot be read.
            match option(&named) {
                _ if !names(&reason, &value) => format!("{}: {reason}", given(&named, &value)),
                Some(option) => format!("{option}: {reason}"),
                None => reason,
            }
        }
        (ErrorKind::MissingRequiredArgument, Some(_)) => {
            let missing = part(ContextKind::InvalidArg);
            let verb = if missing.len() == 1 { "is" } else { "are" };
            format!("{} {verb} missing ({help} shows how)", listed(&missing, "and"))
        }
        (ErrorKind::TooFewValues, Some(named)) => {
            let [most, given] = [ContextKind::MinValues, ContextKind::ActualNumValues].map(first);
            let [most, given] = [most, given].map(|number| number.unwrap_or_default());
            format!("{named}: at least {most} are needed, and {given} is given ({help} shows how)")
        }
        (ErrorKind::ArgumentConflict, Some(named)) => match &part(ContextKind::PriorArg)[..] {
            [] => fallback(error),
            [prior] if *prior == named => format!("{named} is given twice (leave out one)"),
            prior => format!("{named} cannot be combined with {} (leave out one)", listed(prior, "and")),
        },
        (ErrorKind::MissingSubcommand, _) => format!("a command is missing ({help} lists them)"),
        _ => fallback(error),
    }
}

/// The key of a config that an option has the name of, in whole or in its last part.
fn key_of(option: &str) -> Option<&'static str> {
    let name = option.strip_prefix("--")?.split('=').next()?.replace('-', "_");
    let mut keys = Config::keys().map(|key| key.path).filter(|path| path.rsplit('.').next() == Some(&name[..]));
    let key = keys.next()?;
    // Several tables have keys of some names.
    keys.next().is_none().then_some(key)
}

/// Returns `true` if the command of this `--help` takes keys of a config.
fn takes_keys(help: &str) -> bool {
    let whole = parser();
    let mut names = help.split(' ').skip(1).take_while(|word| !word.starts_with('-'));
    let command = names.try_fold(&whole, |command, name| command.find_subcommand(name));
    command.is_some_and(|command| command.get_arguments().any(|argument| argument.get_id() == "set"))
}

/// The command whose `--help` describes what was wrong.
fn help_command(error: &clap::Error) -> String {
    let usage = error.get(ContextKind::Usage).map(ContextValue::to_string).unwrap_or_default();
    let words = usage.split_whitespace().skip_while(|word| *word != "doublecross");
    let names: Vec<&str> = words.take_while(|word| !word.starts_with(['[', '<', '-'])).collect();
    format!("{} --help", if names.is_empty() { "doublecross".into() } else { names.join(" ") })
}

/// The texts of a part of an error.
fn texts(value: &ContextValue) -> Vec<String> {
    match value {
        ContextValue::Strings(texts) => texts.clone(),
        ContextValue::None => Vec::new(),
        other => vec![other.to_string()],
    }
}

/// The option of an argument, as `--games` of `--games <N>`, unless it is one without.
fn option(named: &str) -> Option<&str> {
    named.split(' ').next().filter(|name| name.starts_with('-'))
}

/// Returns an argument as it was given, with its value.
fn given(named: &str, value: &str) -> String {
    option(named).map_or(shell_word(value), |option| format!("{option} {}", shell_word(value)))
}

/// Returns the reason why a value cannot be read.
fn reason(error: &clap::Error) -> String {
    let Some(source) = std::error::Error::source(error) else { return fallback(error) };
    match source.downcast_ref::<ParseIntError>().map(ParseIntError::kind) {
        Some(IntErrorKind::PosOverflow) => return "it is too large".into(),
        Some(_) => return "it must be a whole number of 0 or more".into(),
        None if source.is::<AddrParseError>() => return "it is not an IP address (as in 127.0.0.1 or ::1)".into(),
        None => {}
    }
    let text = source.to_string();
    within(&text).unwrap_or(text)
}

/// Returns `true` if a reason has a value in it.
fn names(reason: &str, value: &str) -> bool {
    let value = shell_word(value);
    if value.contains(char::is_whitespace) {
        return reason.contains(&value);
    }
    reason.split_whitespace().any(|word| word == value || word.strip_suffix([':', ',', ')']) == Some(&value))
}

/// Returns the limits in a message of clap about a number, as in "11 is not in 1..=10".
fn within(text: &str) -> Option<String> {
    let (_, limits) = text.split_once(" is not in ")?;
    let (low, high) = limits.split_once("..")?;
    Some(match high.strip_prefix('=') {
        Some(high) => format!("it must be {low} to {high}"),
        // Above all numbers of the type.
        None => format!("it must be {low} or more"),
    })
}

/// Joins words.
fn listed(words: &[String], before_last: &str) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {before_last} {last}", first.join(", ")),
    }
}

/// Returns clap's own message, in one line and without its usage.
fn fallback(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let lines =
        text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("; ").trim_start_matches("error: ").replace(":; ", ": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(arguments: &[&str]) -> String {
        let words = ["doublecross"].iter().chain(arguments);
        usage_message(&parser().try_get_matches_from(words).expect_err("a wrong command line"))
    }

    #[cfg(feature = "train")]
    #[test]
    fn an_option_with_the_name_of_a_key_leads_to_it() {
        for (arguments, expected) in [
            (
                &["train", "3x3", "--generations", "5"][..],
                "unknown option --generations (a key of the config: --set generations=VALUE)",
            ),
            (
                &["bench", "--learning-rate=1"],
                "unknown option --learning-rate (a key of the config: --set learn.learning_rate=VALUE)",
            ),
            // A key of several tables, and a command without keys.
            (
                &["train", "3x3", "--positions", "5"],
                "unknown option --positions (doublecross train --help lists the options)",
            ),
            (&["solve", "2x2", "--batch", "5"], "unknown option --batch (doublecross solve --help lists the options)"),
        ] {
            assert_eq!(message(arguments), expected);
        }
    }

    #[test]
    fn a_message_names_what_was_typed_and_how_to_mend_it() {
        for (arguments, expected) in [
            (&["sovle"][..], "unknown command sovle (did you mean solve?)"),
            (&["-q"], "a command is missing (doublecross --help lists them)"),
            (&["solve"], "<POSITION>... is missing (doublecross solve --help shows how)"),
            (&["solve", "2x2", "--move"], "unknown option --move (did you mean --moves?)"),
            (&["solve", "2x2", "-q", "-v"], "--quiet cannot be combined with --verbose (leave out one)"),
            (&["solve", "2x2", "--nodes"], "--nodes lacks its value (as in --nodes <N>)"),
            (&["solve", "2x2", "--nodes", "a b"], "--nodes 'a b': it must be a whole number of 0 or more"),
            (&["man", "x y"], "'x y' is one argument too many (doublecross man --help shows those that there are)"),
            (&["puzzles", "--level", "11"], "--level 11: it must be 1 to 10"),
            (&["solve", "2x2", "--table", "0"], "--table 0: it must be 4K to 1024G bytes"),
            (&["solve", "2x2", "--log", "x", "--log-from", "0"], "--log-from 0: it must be 1 or more"),
            (&["eval", "x", "--against", "gredy"], "--against: unknown bot gredy (did you mean greedy?)"),
            (&["bot", "gredy"], "unknown bot gredy (did you mean greedy?)"),
            (&["bot", "net:"], "bot 'net:': its checkpoint is missing (as in net:checkpoints/5x5)"),
        ] {
            assert_eq!(message(arguments), expected);
        }
    }
}
