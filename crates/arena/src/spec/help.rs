//! The forms of bot names and their options as text, for `--help` and for errors.

use std::fmt::Write;

use super::options::{BOT_OPTIONS, BotOption};
use crate::spelling::nearest;
use doublecross_core::shell::shell_word;

/// A form of a bot's name.
pub struct BotForm {
    /// The form, as in `solver[:NODES]`.
    pub form: &'static str,
    /// The bot's way to play, as a phrase.
    pub help: &'static str,
}

const fn form(form: &'static str, help: &'static str) -> BotForm {
    BotForm { form, help }
}

/// The forms of all bot names.
pub static BOT_FORMS: [BotForm; 10] = [
    form("random", "draws any undrawn edge"),
    form("first", "draws the first undrawn edge"),
    form("greedy", "takes every box that it can, and gives none away while it can avoid it"),
    form("chains", "as greedy, but leaves boxes behind where counting chains says so"),
    form("level:N", "plays as a person of level N, from 1, a first-timer, to 10, a master"),
    form("solver[:NODES]", "plays exactly where NODES (200000 by default) suffice, else as chains"),
    form("mcts:SIMS", "tree search that judges positions by quick games"),
    form("uniform:SIMS", "tree search without any knowledge of positions"),
    form("net[:CHECKPOINT]", "tree search with a neural network, by default a pretrained one"),
    form("exec:COMMAND", "a program of your own that reads observations and writes actions"),
];

/// Columns of the help text.
const WIDTH: usize = 80;

/// Columns before the descriptions of the help text.
const INDENT: usize = 22;

/// Returns the bot that an unknown name probably means, or the forms of all names, as the end of an error.
pub fn meant_bot(text: &str) -> String {
    let (name, rest) = text.split_at(text.find([':', ',']).unwrap_or(text.len()));
    let name_of = |form: &BotForm| form.form.split([':', '[']).next().unwrap_or_default();
    if let Some(BotForm { form, .. }) = BOT_FORMS.iter().find(|form| name_of(form) == name) {
        return match name {
            _ if *form == name => format!(": {name} takes no number and no option"),
            "mcts" | "uniform" | "net" => format!(": it is written {form}[,OPTION=VALUE...]"),
            _ => format!(": it is written {form}, without an option"),
        };
    }
    match nearest(name, BOT_FORMS.iter().map(name_of)) {
        Some(meant) => format!(" (did you mean {}?)", shell_word(format!("{meant}{rest}"))),
        None => {
            let forms: Vec<&str> = BOT_FORMS.iter().map(|form| form.form).collect();
            let (last, first) = forms.split_last().expect("there are forms");
            format!(": bots are {} and {last} (doublecross bot --help describes them)", first.join(", "))
        }
    }
}

/// Returns the forms of bot names and the options as a list with descriptions, for `--help`.
pub fn bot_help() -> String {
    let mut text = String::from("Bots:\n");
    BOT_FORMS.iter().for_each(|form| describe(&mut text, form.form, form.help));
    text += "\nOptions of mcts, uniform and net, as in net,seconds=0.9 or mcts:1000,leaf=9:\n";
    options(false).for_each(|option| describe(&mut text, &spelling(option), option.help));
    text += "\nOptions of net, as in net:checkpoints/5x5,sims=400:\n";
    options(true).for_each(|option| describe(&mut text, &spelling(option), option.help));
    text
}

/// The options that need a network, or those that do not.
fn options(needs_network: bool) -> impl Iterator<Item = &'static BotOption> {
    BOT_OPTIONS.iter().filter(move |option| option.needs_network == needs_network)
}

fn spelling(option: &BotOption) -> String {
    format!("{}={}", option.name, option.value)
}

/// Appends a name with its description, which is wrapped.
fn describe(text: &mut String, name: &str, description: &str) {
    let mut line = format!("  {name:<width$}", width = INDENT - 2);
    for word in description.split(' ') {
        if line.len() + word.len() > WIDTH {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}", line.trim_end());
            line = " ".repeat(INDENT);
        }
        line += word;
        line += " ";
    }
    let _ = writeln!(text, "{}", line.trim_end());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BotSpec, SpecError};
    use doublecross_core::bots::RuleBot;

    #[test]
    fn every_bot_has_a_form() {
        let rules: Vec<&str> = RuleBot::ALL.iter().map(|(name, _)| *name).collect();
        let forms: Vec<&str> = BOT_FORMS.iter().map(|form| form.form).collect();
        assert_eq!(rules, forms[..rules.len()]);
        for form in forms {
            let name =
                form.replace("[:NODES]", "").replace("SIMS", "9").replace(":N", ":3").replace("[:CHECKPOINT]", "");
            assert!(!matches!(name.parse::<BotSpec>(), Err(SpecError::Unknown { .. })), "{form}");
        }
    }

    #[test]
    fn unknown_bots_are_told_which_was_meant() {
        for (text, meant) in [
            ("gredy", " (did you mean greedy?)"),
            ("levle:3", " (did you mean level:3?)"),
            ("nets,sims=4", " (did you mean net,sims=4?)"),
            ("random:3", ": random takes no number and no option"),
            ("mcts,sims=100", ": it is written mcts:SIMS[,OPTION=VALUE...]"),
            ("net:,sims=3", ": it is written net[:CHECKPOINT][,OPTION=VALUE...]"),
            ("solver,nodes=5", ": it is written solver[:NODES], without an option"),
            ("level:3,nodes=5", ": it is written level:N, without an option"),
        ] {
            assert_eq!(meant_bot(text), meant);
        }
        assert!(BOT_FORMS.iter().all(|form| meant_bot("nonsense").contains(form.form)));
    }

    #[test]
    fn the_help_describes_every_option_in_lines_of_its_width() {
        let help = bot_help();
        assert!(help.lines().all(|line| line.len() <= WIDTH), "{help}");
        for option in &BOT_OPTIONS {
            assert!(help.contains(&format!("\n  {} ", spelling(option))), "{}", option.name);
        }
    }
}
