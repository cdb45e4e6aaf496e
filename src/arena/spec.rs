//! Bots by name: `greedy`, `solver:20000`, `net:checkpoints/5x5,sims=200`.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use thiserror::Error;

use super::bots::{External, ExternalLimits, SearchBot, SearchKnowledge, SolverBot};
use super::{Bot, bots};
use crate::board::Board;
use crate::net::{Network, Path as NetPath, Weights, WeightsError};
use crate::search::{Budget, MOST_SIMULATIONS};
use crate::shipped::SHIPPED;
use crate::simple::Simple;

/// What the names look like, for help texts and errors.
pub const BOT_FORMS: &str = "random, first, greedy, chains, solver[:NODES], mcts:SIMS, uniform:SIMS, net[:CHECKPOINT] or exec:COMMAND; \
                             options follow mcts, uniform and net, as in net,sims=400,nodes=20000: seconds=S, nodes=N, leaf=N, \
                             undrawn=N, safe=N, margin=PERCENT, variety=PERCENT, and for net also sims=N and isa=NAME";

/// A bot as it is named on the command line.
#[derive(Clone, Debug, PartialEq)]
pub struct BotSpec {
    text: String,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Random,
    First,
    Greedy,
    Chains,
    Solver { nodes: u64 },
    Search { knowledge: Knowledge, options: bots::SearchOptions },
    External { command: String },
}

/// What a searching bot asks about positions.
#[derive(Clone, Debug, PartialEq)]
enum Knowledge {
    Network(PathBuf),
    /// The networks that come with the program.
    Shipped,
    Rollouts,
    Nothing,
}

/// Why a bot cannot be made.
#[derive(Debug, Error)]
pub enum SpecError {
    /// No such bot.
    #[error("unknown bot {text:?}; expected {BOT_FORMS}")]
    Unknown {
        /// What was given.
        text: String,
    },
    /// An option that the bot does not have.
    #[error("bot {text:?}: there is no option {option:?}; expected {expected}, each with =VALUE")]
    Option {
        /// What was given.
        text: String,
        /// The option.
        option: String,
        /// The options that it has.
        expected: &'static str,
    },
    /// Two options that say different things about the same.
    #[error("bot {text:?}: {option:?} does not go with {other:?}; expected one of them")]
    Clash {
        /// What was given.
        text: String,
        /// One option.
        option: String,
        /// The other.
        other: String,
    },
    /// An option's value that it cannot have.
    #[error("bot {text:?}: {option:?} will not do; expected {expected}")]
    Value {
        /// What was given.
        text: String,
        /// The option with its value.
        option: String,
        /// What it may be.
        expected: String,
    },
    /// The instruction set is none, or not this processor's.
    #[error("bot {text:?}: isa: {error}")]
    Path {
        /// What was given.
        text: String,
        /// What is wrong, and which there are.
        error: String,
    },
    /// The checkpoint cannot be used.
    #[error("bot {text:?}: {error}")]
    Checkpoint {
        /// What was given.
        text: String,
        /// What is wrong.
        error: String,
    },
}

/// The solver's default budget a move.
const SOLVER_NODES: u64 = 200_000;

/// The longest time for a move.
const LONGEST: Duration = Duration::from_secs(1_000_000_000);

/// What a bot with a network may be told.
const NETWORK_OPTIONS: &str = "sims, seconds, nodes, leaf, undrawn, safe, margin, variety or isa";

/// What a searching bot without a network may be told; how many simulations is in its name.
const OPTIONS: &str = "seconds, nodes, leaf, undrawn, safe, margin or variety";

