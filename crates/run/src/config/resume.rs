//! The keys that may change when a run is resumed.

use std::collections::BTreeSet;

use toml::Value;

use super::course::Course;
use super::isa_setting::IsaSetting;
use super::key::{Key, Resume};
use super::optional::shown;
use super::tables::Config;

/// A key whose value keeps a run from being resumed.
pub struct Conflict {
    /// The key's path.
    pub key: &'static str,
    /// The run's value, as in a config.
    pub kept: String,
    /// The value given.
    pub given: String,
}

impl Config {
    /// The first conflict of a run's config with one that the run is to be resumed with after so many generations.
    /// Phases that begin later may change.
    pub fn conflict(&self, given: &Config, done: u64) -> Option<Conflict> {
        let firsts = self.first_generations().chain(given.first_generations());
        let begun: BTreeSet<u64> = firsts.filter(|&first| first <= done.max(1)).collect();
        begun.into_iter().find_map(|first| {
            let conflict = self.conflict_of_keys(given, first);
            conflict.or_else(|| self.conflict_of_courses(given, first))
        })
    }

    /// A conflict of the first generations of the learning rate's courses to which a generation belongs.
    fn conflict_of_courses(&self, given: &Config, generation: u64) -> Option<Conflict> {
        let first = |config: &Config| Course::at(config, generation).first.to_string();
        let (kept, given) = (first(self), first(given));
        (kept != given).then_some(Conflict { key: "the first generation of the learning rate's course", kept, given })
    }

    /// The first conflict of the values that two configs have in a generation.
    fn conflict_of_keys(&self, given: &Config, generation: u64) -> Option<Conflict> {
        // Without positions the suite's other keys mean nothing.
        let is_unscored = self.suite.positions == 0 || given.suite.positions == 0;
        // "auto" means the run's.
        let has_any_isa = [self.isa, given.isa].contains(&IsaSetting::Auto);
        let is_free = |path: &str| match path {
            "isa" => has_any_isa,
            "suite.positions" => false,
            _ => is_unscored && path.starts_with("suite."),
        };
        let pairs = self.values_at(generation).into_iter().zip(given.values_at(generation));
        // The folder of labels may be moved.
        let is_moved = |key: &Key, kept: &Option<Value>, given: &Option<Value>| {
            key.path == "labeled.data" && kept.is_some() && given.is_some()
        };
        let conflicts = pairs.filter(|((key, kept), (_, given))| {
            let is_fixed = key.resume == Resume::Fixed && !is_free(key.path) && !is_moved(key, kept, given);
            kept != given && is_fixed
        });
        let conflict = |(key, kept): (&'static Key, Option<Value>), given: Option<Value>| Conflict {
            key: key.path,
            kept: shown(kept.as_ref()),
            given: shown(given.as_ref()),
        };
        conflicts.map(|(kept, (_, given))| conflict(kept, given)).next()
    }
}

