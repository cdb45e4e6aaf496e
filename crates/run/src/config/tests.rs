use std::path::Path;

use proptest::prelude::*;
use toml::Value;

use super::*;

fn parse(text: &str, overrides: &[&str]) -> Result<Config, ConfigError> {
    let overrides: Vec<String> = overrides.iter().map(|s| s.to_string()).collect();
    Config::parse(text, "run.toml", &overrides)
}

fn message(text: &str, overrides: &[&str]) -> String {
    parse(text, overrides).unwrap_err().to_string()
}

fn in_repository(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

#[test]
fn defaults_overrides_and_the_resolved_copy() {
    let config = parse("seed = 9\n[learn]\nbatch = 64", &["learn.passes=2", "board=3x3", "seed=10"]).unwrap();
    assert_eq!((config.seed, config.learn.batch, config.learn.passes), (10, 64, 2));
    assert_eq!(config.board.to_string(), "3x3");
    assert!(config.resources.threads == 0 && config.resources.players() > 0);
    assert_eq!(config.selfplay, SelfPlayConfig::default());
    assert_eq!(parse(&config.to_toml(), &[]).unwrap(), config);
}

/// The values that a run goes by are an interface: a preset that resolves to others is another run.
#[test]
fn defaults_and_presets_resolve_to_the_same_values_as_ever() {
    let expected =
        |name: &str| std::fs::read_to_string(in_repository(&format!("tests/data/resolved/{name}.toml"))).unwrap();
    assert_eq!(Config::default().to_toml(), expected("default"));
    assert_eq!(parse("", &[]).unwrap(), Config::default());
    for name in ["smoke", "3x3", "3x3-alone", "4x4", "5x5", "any"] {
        let config = Config::load(&in_repository(&format!("configs/{name}.toml")), &[]).unwrap();
        assert_eq!(config.to_toml(), expected(name), "{name}");
    }
}

#[test]
fn unknown_keys_name_the_nearest() {
    let nearest_to = |text: &str, overrides: &[&str]| match parse(text, overrides) {
        Err(ConfigError::UnknownKey { key, nearest, .. }) => (key, nearest),
        other => panic!("{text} {overrides:?}: {other:?}"),
    };
    for (text, key, nearest) in [
        ("[learn]\nlerning_rate = 0.1", "learn.lerning_rate", "learn.learning_rate"),
        ("chanels = 3", "chanels", "network.channels"),
        ("threads = 2", "threads", "resources.threads"),
        // In quotes it is one key at the top, not one of a table.
        ("\"learn.batch\" = 64", "learn.batch", "learn.batch"),
        ("[lern]\nbatch = 64", "lern", "learn"),
    ] {
        assert_eq!(nearest_to(text, &[]), (key.into(), nearest.into()));
    }
    // A word of a name, or the first letters of its words.
    for (short, nearest) in
        [("sede", "seed"), ("learn.rate", "learn.learning_rate"), ("learn.lr", "learn.learning_rate")]
    {
        assert_eq!(nearest_to("", &[&format!("{short}=1")]), (short.into(), nearest.into()));
    }
}

#[test]
fn bad_values_say_what_was_expected() {
    for (text, part) in [
        ("board = \"10x10\"", "180 edges"),
        ("board = 5", "string"),
        ("[network]\nchannels = 40", "multiple of 16"),
        ("[learn]\npasses = 0", "learn.passes = 0 is out of range; expected 1 to 100"),
        ("[learn]\nema_decay = 1.1", "learn.ema_decay = 1.1 is out of range; expected 0 to 0.99999"),
        ("[learn]\nclip_norm = nan", "learn.clip_norm = NaN is out of range; expected 0.000001 to 1000000"),
        ("[labeled]\nleast_undrawn = 40", "labeled.least_undrawn = 40 is out of range; expected 0 to 36"),
        ("board = \"3x3\"\n[suite]\npositions = 9", "suite.least_undrawn = 28 is out of range; expected 0 to 23"),
        ("seed = \"x\"", "run.toml: invalid type: string \"x\", expected a whole number, at least 0 in `seed`"),
        ("[learn]\npasses = 300", "expected a whole number from 0 to 255 in `learn.passes`"),
        ("board = \"5x5\"\nseed = ", "run.toml:2:8: "),
        ("learn = 3", "expected a table in `learn`"),
        ("[seed]\nx = 3", "expected a whole number, at least 0 in `seed`"),
        ("[selfplay]\nroot_undrawn = 0\n[learn]\nedge_loss = 2", "learn.edge_loss = 2 learns from samples that"),
    ] {
        let error = message(text, &[]);
        assert!(error.contains(part), "{text:?}: {error}");
    }
    assert!(message("", &["seed"]).contains("key=value"));
    assert!(message("", &["seed=18446744073709551615"]).contains("at most 9223372036854775807"));
    assert!(message("", &["finish.simulations=1000000000000"]).contains("expected 0 to 1000000"));
}

/// The limits in the documents are those that are checked.
#[test]
fn each_key_takes_its_limits_and_nothing_beyond() {
    let defaults = Config::default();
    for (key, value) in defaults.values() {
        let Some((low, high)) = key.range else { continue };
        let (below, above) = match value {
            Value::Integer(_) => (low - 1.0, high + 1.0),
            _ => (low - 0.001, high * 1.001),
        };
        let set = |number: f64| format!("{}={number}", key.path);
        for limit in [low, high] {
            assert!(parse("", &[&set(limit)]).is_ok(), "{}: {:?}", set(limit), parse("", &[&set(limit)]));
        }
        for number in [below, above] {
            let error = message("", &[&set(number)]);
            assert!(error.contains(key.path) || error.contains(key.path.rsplit('.').next().unwrap()), "{error}");
            assert!(error.contains("out of range") || error.contains("expected"), "{error}");
        }
    }
}

proptest! {
    /// No text ends the program.
    #[test]
    fn any_override_is_read_or_refused(key in "[a-z_.]{0,20}", value in "[0-9a-z.\\-\"= ]{0,12}", place in 0usize..80) {
        let known = Config::keys().nth(place).map_or(key, |key| key.path.into());
        if let Ok(config) = parse("", &[&format!("{known}={value}")]) {
            prop_assert_eq!(parse(&config.to_toml(), &[]).unwrap(), config);
        }
    }
}

#[test]
fn configs_in_the_documents_are_read() {
    let text = std::fs::read_to_string(in_repository("docs/configuration.md")).unwrap();
    let examples: Vec<&str> = text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(examples.len(), 1);
    for example in examples {
        assert_eq!(parse(example, &[]).unwrap().phases.len(), 2);
    }
}