impl FromStr for BotSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<BotSpec, SpecError> {
        let unknown = || SpecError::Unknown { text: text.into() };
        let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let kind = match (name, rest) {
            ("random", None) => Kind::Random,
            ("first", None) => Kind::First,
            ("greedy", None) => Kind::Greedy,
            ("chains", None) => Kind::Chains,
            ("solver", None) => Kind::Solver { nodes: SOLVER_NODES },
            ("solver", Some(nodes)) => Kind::Solver { nodes: whole(text, nodes, nodes, u64::MAX)? },
            ("mcts" | "uniform", Some(rest)) => {
                let (simulations, options) = rest.split_once(',').unwrap_or((rest, ""));
                let simulations = whole(text, simulations, simulations, MOST_SIMULATIONS as u64)? as usize;
                let mut search = search_options(simulations, 0);
                apply_options(text, &mut search, options, false)?;
                let knowledge = if name == "mcts" { Knowledge::Rollouts } else { Knowledge::Nothing };
                Kind::Search { knowledge, options: search }
            }
            ("net", Some(rest)) if !rest.is_empty() && !rest.starts_with(',') => {
                let (path, options) = rest.split_once(',').unwrap_or((rest, ""));
                network_search(text, Knowledge::Network(path.into()), options)?
            }
            ("net", None) => network_search(text, Knowledge::Shipped, "")?,
            _ if text.starts_with("net,") => network_search(text, Knowledge::Shipped, &text[4..])?,
            ("exec", Some(command)) if !command.trim().is_empty() => Kind::External { command: command.into() },
            _ => return Err(unknown()),
        };
        Ok(BotSpec { text: text.into(), kind })
    }
}

fn network_search(text: &str, knowledge: Knowledge, options: &str) -> Result<Kind, SpecError> {
    let mut search = search_options(200, SOLVER_NODES);
    apply_options(text, &mut search, options, true)?;
    Ok(Kind::Search { knowledge, options: search })
}

fn search_options(simulations: usize, nodes: u64) -> bots::SearchOptions {
    bots::SearchOptions { budget: Budget::new(simulations, nodes), time: None, variety: None, path: None }
}

/// Applies options in any order: what goes with the solver's budget is changed after it.
fn apply_options(
    text: &str,
    search: &mut bots::SearchOptions,
    options: &str,
    has_network: bool,
) -> Result<(), SpecError> {
    let mut options: Vec<&str> = options.split(',').filter(|option| !option.is_empty()).collect();
    options.sort_by_key(|option| subject(option) != "nodes");
    for (index, option) in options.iter().enumerate() {
        if let Some(other) = options[..index].iter().find(|other| subject(other) == subject(option)) {
            let (option, other) = (option.to_string(), other.to_string());
            return Err(SpecError::Clash { text: text.into(), option, other });
        }
        apply_option(text, search, option, has_network)?;
    }
    Ok(())
}

/// What an option is about; a move goes by a count or by the clock, so that is one thing.
fn subject(option: &str) -> &str {
    match option.split_once('=') {
        Some(("sims" | "seconds", _)) => "sims",
        Some((key, _)) => key,
        None => "",
    }
}

/// The whole number that an option gives.
fn whole(text: &str, option: &str, value: &str, most: u64) -> Result<u64, SpecError> {
    let number = value.parse().ok().filter(|&number: &u64| number <= most);
    let expected = || format!("a whole number up to {most}");
    number.ok_or_else(|| SpecError::Value { text: text.into(), option: option.into(), expected: expected() })
}

fn apply_option(
    text: &str,
    search: &mut bots::SearchOptions,
    option: &str,
    has_network: bool,
) -> Result<(), SpecError> {
    let expected = if has_network { NETWORK_OPTIONS } else { OPTIONS };
    let unknown = || SpecError::Option { text: text.into(), option: option.into(), expected };
    let bad = |expected: &str| SpecError::Value { text: text.into(), option: option.into(), expected: expected.into() };
    let (key, value) = option.split_once('=').ok_or_else(unknown)?;
    let number = |most| whole(text, option, value, most);
    let settings = &mut search.budget.settings;
    match key {
        "sims" if has_network => settings.simulations = number(MOST_SIMULATIONS as u64)? as usize,
        "nodes" => search.budget = search.budget.clone().with_nodes(number(u64::MAX)?),
        "margin" => settings.margin_weight = number(100)? as f32 / 100.0,
        "variety" => search.variety = Some(number(100)? as f32 / 100.0),
        "leaf" => settings.solver_nodes = number(u64::MAX)?,
        "safe" => settings.solver_safe = number(usize::MAX as u64)? as usize,
        "undrawn" => settings.solver_undrawn = number(usize::MAX as u64)? as usize,
        "isa" if has_network => {
            let path = NetPath::named(value, &NetPath::available());
            search.path = Some(path.map_err(|error| SpecError::Path { text: text.into(), error })?);
        }
        "seconds" => {
            let time = value.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            // The end of what is longer may be no time that there is.
            let time = time.filter(|&time| time <= LONGEST);
            search.time = Some(time.ok_or_else(|| bad("seconds, from 0 to 1000000000"))?);
        }
        _ => return Err(unknown()),
    }
    Ok(())
}