/// The keys that may change when a run is resumed, each on an indented line.
pub fn changeable_keys() -> String {
    let keys = Config::keys().filter(|key| key.resume == Resume::MayChange);
    keys.map(|key| format!("  {}", key.path)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use doublecross_core::net::Isa;

    /// A config with another value for one key, of the right type but unchecked. A key that is absent gets one.
    fn with_other(config: &Config, path: &str) -> Config {
        if let Some((key, None)) = config.values().into_iter().find(|(key, _)| key.path == path) {
            let given = format!("{path}={}", key.example.unwrap());
            return Config::parse(&config.to_toml(), "run.toml", &[given]).unwrap();
        }
        let mut table: toml::Table = config.to_toml().parse().unwrap();
        let value = match path.split_once('.') {
            Some((section, name)) => &mut table[section][name],
            None => &mut table[path],
        };
        *value = match value.clone() {
            Value::Integer(whole) => Value::Integer(whole + 1),
            Value::Float(number) => Value::Float(number + 0.25),
            Value::String(word) if word == "portable" => Value::String("avx2".into()),
            Value::String(word) if word == "cpu" => Value::String("gpu".into()),
            Value::String(word) if word == "adamw" => Value::String("muon".into()),
            Value::String(word) if word == "5x5" => Value::String("5x4".into()),
            Value::String(word) if word == "solver" => Value::String("greedy".into()),
            Value::String(word) => Value::String(word + "x"),
            other => panic!("{path} = {other}"),
        };
        table.try_into().unwrap()
    }

    #[test]
    fn the_folder_of_labels_may_be_moved() {
        let with = |set: &[&str]| {
            let set: Vec<String> = set.iter().map(|text| text.to_string()).collect();
            Config::parse("board = \"3x3\"", "run.toml", &set).unwrap()
        };
        let (here, there) = (with(&["labeled.data=here"]), with(&["labeled.data=there"]));
        assert!(here.conflict(&there, 3).is_none());
        assert_eq!(here.conflict(&with(&[]), 3).unwrap().key, "labeled.data");
        assert_eq!(with(&[]).conflict(&there, 3).unwrap().key, "labeled.data");
    }

    #[test]
    fn each_key_may_change_or_conflicts() {
        let mut kept = Config { isa: IsaSetting::Named(Isa::Portable), ..Config::default() };
        kept.suite.positions = 10;
        let mut changeable = Vec::new();
        for key in Config::keys() {
            let given = with_other(&kept, key.path);
            assert_ne!(given, kept, "{}", key.path);
            match kept.conflict(&given, 0) {
                Some(conflict) => {
                    assert_eq!(conflict.key, key.path);
                    assert_ne!(conflict.kept, conflict.given);
                    assert_eq!(key.resume, Resume::Fixed, "{}", key.path);
                }
                None => changeable.push(key.path),
            }
        }
        assert_eq!(
            changeable,
            [
                "generations",
                "resources.threads",
                "resources.minutes",
                "resources.learn_device",
                "learn.schedule_generations",
                "suite.every",
                "suite.simulations",
                "finish.against",
                "finish.games",
                "finish.simulations",
                "finish.nodes",
            ]
        );
        let listed = changeable_keys();
        assert_eq!(listed.lines().map(str::trim).collect::<Vec<_>>(), changeable);
    }

    #[test]
    fn a_key_that_comes_or_goes_conflicts() {
        let absent = Config::default();
        let present = with_other(&absent, "selfplay.relabel_nodes");
        let conflict = absent.conflict(&present, 0).unwrap();
        assert_eq!((conflict.kept.as_str(), conflict.given.as_str()), ("none", "20000"));
        let conflict = present.conflict(&absent, 0).unwrap();
        assert_eq!((conflict.kept.as_str(), conflict.given.as_str()), ("20000", "none"));
        assert!(absent.conflict(&with_other(&absent, "resources.minutes"), 0).is_none());
    }

    #[test]
    fn auto_is_any_instruction_set() {
        let of = |isa| Config { isa, ..Config::default() };
        let [auto, portable, avx2] =
            [IsaSetting::Auto, IsaSetting::Named(Isa::Portable), IsaSetting::Named(Isa::Avx2)].map(of);
        assert!(auto.conflict(&portable, 0).is_none() && portable.conflict(&auto, 0).is_none());
        assert_eq!(portable.conflict(&avx2, 0).unwrap().key, "isa");
    }

    #[test]
    fn without_positions_the_suite_is_free() {
        let kept = Config::default();
        for path in ["suite.least_undrawn", "suite.most_undrawn", "suite.nodes"] {
            assert!(kept.conflict(&with_other(&kept, path), 0).is_none(), "{path}");
        }
        // Positions that come or go are another run.
        let scored = with_other(&with_other(&kept, "suite.positions"), "suite.nodes");
        for (kept, given) in [(&kept, &scored), (&scored, &kept)] {
            assert_eq!(kept.conflict(given, 0).unwrap().key, "suite.positions");
        }
    }
}
