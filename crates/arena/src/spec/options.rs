//! The options of searching bots: one table for the grammar, the help and the errors.

use std::time::Duration;

use crate::SpecError;
use crate::internal::SearchOptions;
use crate::spelling::nearest;
use doublecross_core::net::Isa;
use doublecross_core::search::{Budget, MOST_SIMULATIONS};

/// An option of a searching bot, as in `sims=400`.
pub struct BotOption {
    /// The name.
    pub name: &'static str,
    /// The placeholder of the value in help texts.
    pub value: &'static str,
    /// `true` if only bots with a network have the option.
    pub needs_network: bool,
    /// The meaning and the default, as a phrase.
    pub help: &'static str,
}

const fn option(name: &'static str, value: &'static str, help: &'static str) -> BotOption {
    BotOption { name, value, needs_network: false, help }
}

/// Every option.
pub static BOT_OPTIONS: [BotOption; 10] = [
    BotOption {
        needs_network: true,
        ..option("sims", "N", "simulations for a move (default 200; for mcts and uniform, the SIMS in the name)")
    },
    option("seconds", "S", "time for a move in seconds, in place of the simulations and the solver's budget"),
    option(
        "nodes",
        "N",
        "the exact solver's budget for the position on the board, in nodes (default 200000 for net; 0 for mcts and \
         uniform, which leaves the solver out)",
    ),
    option(
        "leaf",
        "N",
        "the solver's budget for each visit of a position in the search tree, in nodes (default a hundredth of nodes, \
         at most 256)",
    ),
    option("undrawn", "N", "give the solver only positions of the tree with at most N undrawn edges"),
    option("safe", "N", "give the solver only positions of the tree with at most N safe edges, which give no box away"),
    option(
        "margin",
        "PERCENT",
        "the weight of the margin in boxes in what is maximized, beside winning: 0 plays to win, 100 for boxes \
         (default 50)",
    ),
    option(
        "diversity",
        "PERCENT",
        "vary the games: choose by the match's nonce among moves that are at most PERCENT below the best (default off)",
    ),
    option("book", "0|1", "0 leaves out the built-in book of proved positions, which the solver relies on (default 1)"),
    BotOption {
        needs_network: true,
        ..option(
            "isa",
            "NAME",
            "the instruction set that the network runs on, as in avx2 (default the fastest, or the environment variable \
             DOUBLECROSS_ISA)",
        )
    },
];

impl BotOption {
    /// Returns `true` if a bot with or without a network has the option.
    fn is_for(&self, has_network: bool) -> bool {
        has_network || !self.needs_network
    }

    /// Returns the option with this name.
    fn named(name: &str, has_network: bool) -> Option<&'static BotOption> {
        let mut options = BOT_OPTIONS.iter().filter(|option| option.is_for(has_network));
        options.find(|option| option.name == name)
    }
}

/// The names of the options.
fn names(has_network: bool) -> impl Iterator<Item = &'static str> {
    BOT_OPTIONS.iter().filter(move |option| option.is_for(has_network)).map(|option| option.name)
}

/// Returns the option that an unknown name probably means, or all of them, for errors.
fn hint(unknown: &str, has_network: bool) -> String {
    if let Some(meant) = nearest(unknown, names(has_network)) {
        return format!("did you mean {meant}?");
    }
    let names: Vec<&str> = names(has_network).collect();
    let (last, first) = names.split_last().expect("there are options");
    format!("options are {} and {last}, each as NAME=VALUE", first.join(", "))
}

/// Splits what follows `net:` into the path of the checkpoint and the options.
///
/// A comma begins the options where nothing but options follows, so that a path may have commas too.
pub(super) fn split_checkpoint(rest: &str) -> (&str, &str) {
    let is_option = |part: &str| {
        let name = part.split('=').next().unwrap_or_default();
        part.is_empty() || nearest(name, names(true)).is_some()
    };
    let are_options = |at: &usize| rest[at + 1..].split(',').all(is_option);
    let comma = rest.match_indices(',').map(|(at, _)| at).find(are_options);
    comma.map_or((rest, ""), |at| (&rest[..at], &rest[at + 1..]))
}

/// Returns the options of a search with this budget.
pub(super) fn search_options(simulations: usize, nodes: u64) -> SearchOptions {
    SearchOptions { budget: Budget::new(simulations, nodes), time: None, diversity: None, book: true, isa: None }
}

