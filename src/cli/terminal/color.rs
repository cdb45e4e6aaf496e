//! Colours of messages on stderr.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use clap::ColorChoice;

static IS_COLORED: AtomicBool = AtomicBool::new(false);

/// Decides whether messages are coloured from now on.
pub(crate) fn set_color(choice: ColorChoice) {
    IS_COLORED.store(is_colored(choice, |name| env::var_os(name), stderr().is_terminal()), Relaxed);
}

/// Returns `true` if a stream is coloured, by the conventions of NO_COLOR and CLICOLOR_FORCE.
fn is_colored(choice: ColorChoice, variable: impl Fn(&str) -> Option<OsString>, is_terminal: bool) -> bool {
    let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
    let is = |name, expected: &str| variable(name).is_some_and(|value| value == OsStr::new(expected));
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if is_set("NO_COLOR") => false,
        ColorChoice::Auto if is_set("CLICOLOR_FORCE") && !is("CLICOLOR_FORCE", "0") => true,
        ColorChoice::Auto => is_terminal && !is("CLICOLOR", "0") && !is("TERM", "dumb"),
    }
}

/// Returns the choice of `--color` among arguments that clap has not parsed yet, for help and errors
/// of usage.
pub(crate) fn choice_among(arguments: impl Iterator<Item = OsString>) -> ColorChoice {
    let words: Vec<String> = arguments.map(|word| word.to_string_lossy().into_owned()).collect();
    let following = words.iter().zip(words.iter().skip(1)).filter(|(word, _)| *word == "--color");
    let joined = words.iter().filter_map(|word| word.strip_prefix("--color="));
    let choice = following.map(|(_, value)| value.as_str()).chain(joined).last();
    choice.and_then(|choice| choice.parse().ok()).unwrap_or(ColorChoice::Auto)
}

/// Returns the text in bold.
#[cfg(feature = "train")]
pub(crate) fn bold(text: &str) -> String {
    painted(text, "1")
}

/// Returns the text in the colour of errors.
pub(crate) fn red(text: &str) -> String {
    painted(text, "1;31")
}

/// Returns the template of a bar in its colour.
pub(crate) fn bar() -> &'static str {
    if IS_COLORED.load(Relaxed) { "{wide_bar:.cyan}" } else { "{wide_bar}" }
}

fn painted(text: &str, code: &str) -> String {
    if IS_COLORED.load(Relaxed) { format!("\x1b[{code}m{text}\x1b[0m") } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_decides_where_nothing_is_chosen() {
        let auto = |variables: &'static [(&str, &str)], is_terminal| {
            let variable =
                |name: &str| variables.iter().find(|(found, _)| *found == name).map(|(_, value)| value.into());
            [ColorChoice::Auto, ColorChoice::Always, ColorChoice::Never]
                .map(|choice| is_colored(choice, variable, is_terminal))
        };
        for (variables, is_terminal, expected) in [
            (&[][..], true, true),
            (&[], false, false),
            (&[("NO_COLOR", "1")], true, false),
            (&[("NO_COLOR", "")], true, true),
            (&[("CLICOLOR_FORCE", "1")], false, true),
            (&[("CLICOLOR_FORCE", "0")], false, false),
            (&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], true, false),
            (&[("CLICOLOR", "0")], true, false),
            (&[("TERM", "dumb")], true, false),
        ] {
            assert_eq!(auto(variables, is_terminal), [expected, true, false], "{variables:?}");
        }
    }

    #[test]
    fn the_last_choice_among_the_arguments_counts() {
        for (arguments, expected) in [
            (&["train", "--help"][..], ColorChoice::Auto),
            (&["--color", "never", "--help"], ColorChoice::Never),
            (&["--color=always", "--help"], ColorChoice::Always),
            (&["--color", "always", "--color=never"], ColorChoice::Never),
            (&["--color", "blue"], ColorChoice::Auto),
            (&["--color"], ColorChoice::Auto),
        ] {
            assert_eq!(choice_among(arguments.iter().map(OsString::from)), expected, "{arguments:?}");
        }
    }
}
