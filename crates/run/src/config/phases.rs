//! The phases of a run.

use toml::{Table, Value};

use super::error::ConfigError;
use super::generation::GenerationConfig;
use super::key::{Key, split};
use super::merge::merge;
use super::names::check_keys;
use super::optional::remove_none;
use super::origin::Origin;
use super::phase::{PHASES, Phase};
use super::tables::Config;
use super::types::check_types;
use super::validate::LEAST_LABELED;
use doublecross_core::net::Architecture;

/// The tables whose keys a phase may change.
const TABLES: [&str; 4] = ["network", "selfplay", "labeled", "learn"];

impl Phase {
    /// The changes as paths of keys with their values, in the order of a config file.
    pub fn changes(&self) -> impl Iterator<Item = (&'static Key, &Value)> {
        Config::keys().filter_map(|key| {
            let (table, name) = split(key.path);
            Some((key, self.keys.get(table)?.get(name)?))
        })
    }

    /// Returns `true` if the phase changes a key.
    pub fn sets(&self, path: &str) -> bool {
        self.changes().any(|(key, _)| key.path == path)
    }
}

impl Config {
    /// Returns the config of a generation, counted from 1, for games on the run's own board, with all keys
    /// that count undrawn edges. With labels from a folder it labels no position.
    pub fn at(&self, generation: u64) -> GenerationConfig {
        let mut config = self.above_phases();
        if self.phases.iter().any(|phase| phase.from <= generation) {
            let mut table = Table::try_from(&config).expect("a config is plain tables");
            self.merge_phases(&mut table, generation);
            config = table.try_into().expect("the types of a phase's values were checked when it was read");
        }
        config.fill_limits(self.reach);
        if config.labeled.data.is_some() {
            config.labeled.positions = 0;
        }
        config
    }

    /// Returns the config of the generations before the first phase.
    pub(super) fn above_phases(&self) -> GenerationConfig {
        let Config { network, selfplay, labeled, learn, .. } = self.clone();
        GenerationConfig { network, selfplay, labeled, learn }
    }

    /// Lays the phases until a generation over the tables of a config.
    pub(super) fn merge_phases(&self, table: &mut Table, generation: u64) {
        for phase in self.phases.iter().filter(|phase| phase.from <= generation) {
            merge(table, phase.keys.clone());
        }
        remove_none(table);
    }

    /// The first generation of the run's first part and of each phase.
    pub fn first_generations(&self) -> impl Iterator<Item = u64> {
        std::iter::once(1).chain(self.phases.iter().map(|phase| phase.from))
    }

    /// Checks the phases, each with what came before it. An error is the reason why one is refused.
    pub(super) fn check_phases(&self) -> Result<(), String> {
        let mut before = (1, self.network.architecture());
        for (number, phase) in (1..).zip(&self.phases) {
            let in_phase = |reason: String| format!("phase {number}: {reason}");
            if phase.from <= before.0 {
                return Err(in_phase(format!("from = {} is not more than {}", phase.from, before.0)));
            }
            if phase.changes().next().is_none() {
                return Err(in_phase("it changes no key (write some, as in learn.passes = 2)".into()));
            }
            let config = self.at(phase.from);
            config.validate().map_err(in_phase)?;
            if let Some(least) = config.labeled.least_undrawn {
                self.check_undrawn(LEAST_LABELED, least).map_err(in_phase)?;
            }
            let architecture = config.architecture();
            if let Some(key) = smaller(before.1, architecture) {
                return Err(in_phase(format!("network.{key} is smaller than before, and a network may only grow")));
            }
            before = (phase.from, architecture);
        }
        Ok(())
    }
}

/// The first size of a network that is smaller than that of another one.
fn smaller(before: Architecture, after: Architecture) -> Option<&'static str> {
    let sizes = |a: Architecture| [("channels", a.channels), ("blocks", a.blocks), ("value_hidden", a.value_hidden)];
    let shrinks = |(before, after): &((_, usize), (&str, usize))| after.1 < before.1;
    sizes(before).into_iter().zip(sizes(after)).find(shrinks).map(|(_, (key, _))| key)
}

/// Checks the keys in the phases of a layer, their names and the types of their values.
pub(super) fn check_phases(phases: &mut Value, origin: Origin<'_>) -> Result<(), ConfigError> {
    let refused = |origin: String, error: String| ConfigError::Toml { origin, error };
    let no_list = || refused(origin.place(None, PHASES), "phases are tables [[phase]]".into());
    for (number, phase) in (1..).zip(phases.as_array_mut().ok_or_else(no_list)?) {
        let place = |path: &str| origin.place(Some(number), path);
        let phase = phase.as_table_mut().ok_or_else(no_list)?;
        let no_first = "its first generation is missing (as in from = 50)";
        let from = phase.remove("from").ok_or_else(|| refused(place(""), no_first.into()))?;
        if from.as_integer().is_none_or(|from| from < 0) {
            return Err(refused(place("from"), format!("from = {from} is not a whole number of 0 or more")));
        }
        check_keys(phase, origin, Some(number))?;
        for key in keys_of(phase) {
            let (table, _) = split(&key);
            let is_whole_run = Config::keys().any(|known| known.path == key && known.is_whole_run);
            if !TABLES.contains(&table) && !TABLES.contains(&key.as_str()) || is_whole_run {
                return Err(refused(place(&key), format!("{key} holds for the whole run (write it above the phases)")));
            }
        }
        check_types(phase, origin, Some(number))?;
        phase.insert("from".into(), from);
    }
    Ok(())
}