/// An option and its value in a bot's name.
struct GivenOption<'a> {
    /// The bot's name.
    text: &'a str,
    /// The option as it is written, as in `sims=400`.
    option: &'a str,
    name: &'static str,
    value: &'a str,
}

impl<'a> GivenOption<'a> {
    fn new(text: &'a str, option: &'a str, has_network: bool) -> Result<GivenOption<'a>, SpecError> {
        let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        match (BotOption::named(name, has_network), value) {
            (Some(known), Some(value)) => Ok(GivenOption { text, option, name: known.name, value }),
            (Some(known), None) => {
                let example = format!("{name}={}", known.value);
                Err(SpecError::Missing { text: text.into(), what: format!("value of {name}"), example })
            }
            (None, _) => {
                Err(SpecError::Option { text: text.into(), option: name.into(), hint: hint(name, has_network) })
            }
        }
    }

    /// The setting that the option changes. Simulations and time share one, since a move is limited
    /// by only one of them.
    fn subject(&self) -> &'static str {
        if self.name == "seconds" { "sims" } else { self.name }
    }

    fn integer(&self, most: u64) -> Result<u64, SpecError> {
        integer(self.text, self.name, self.value, most)
    }

    fn apply(&self, search: &mut SearchOptions) -> Result<(), SpecError> {
        let text = || self.text.to_string();
        let settings = &mut search.budget.settings;
        match self.name {
            "sims" => settings.simulations = self.integer(MOST_SIMULATIONS as u64)? as usize,
            "nodes" => search.budget = search.budget.clone().with_nodes(self.integer(u64::MAX)?),
            "margin" => settings.margin_weight = self.integer(100)? as f32 / 100.0,
            "diversity" => search.diversity = Some(self.integer(100)? as f32 / 100.0),
            "book" => search.book = self.integer(1)? == 1,
            "leaf" => settings.solver_nodes = self.integer(u64::MAX)?,
            "safe" => settings.solver_safe = self.integer(usize::MAX as u64)? as usize,
            "undrawn" => settings.solver_undrawn = self.integer(usize::MAX as u64)? as usize,
            "isa" => {
                let isa = Isa::named(self.value, &Isa::available());
                search.isa = Some(isa.map_err(|error| SpecError::Isa { text: text(), error })?);
            }
            "seconds" => {
                let time = self.value.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                // A much longer time would end after every `Instant` that can be represented.
                let time = time.filter(|&time| time <= LONGEST);
                search.time = Some(time.ok_or_else(|| SpecError::Value {
                    text: text(),
                    what: self.name.into(),
                    expected: format!("a number of seconds from 0 to {}", LONGEST.as_secs()),
                })?);
            }
            other => unreachable!("the option {other} has no meaning"),
        }
        Ok(())
    }
}

/// The longest time for a move.
const LONGEST: Duration = Duration::from_secs(1_000_000_000);

/// Applies the options of a bot's name, which may stand in any order.
///
/// # Errors
/// Returns an error if an option is unknown, has an invalid value, or contradicts another one.
pub(super) fn apply_options(
    text: &str,
    search: &mut SearchOptions,
    options: &str,
    has_network: bool,
) -> Result<(), SpecError> {
    let options = options.split(',').filter(|option| !option.is_empty());
    let given = options.map(|option| GivenOption::new(text, option, has_network));
    let mut given = given.collect::<Result<Vec<GivenOption>, SpecError>>()?;
    // `nodes` comes first, since it also sets the default of `leaf`.
    given.sort_by_key(|given| given.subject() != "nodes");
    for (index, one) in given.iter().enumerate() {
        if let Some(other) = given[..index].iter().find(|other| other.subject() == one.subject()) {
            let (option, other) = (one.option.to_string(), other.option.to_string());
            return Err(SpecError::Clash { text: text.into(), option, other });
        }
        one.apply(search)?;
    }
    Ok(())
}

/// Parses an integer from 0 to `most`.
///
/// # Errors
/// Returns an error that names the bot `text` and `what` the number is if `value` is not such a number.
pub(super) fn integer(text: &str, what: &str, value: &str, most: u64) -> Result<u64, SpecError> {
    let number = value.parse().ok().filter(|&number: &u64| number <= most);
    let expected = || match most {
        1 => "0 or 1".into(),
        u64::MAX => "a whole number".into(),
        most => format!("a whole number up to {most}"),
    };
    number.ok_or_else(|| SpecError::Value { text: text.into(), what: what.into(), expected: expected() })
}
