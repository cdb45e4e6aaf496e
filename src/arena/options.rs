//! The options of searching bots: one table for the grammar, its help and its errors.

use std::time::Duration;

use super::SpecError;
use super::bots::SearchOptions;
use crate::net::Isa;
use crate::search::{Budget, MOST_SIMULATIONS};

/// An option of a searching bot, as in `sims=400`.
pub struct BotOption {
    /// The name.
    pub name: &'static str,
    /// A spelling of earlier versions that is still read.
    pub old_name: Option<&'static str>,
    /// The placeholder of the value in help texts.
    pub value: &'static str,
    /// Whether bots without a network lack it.
    pub needs_network: bool,
    /// The meaning, as a noun phrase.
    pub help: &'static str,
}

const fn option(name: &'static str, value: &'static str, help: &'static str) -> BotOption {
    BotOption { name, old_name: None, value, needs_network: false, help }
}

/// Every option.
pub static BOT_OPTIONS: [BotOption; 9] = [
    BotOption {
        needs_network: true,
        ..option("sims", "N", "simulations of a search (200 unless told; of mcts and uniform the number in the name)")
    },
    option("seconds", "S", "time for a move, instead of sims and of the solver's budget at the root"),
    option("nodes", "N", "nodes of the solver at the root (200,000 for net, 0 for the others, unless told)"),
    option(
        "leaf",
        "N",
        "nodes of the solver for each visit of a leaf (a hundredth of nodes, 256 at most, unless told)",
    ),
    option("undrawn", "N", "the most undrawn edges of a leaf that the solver is asked about"),
    option("safe", "N", "the most safe edges of a leaf that the solver is asked about"),
    option("margin", "PERCENT", "the weight of the margin beside the result (50 unless told)"),
    BotOption {
        old_name: Some("variety"),
        ..option("diversity", "PERCENT", "how much worse than the best a move may be that the match's nonce may choose")
    },
    BotOption { needs_network: true, ..option("isa", "NAME", "the instruction set that the network runs on") },
];

impl BotOption {
    fn is_for(&self, has_network: bool) -> bool {
        has_network || !self.needs_network
    }

    fn of(name: &str, has_network: bool) -> Option<&'static BotOption> {
        let mut options = BOT_OPTIONS.iter().filter(|option| option.is_for(has_network));
        options.find(|option| option.name == name || option.old_name == Some(name))
    }
}

/// The names of the options, for errors.
fn names(has_network: bool) -> String {
    let names: Vec<&str> = BOT_OPTIONS.iter().filter(|o| o.is_for(has_network)).map(|o| o.name).collect();
    let (last, first) = names.split_last().expect("there are options");
    format!("{} or {last}", first.join(", "))
}

/// The options of a search with this budget.
pub(super) fn search_options(simulations: usize, nodes: u64) -> SearchOptions {
    SearchOptions { budget: Budget::new(simulations, nodes), time: None, diversity: None, isa: None }
}

/// One option with its value, in the text of a bot's name.
struct Given<'a> {
    text: &'a str,
    option: &'a str,
    name: &'static str,
    value: &'a str,
}

impl<'a> Given<'a> {
    fn new(text: &'a str, option: &'a str, has_network: bool) -> Result<Given<'a>, SpecError> {
        let found = option.split_once('=').and_then(|(name, value)| Some((BotOption::of(name, has_network)?, value)));
        match found {
            Some((known, value)) => Ok(Given { text, option, name: known.name, value }),
            None => {
                let expected = names(has_network);
                Err(SpecError::Option { text: text.into(), option: option.into(), expected })
            }
        }
    }

    /// The subject of the option. A move goes by a count or by the clock, so that is one subject.
    fn subject(&self) -> &'static str {
        if self.name == "seconds" { "sims" } else { self.name }
    }

    fn whole(&self, most: u64) -> Result<u64, SpecError> {
        whole(self.text, self.option, self.value, most)
    }

    fn apply(&self, search: &mut SearchOptions) -> Result<(), SpecError> {
        let text = || self.text.to_string();
        let settings = &mut search.budget.settings;
        match self.name {
            "sims" => settings.simulations = self.whole(MOST_SIMULATIONS as u64)? as usize,
            "nodes" => search.budget = search.budget.clone().with_nodes(self.whole(u64::MAX)?),
            "margin" => settings.margin_weight = self.whole(100)? as f32 / 100.0,
            "diversity" => search.diversity = Some(self.whole(100)? as f32 / 100.0),
            "leaf" => settings.solver_nodes = self.whole(u64::MAX)?,
            "safe" => settings.solver_safe = self.whole(usize::MAX as u64)? as usize,
            "undrawn" => settings.solver_undrawn = self.whole(usize::MAX as u64)? as usize,
            "isa" => {
                let isa = Isa::named(self.value, &Isa::available());
                search.isa = Some(isa.map_err(|error| SpecError::Isa { text: text(), error })?);
            }
            "seconds" => {
                let time = self.value.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                // A longer time may end at no time that can be represented.
                let time = time.filter(|&time| time <= LONGEST);
                search.time = Some(time.ok_or_else(|| SpecError::Value {
                    text: text(),
                    option: self.option.into(),
                    expected: "seconds, from 0 to 1000000000".into(),
                })?);
            }
            other => unreachable!("the option {other} of the table is read"),
        }
        Ok(())
    }
}

/// The longest time for a move.
const LONGEST: Duration = Duration::from_secs(1_000_000_000);

/// Applies options in any order: those that go with the solver's budget are changed after it.
pub(super) fn apply_options(
    text: &str,
    search: &mut SearchOptions,
    options: &str,
    has_network: bool,
) -> Result<(), SpecError> {
    let options = options.split(',').filter(|option| !option.is_empty());
    let given = options.map(|option| Given::new(text, option, has_network));
    let mut given = given.collect::<Result<Vec<Given>, SpecError>>()?;
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

/// The old spelling of an option in a bot's name, with the one that took its place.
pub(super) fn old_spelling(options: &str) -> Option<(&'static str, &'static str)> {
    let is_given = |name: &str| options.split(',').any(|option| option.split('=').next() == Some(name));
    BOT_OPTIONS.iter().find_map(|o| o.old_name.filter(|old| is_given(old)).map(|old| (old, o.name)))
}

/// The whole number that a text gives.
pub(super) fn whole(text: &str, option: &str, value: &str, most: u64) -> Result<u64, SpecError> {
    let number = value.parse().ok().filter(|&number: &u64| number <= most);
    let expected = || format!("a whole number up to {most}");
    number.ok_or_else(|| SpecError::Value { text: text.into(), option: option.into(), expected: expected() })
}