/// Removes the keys of a layer from the phases of a table, so that the layer holds for the whole
/// run.
pub(super) fn remove_overridden(table: &mut Table, layer: &Table) {
    remove_keys(table, &keys_of(layer).collect::<Vec<_>>());
}

/// Removes keys from the phases of a table.
pub(super) fn remove_keys<K: AsRef<str>>(table: &mut Table, paths: &[K]) {
    let Some(phases) = table.get_mut(PHASES).and_then(Value::as_array_mut) else { return };
    phases.retain_mut(|phase| {
        let Some(phase) = phase.as_table_mut() else { return true };
        let keys = phase.len();
        for path in paths {
            let (section, name) = split(path.as_ref());
            if let Some(inner) = phase.get_mut(section).and_then(Value::as_table_mut) {
                inner.remove(name);
            }
        }
        phase.retain(|_, value| value.as_table().is_none_or(|inner| !inner.is_empty()));
        // A phase all of whose keys are removed is removed itself.
        phase.len() > 1 || keys == 1
    });
}

/// The paths of a layer's keys.
fn keys_of(layer: &Table) -> impl Iterator<Item = String> {
    layer.iter().flat_map(|(section, value)| match value {
        Value::Table(inner) => inner.keys().map(|name| format!("{section}.{name}")).collect(),
        _ => vec![section.clone()],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "generations = 50\n[learn]\nbatch = 64\n\
                        [[phase]]\nfrom = 11\nnetwork = { channels = 64, blocks = 6 }\nlearn.optimizer = \"muon\"\n\
                        [[phase]]\nfrom = 21\nlearn.batch = 256\nlabeled.positions = 9\nselfplay.max_considered = 8\n";

    fn parse(text: &str, overrides: &[&str]) -> Result<Config, String> {
        let overrides: Vec<String> = overrides.iter().map(|text| text.to_string()).collect();
        Config::parse(text, "run.toml", &overrides).map_err(|error| error.to_string())
    }

    #[test]
    fn a_phase_changes_keys_from_its_first_generation_on() {
        let config = parse(TEXT, &[]).unwrap();
        assert_eq!(config.first_generations().collect::<Vec<_>>(), [1, 11, 21]);
        let of = |generation| {
            let GenerationConfig { network, learn, labeled, selfplay } = config.at(generation);
            (network.channels, learn.batch, learn.optimizer, labeled.positions, selfplay.max_considered)
        };
        use super::super::OptimizerKind::{AdamW, Muon};
        assert_eq!(of(1), (32, 64, AdamW, 0, 16));
        assert_eq!(of(10), of(1));
        assert_eq!(of(11), (64, 64, Muon, 0, 16));
        assert_eq!(of(20), of(11));
        assert_eq!(of(21), (64, 256, Muon, 9, 8));
        assert_eq!(of(1000), of(21));
        // A run keeps its config.
        assert_eq!(parse(&config.to_toml(), &[]).unwrap(), config);
    }

    #[test]
    fn a_key_that_is_set_holds_throughout() {
        let config = parse(TEXT, &["learn.batch=32", "network.channels=48", "labeled.positions=3"]).unwrap();
        for generation in [1, 11, 21] {
            let GenerationConfig { network, learn, labeled, .. } = config.at(generation);
            assert_eq!((network.channels, learn.batch, labeled.positions), (48, 32, 3));
        }
        assert_eq!((config.at(11).network.blocks, config.phases.len()), (6, 2));
        // A phase of which nothing is left is none.
        let config = parse(TEXT, &["network.channels=48", "network.blocks=4", "learn.optimizer=adamw"]).unwrap();
        assert_eq!(config.first_generations().collect::<Vec<_>>(), [1, 21]);
        assert!(parse(TEXT, &["phase=[]"]).unwrap().phases.is_empty());
        let config = parse("", &["learn.batch=32", "phase=[{from=5,learn={batch=64,passes=2}}]"]).unwrap();
        assert_eq!((config.at(5).learn.batch, config.at(5).learn.passes), (32, 2));
    }

    #[test]
    fn phases_that_cannot_be_are_refused() {
        for (phases, part) in [
            ("[[phase]]\nlearn.batch = 2", "run.toml:1, phase 1: its first generation is missing"),
            ("[[phase]]\nfrom = -3\nlearn.batch = 2", "run.toml:2, phase 1: from = -3 is not a whole number"),
            ("[[phase]]\nfrom = 1\nlearn.batch = 2", "for 5x5: phase 1: from = 1 is not more than 1"),
            ("[[phase]]\nfrom = 0\nlearn.batch = 2", "phase 1: from = 0 is not more than 1"),
            ("[[phase]]\nfrom = 9\nlearn.batch = 2\n[[phase]]\nfrom = 9\nlearn.batch = 3", "phase 2: from = 9"),
            ("[[phase]]\nfrom = 9", "phase 1: it changes no key"),
            (
                "[[phase]]\nfrom = 9\nlearn.bach = 2",
                "run.toml:3, phase 1: unknown key `learn.bach`; did you mean `learn.batch`",
            ),
            ("[[phase]]\nfrom = 9\n[phase.learn]\nbatch = \"x\"", "run.toml:4, phase 1: learn.batch = \"x\" is not"),
            ("[[phase]]\nfrom = 9\nlearn.batch = 0", "phase 1: learn.batch = 0 is out of range"),
            ("[[phase]]\nfrom = 9\nlearn = 2", "phase 1: learn = 2 is not a table"),
            ("[[phase]]\nfrom = 9\nseed = 2", "run.toml:3, phase 1: seed holds for the whole run"),
            ("[[phase]]\nfrom = 9\nsuite.positions = 2", "phase 1: suite.positions holds for the whole run"),
            ("[[phase]]\nfrom = 9\nselfplay.lag = 2", "phase 1: selfplay.lag holds for the whole run"),
            ("[[phase]]\nfrom = 9\nnetwork.blocks = 2", "phase 1: network.blocks is smaller than before"),
            ("[[phase]]\nfrom = 9\nnetwork.channels = 33", "phase 1: "),
            ("[phase]\nfrom = 9\nlearn.batch = 2", "run.toml:1: phases are tables [[phase]]"),
            ("phase = [3]", "phases are tables"),
        ] {
            let error = parse(phases, &[]).unwrap_err();
            assert!(error.contains(part), "{phases:?}: {error}");
        }
        assert!(parse(TEXT, &["network.blocks=0", "phase=3"]).is_err());
    }

    #[test]
    fn a_phase_takes_keys_away() {
        let text = "[selfplay]\nroot_undrawn = 30\n[[phase]]\nfrom = 5\nselfplay.root_undrawn = \"none\"\n\
                    selfplay.relabel_nodes = 7\n[[phase]]\nfrom = 9\nselfplay.relabel_nodes = \"none\"";
        let config = parse(text, &[]).unwrap();
        let of = |generation| {
            let GenerationConfig { selfplay, .. } = config.at(generation);
            (selfplay.root_undrawn, selfplay.relabel_nodes)
        };
        // What is absent follows from the reach.
        assert_eq!([1, 5, 9].map(of), [(Some(30), None), (Some(38), Some(7)), (Some(38), None)]);
        assert_eq!(parse(&config.to_toml(), &[]).unwrap(), config);
        let all = parse(text, &["selfplay.relabel_nodes=none"]).unwrap();
        assert!([1, 5, 9].iter().all(|&generation| all.at(generation).selfplay.relabel_nodes.is_none()));
        assert_eq!(all.phases.len(), 1);
    }

    /// Phases that have begun are kept, and those still to come may change.
    #[test]
    fn later_phases_may_change() {
        let config = parse(TEXT, &[]).unwrap();
        let other =
            parse(&TEXT.replace("learn.batch = 256", "learn.batch = 512").replace("from = 21", "from = 25"), &[]);
        let other = other.unwrap();
        for done in [0, 11, 20] {
            assert!(config.conflict(&other, done).is_none(), "{done}");
            assert!(other.conflict(&config, done).is_none(), "{done}");
        }
        assert_eq!(config.conflict(&other, 21).unwrap().key, "selfplay.max_considered");
        // A number is what its key says, however it is written.
        let loss = |number| parse(&format!("[[phase]]\nfrom = 6\nlearn.margin_loss = {number}"), &[]).unwrap();
        assert!(loss("2").conflict(&loss("2.0"), 7).is_none());
        assert_eq!(loss("2").conflict(&loss("2.5"), 7).unwrap().key, "learn.margin_loss");
        // A phase that begins a course matters although it changes no value.
        let restart = parse("[[phase]]\nfrom = 6\nlearn.learning_rate = 0.001", &[]).unwrap();
        let plain = parse("", &[]).unwrap();
        assert!(restart.conflict(&plain, 5).is_none());
        assert_eq!(restart.conflict(&plain, 6).unwrap().kept, "6");
        let without = Config { phases: Vec::new(), ..config.clone() };
        assert!(config.conflict(&without, 10).is_none());
        assert_eq!(config.conflict(&without, 11).unwrap().key, "network.channels");
    }
}
