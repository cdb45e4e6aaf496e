//! Names of bots: `greedy`, `solver:20000`, `net:checkpoints/5x5,sims=200` (docs/bots.md).

use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::options::{apply_options, integer, search_options, split_checkpoint};
use crate::SpecError;
use crate::internal::SearchOptions;
use doublecross_core::bots::{LEVELS, Level, RuleBot};
use doublecross_core::search::MOST_SIMULATIONS;

/// A bot as it is named on the command line.
///
/// ```
/// use doublecross_arena::BotSpec;
/// let spec: BotSpec = "net,sims=50,nodes=0".parse()?;
/// assert!(spec.is_repeatable());
/// assert!("gredy".parse::<BotSpec>().is_err());
/// # Ok::<(), doublecross_arena::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BotSpec {
    text: String,
    pub(super) kind: Kind,
}

impl std::fmt::Display for BotSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// The kind of a bot, with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Rule(RuleBot),
    Level(&'static Level),
    Solver { nodes: u64 },
    Search { source: Source, options: SearchOptions },
    External { command: String },
}

/// The evaluator of a searching bot, as it is named.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Source {
    /// The network of this checkpoint.
    Checkpoint(PathBuf),
    /// The pretrained networks.
    Pretrained,
    /// Quick games.
    Rollouts,
    /// Uniform policies and even margins.
    Nothing,
}

/// The solver's default budget for a move.
const SOLVER_NODES: u64 = 200_000;

/// The default simulations of a network's search.
const SIMULATIONS: usize = 200;

impl FromStr for BotSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<BotSpec, SpecError> {
        let unknown = || SpecError::Unknown { text: text.into() };
        let missing = |what: &str, example: &str| {
            Err(SpecError::Missing { text: text.into(), what: what.into(), example: example.into() })
        };
        let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let kind = match (name, rest) {
            ("mcts" | "uniform", None | Some("")) => return missing("number of simulations", &format!("{name}:1000")),
            ("level", None | Some("")) => return missing("number", "level:3"),
            ("solver", Some("")) => return missing("number of nodes", "solver:200000"),
            ("net", Some("")) => return missing("checkpoint", "net:checkpoints/5x5"),
            ("exec", None) => return missing("command", "'exec:python3 bot.py'"),
            ("exec", Some(command)) if command.trim().is_empty() => {
                return missing("command", "'exec:python3 bot.py'");
            }
            ("level", Some(rest)) if rest.contains(',') => return Err(unknown()),
            ("level", Some(_)) => {
                let (what, expected) = ("the level".into(), format!("1 to {}", LEVELS.len()));
                let error = || SpecError::Value { text: text.into(), what, expected };
                Kind::Level(Level::named(text).ok_or_else(error)?)
            }
            ("solver", None) => Kind::Solver { nodes: SOLVER_NODES },
            ("solver", Some(nodes)) => Kind::Solver { nodes: integer(text, "the number of nodes", nodes, u64::MAX)? },
            ("mcts" | "uniform", Some(rest)) => {
                let (simulations, given) = rest.split_once(',').unwrap_or((rest, ""));
                let most = MOST_SIMULATIONS as u64;
                let simulations = integer(text, "the number of simulations", simulations, most)? as usize;
                let mut options = search_options(simulations, 0);
                apply_options(text, &mut options, given, false)?;
                let source = if name == "mcts" { Source::Rollouts } else { Source::Nothing };
                Kind::Search { source, options }
            }
            ("net", Some(rest)) if !rest.is_empty() && !rest.starts_with(',') => {
                let (path, options) = split_checkpoint(rest);
                network_search(text, Source::Checkpoint(path.into()), options)?
            }
            ("net", None) => network_search(text, Source::Pretrained, "")?,
            _ if text.starts_with("net,") => network_search(text, Source::Pretrained, &text[4..])?,
            ("exec", Some(command)) => Kind::External { command: command.into() },
            (rule, None) => Kind::Rule(RuleBot::named(rule).ok_or_else(unknown)?),
            _ => return Err(unknown()),
        };
        Ok(BotSpec { text: text.into(), kind })
    }
}

/// Returns a search with the network of `source`, and with the options `given`.
fn network_search(text: &str, source: Source, given: &str) -> Result<Kind, SpecError> {
    let mut options = search_options(SIMULATIONS, SOLVER_NODES);
    apply_options(text, &mut options, given, true)?;
    Ok(Kind::Search { source, options })
}

impl BotSpec {
    /// Returns the bot `net:CHECKPOINT` with these options, as in `sims=50,nodes=0`. Nothing of the path is read as an
    /// option.
    ///
    /// # Errors
    /// Returns an error if the options are not valid.
    pub fn network(checkpoint: &Path, options: &str) -> Result<BotSpec, SpecError> {
        let text = format!("net:{},{options}", checkpoint.display());
        let kind = network_search(&text, Source::Checkpoint(checkpoint.into()), options)?;
        Ok(BotSpec { text, kind })
    }