impl BotSpec {
    /// The network at `checkpoint` with these options, as in `sims=50,nodes=0`. Any path will do, where in a name a comma
    /// would begin the options.
    ///
    /// # Errors
    /// When there is no such option.
    pub fn network(checkpoint: &Path, options: &str) -> Result<BotSpec, SpecError> {
        let text = format!("net:{},{options}", checkpoint.display());
        let kind = network_search(&text, Knowledge::Network(checkpoint.into()), options)?;
        Ok(BotSpec { text, kind })
    }

    /// As it was named.
    pub fn name(&self) -> &str {
        &self.text
    }

    /// Whether it plays in a process of its own.
    pub fn is_external(&self) -> bool {
        matches!(self.kind, Kind::External { .. })
    }

    /// Whether it plays by a network, on the instruction set that the program chose.
    pub fn goes_by_chosen_path(&self) -> bool {
        match &self.kind {
            Kind::Search { knowledge: Knowledge::Network(_) | Knowledge::Shipped, options } => options.path.is_none(),
            _ => false,
        }
    }

    /// Whether it plays the same game each time: not by the clock, nor in a process of its own.
    pub fn is_repeatable(&self) -> bool {
        match &self.kind {
            Kind::External { .. } => false,
            Kind::Search { options, .. } => options.time.is_none(),
            _ => true,
        }
    }

    /// Loads what the bot needs, once for all games. A checkpoint is a weights file, or a folder that `resolve` turns
    /// into weights.
    ///
    /// # Errors
    /// When the checkpoint cannot be used.
    pub fn factory_with(&self, resolve: impl Fn(&Path) -> Result<Weights, String>) -> Result<BotFactory, SpecError> {
        let bad = |error| SpecError::Checkpoint { text: self.text.clone(), error };
        let knowledge = match &self.kind {
            Kind::Search { knowledge: Knowledge::Network(path), options } => {
                let network = resolve(path).and_then(|weights| checked(&weights, options.path));
                SearchKnowledge::Network(network.map_err(bad)?)
            }
            Kind::Search { knowledge: Knowledge::Shipped, options } => {
                let networks = SHIPPED.iter().map(|(_, bytes)| checked(&read(bytes)?, options.path));
                SearchKnowledge::Networks(networks.collect::<Result<_, _>>().map_err(bad)?)
            }
            Kind::Search { knowledge: Knowledge::Rollouts, .. } => SearchKnowledge::Rollouts,
            _ => SearchKnowledge::Nothing,
        };
        Ok(BotFactory { kind: self.kind.clone(), knowledge, limits: ExternalLimits::default(), stop: Arc::default() })
    }

    /// As [`BotSpec::factory_with`], for bots without a checkpoint or with a plain weights file.
    ///
    /// # Errors
    /// When the checkpoint cannot be used.
    pub fn factory(&self) -> Result<BotFactory, SpecError> {
        self.factory_with(|path| {
            let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
            read(&bytes)
        })
    }
}

/// The weights of a file's bytes.
fn read(bytes: &[u8]) -> Result<Weights, String> {
    Weights::from_bytes(bytes).map_err(|error: WeightsError| error.to_string())
}

/// The network of these weights, checked on this path or on the chosen one.
fn checked(weights: &Weights, path: Option<NetPath>) -> Result<Arc<Network>, String> {
    let path = path.map_or_else(NetPath::chosen, Ok)?;
    Network::checked(weights, path).map_err(|error| error.to_string())
}

/// Makes any number of one bot, which share the network's weights.
pub struct BotFactory {
    kind: Kind,
    knowledge: SearchKnowledge,
    limits: ExternalLimits,
    stop: Arc<AtomicBool>,
}

impl BotFactory {
    /// The same, with these limits for a bot in a process of its own.
    pub fn with_limits(self, limits: ExternalLimits) -> BotFactory {
        BotFactory { limits, ..self }
    }

    /// The same; a bot in a process of its own is not waited for when this flag is set.
    pub fn with_stop(self, stop: Arc<AtomicBool>) -> BotFactory {
        BotFactory { stop, ..self }
    }