    /// The bot as it was named.
    pub fn name(&self) -> &str {
        &self.text
    }

    /// Returns `true` if the bot plays in a process of its own.
    pub fn is_external(&self) -> bool {
        matches!(self.kind, Kind::External { .. })
    }

    /// Returns `true` if the bot plays by a network, on the program's default instruction set.
    pub fn uses_default_isa(&self) -> bool {
        match &self.kind {
            Kind::Search { source: Source::Checkpoint(_) | Source::Pretrained, options } => options.isa.is_none(),
            Kind::Level(level) => level.searches(),
            _ => false,
        }
    }

    /// Returns `true` if the bot plays the same game each time: neither by the clock nor in a
    /// process of its own.
    pub fn is_repeatable(&self) -> bool {
        match &self.kind {
            Kind::External { .. } => false,
            Kind::Search { options, .. } => options.time.is_none(),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in::of_repository;

    #[test]
    fn names_of_bots_are_parsed() {
        for text in [
            "random",
            "first",
            "greedy",
            "chains",
            "level:1",
            "level:10",
            "solver",
            "solver:9",
            "mcts:10",
            "uniform:9",
            "mcts:10,nodes=1000",
            "net",
            "net,sims=3,diversity=1",
        ] {
            let spec: BotSpec = text.parse().unwrap();
            assert_eq!(spec.name(), text);
            spec.factory(&of_repository()).unwrap().make();
        }
        for text in [
            "",
            "gredy",
            "level",
            "level:",
            "level:0",
            "level:11",
            "level:01",
            "level:3,nodes=5",
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
        let error = |text: &str| text.parse::<BotSpec>().unwrap_err();
        for (text, wrong) in [
            ("net,diversity=150", "diversity"),
            ("net,seconds=1e19", "seconds"),
            ("mcts:1000000000000", "the number of simulations"),
            ("level:11", "the level"),
            ("mcts:x", "the number of simulations"),
            ("solver:x", "the number of nodes"),
        ] {
            assert!(matches!(error(text), SpecError::Value { what, .. } if what == wrong), "{text}");
        }
        for (text, missing) in [
            ("mcts", "number of simulations"),
            ("uniform:", "number of simulations"),
            ("level", "number"),
            ("solver:", "number of nodes"),
            ("net:", "checkpoint"),
            ("exec: ", "command"),
            ("net,sims", "value of sims"),
        ] {
            assert!(matches!(error(text), SpecError::Missing { what, .. } if what == missing), "{text}");
        }
        for (text, unknown) in
            [("net,simms=1", "simms"), ("net,or=1", "or"), ("mcts:5,sims=6", "sims"), ("uniform:5,isa=portable", "isa")]
        {
            assert!(matches!(error(text), SpecError::Option { option, .. } if option == unknown), "{text}");
        }
        for (text, second) in [("net,sims=5,nodes=9,seconds=1", "seconds=1"), ("net,sims=5,sims=6", "sims=6")] {
            let error = error(text);
            let expected = |option: &str, other: &str| option == second && other == "sims=5";
            assert!(matches!(&error, SpecError::Clash { option, other, .. } if expected(option, other)), "{error:?}");
        }
        // The order of options does not matter.
        let kind = |text: &str| text.parse::<BotSpec>().unwrap().kind;
        assert_eq!(kind("net,leaf=0,nodes=20000"), kind("net,nodes=20000,leaf=0"));
        assert_ne!(kind("net,leaf=0,nodes=20000"), kind("net,nodes=20000"));
        assert!("net,variety=1".parse::<BotSpec>().is_err());
        let spec: BotSpec = "net:nowhere.dxw,sims=5".parse().unwrap();
        assert!(matches!(spec.factory(&of_repository()), Err(SpecError::Checkpoint { .. })));
        assert!("net:a,isa=portable".parse::<BotSpec>().is_ok());
        assert!(matches!(error("net:a,isa=sse"), SpecError::Isa { error, .. } if error.name == "sse"));
        assert!(matches!(error("net:a,simms=5"), SpecError::Option { hint, .. } if hint == "did you mean sims?"));
        let all = "options are seconds, nodes, leaf, undrawn, safe, margin, diversity and book, each as NAME=VALUE";
        assert!(matches!(error("mcts:5,sims=6"), SpecError::Option { hint, .. } if hint == all));
    }

    #[test]
    fn a_path_may_have_commas() {
        for (text, path) in [
            ("net:runs/a,b", "runs/a,b"),
            ("net:runs/a,b,sims=3,nodes=0", "runs/a,b"),
            ("net:runs/lr=0.1,batch=64,sims=3", "runs/lr=0.1,batch=64"),
            ("net:runs/a b,", "runs/a b"),
        ] {
            let Kind::Search { source, .. } = text.parse::<BotSpec>().unwrap().kind else { panic!("a search") };
            assert_eq!(source, Source::Checkpoint(path.into()), "{text}");
        }
    }
}