    /// One more of the bot.
    pub fn make(&self) -> Box<dyn Bot> {
        match &self.kind {
            Kind::Random => Box::new(Simple::Random),
            Kind::First => Box::new(Simple::First),
            Kind::Greedy => Box::new(Simple::Greedy),
            Kind::Chains => Box::new(Simple::Chains),
            Kind::Solver { nodes } => Box::new(SolverBot::new(*nodes)),
            Kind::External { command } => Box::new(External::new(command, self.limits, self.stop.clone())),
            Kind::Search { options, .. } => Box::new(SearchBot::new(options.clone(), self.knowledge.clone())),
        }
    }

    /// The board that the bot's network plays, when it has one.
    pub fn board(&self) -> Option<Board> {
        self.knowledge.board()
    }

    /// Whether the bot plays on this board as what it is called: one with a network on the network's board alone.
    pub fn knows(&self, board: Board) -> bool {
        self.knowledge.of(board).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_networks_that_come_with_the_program_know_their_boards() {
        use crate::board::parse_game;
        let spec: BotSpec = "net,sims=4,nodes=0".parse().unwrap();
        let factory = spec.factory().unwrap();
        assert_eq!(factory.board(), None);
        assert!(factory.knows(Board::new(4, 4).unwrap()) && !factory.knows(Board::new(2, 3).unwrap()));
        let mut bot = factory.make();
        for (board, chains) in [("5x5", false), ("3x3", false), ("2x3", true)] {
            let plays = |bot: &mut dyn Bot, nonce| bot.choose(&parse_game(board).unwrap(), nonce);
            let edges: Vec<_> = (0..20).map(|nonce| plays(&mut *bot, nonce)).collect();
            // Without a network it goes by chances, as the rule of thumb does.
            assert_eq!(edges.iter().any(|edge| *edge != edges[0]), chains, "{board}");
        }
    }

    #[test]
    fn names_of_bots() {
        for text in [
            "random",
            "first",
            "greedy",
            "chains",
            "solver",
            "solver:9",
            "mcts:10",
            "uniform:9",
            "mcts:10,nodes=1000",
            "net",
            "net,sims=3,variety=1",
        ] {
            let spec: BotSpec = text.parse().unwrap();
            assert_eq!(spec.name(), text);
            spec.factory().unwrap().make();
        }
        for text in [
            "",
            "gredy",
            "solver:",
            "solver:x",
            "mcts",
            "mcts:",
            "net:",
            "net:,sims=3",
            "nets",
            "net,simms=1",
            "random:3",
            "mcts:5,x=1",
            "exec:",
            "exec: ",
        ] {
            assert!(text.parse::<BotSpec>().is_err(), "{text:?}");
        }
        for (text, part) in [
            ("net,variety=150", "up to 100"),
            ("net,seconds=1e19", "from 0 to 1000000000"),
            ("mcts:1000000000000", "up to 1000000"),
            ("net,simms=1", "sims, seconds"),
            ("net,or=1", "no option"),
            ("net,sims", "no option"),
            ("net,sims=5,nodes=9,seconds=1", "\"seconds=1\" does not go with \"sims=5\""),
            ("net,sims=5,sims=6", "\"sims=6\" does not go with \"sims=5\""),
            ("mcts:x", "\"x\" will not do; expected a whole number"),
            ("solver:x", "\"x\" will not do; expected a whole number"),
            ("mcts:5,sims=6", "no option"),
            ("uniform:5,isa=portable", "no option"),
        ] {
            let error = text.parse::<BotSpec>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        // Options mean the same in any order.
        let kind = |text: &str| text.parse::<BotSpec>().unwrap().kind;
        assert_eq!(kind("net,leaf=0,nodes=20000"), kind("net,nodes=20000,leaf=0"));
        assert_ne!(kind("net,leaf=0,nodes=20000"), kind("net,nodes=20000"));
        let spec: BotSpec = "net:nowhere.dxw,sims=5".parse().unwrap();
        assert!(matches!(spec.factory(), Err(SpecError::Checkpoint { .. })));
        assert!("net:a,isa=portable".parse::<BotSpec>().is_ok());
        let error = "net:a,isa=sse".parse::<BotSpec>().unwrap_err().to_string();
        assert!(error.contains("isa: \"sse\"") && error.contains("instruction set"), "{error}");
        let error = "net:a,simms=5".parse::<BotSpec>().unwrap_err().to_string();
        assert!(
            error.contains("simms=5") && error.contains("sims, seconds, nodes, leaf, undrawn, safe, margin"),
            "{error}"
        );
    }
}
