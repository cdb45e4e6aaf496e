use std::path::Path;

use proptest::prelude::*;

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
    assert_eq!((config.board.to_string().as_str(), config.reach), ("3x3", 18));
    assert!(config.resources.threads.is_none() && config.resources.players() > 0);
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
        assert_eq!(nearest_to(text, &[]), (key.into(), Some(nearest.into())));
    }
    // Nothing is like these.
    for far in ["quux", "learn.momentum", "gpu"] {
        assert_eq!(nearest_to("", &[&format!("{far}=1")]), (far.into(), None));
    }
    // A word of a name, the first letters of its words, or a dot between them.
    for (short, nearest) in [
        ("sede", "seed"),
        ("learn.rate", "learn.learning_rate"),
        ("learn.lr", "learn.learning_rate"),
        ("learn.device", "resources.learn_device"),
    ] {
        assert_eq!(nearest_to("", &[&format!("{short}=1")]), (short.into(), Some(nearest.into())));
    }
}

/// A file of an earlier version lists keys that nothing depends on any more.
#[test]
fn retired_keys_are_for_files_alone() {
    let text = "[resources]\nselfplay_device = \"cpu\"\ngames_at_once = 64\nthreads = 3";
    let config = parse(text, &[]).unwrap();
    assert_eq!(config.resources.threads, Some(3));
    assert!(!config.to_toml().contains("selfplay_device"));
    let refused = parse("", &["resources.selfplay_device=cpu"]).unwrap_err();
    assert!(matches!(refused, ConfigError::UnknownKey { key, .. } if key == "resources.selfplay_device"));
}

#[test]
fn bad_values_say_why() {
    for (text, part) in [
        ("seed = 1\nboard = \"10x10\"", "run.toml:2: board = \"10x10\": "),
        ("board = \"10x10\"", "180 edges"),
        ("board = 5", "run.toml:1: board = 5 is not a text in quotes"),
        ("[network]\nchannels = 40", "run.toml for 5x5: network.channels = 40 is not a multiple of 16"),
        ("[learn]\npasses = 0", "for 5x5: learn.passes = 0 is out of range (1 to 100)"),
        ("[learn]\nema_decay = 1.1", "learn.ema_decay = 1.1 is out of range (0 to 0.99999)"),
        ("[learn]\nclip_norm = nan", "learn.clip_norm = NaN is out of range (0.000001 to 1000000)"),
        ("[finish]\nnodes = 0", "finish.nodes = 0 is out of range (1 to 1000000000000, or none)"),
        ("[labeled]\nleast_undrawn = 40", "labeled.least_undrawn = 40 is more than labeled.most_undrawn = 37"),
        (
            "board = \"3x3\"\n[suite]\npositions = 9\nleast_undrawn = 24\nmost_undrawn = 28",
            "for 3x3: suite.least_undrawn = 24 leaves no position to score on (23 or less)",
        ),
        ("[learn]\nseed = 4\nbatch = \"x\"", "run.toml:2: unknown key `learn.seed`; did you mean `seed`?"),
        ("# A comment.\nseed = \"x\"", "run.toml:2: seed = \"x\" is not a whole number of 0 or more"),
        ("[learn]\npasses = 300", "run.toml:2: learn.passes = 300 is not a whole number from 0 to 255"),
        ("[learn]\noptimizer = \"adam\"", "run.toml:2: learn.optimizer = \"adam\" is not \"adamw\" or \"muon\""),
        ("[resources]\nminutes = \"x\"", "run.toml:2: resources.minutes = \"x\" is not a number"),
        ("board = \"5x5\"\nseed = ", "run.toml:2:8: "),
        ("learn = 3", "run.toml:1: learn = 3 is not a table"),
        ("[seed]\nx = 3", "run.toml:1: seed = { x = 3 } is not a whole number of 0 or more"),
        ("mixture = \"\"", "run.toml:1: mixture = \"\": it names no board"),
        ("mixture = \"6x6:1\"", "for 5x5: mixture = \"6x6:1\": 6x6 is larger than the run's board"),
        ("[learn]\nedge_loss = 2", "learn.edge_loss = 2 has no exact answers to learn from"),
        (
            "board = \"2x2\"\n[[phase]]\nfrom = 2\nlabeled.positions = 3\nlabeled.least_undrawn = 99\nlabeled.most_undrawn = 99",
            "phase 1: labeled.least_undrawn = 99 is more than the 12 edges of 2x2",
        ),
    ] {
        let error = message(text, &[]);
        assert!(error.contains(part), "{text:?}: {error}");
        assert!(!error.contains("expected ") || error.starts_with("run.toml:2:8"), "{error}");
    }
    assert_eq!(message("", &["seed"]), "--set seed: write key=value");
    assert!(message("", &["seed=18446744073709551615"]).contains("at most 9223372036854775807"));
    assert!(message("", &["finish.simulations=1000000000000"]).contains("(0 to 1000000)"));
    assert_eq!(
        message("", &["learn.batch=none"]),
        "--set learn.batch=none: not a whole number of 0 or more, and this key is never absent"
    );
    assert_eq!(message("", &["mixture=3x3"]), "--set mixture=3x3: \"3x3\" is not a board with its share, as in 3x3:1");
}

#[test]
fn none_takes_a_key_away() {
    let text = "mixture = \"3x3:1 5x5:2\"\n[selfplay]\nroot_undrawn = 20\nleaf_safe = \"none\"\n[finish]\nnodes = 9";
    let config = parse(text, &[]).unwrap();
    assert_eq!((config.selfplay.root_undrawn, config.selfplay.leaf_safe), (Some(20), None));
    let set = ["mixture=none", "selfplay.root_undrawn=none", "finish.nodes= none", "finish.nodes=none"];
    let config = parse(text, &set).unwrap();
    assert!(config.mixture.is_none() && config.selfplay.root_undrawn.is_none() && config.finish.nodes.is_none());
    // The last word on a key counts.
    let config = parse(text, &["finish.nodes=none", "finish.nodes=5"]).unwrap();
    assert_eq!(config.finish.nodes, Some(5));
    for key in Config::keys().filter(|key| key.is_optional()) {
        let config = parse("", &[&format!("{}={}", key.path, key.example.unwrap())]).unwrap();
        let has = |config: &Config| config.values().iter().any(|(known, value)| *known == key && value.is_some());
        assert!(has(&config), "{}", key.path);
        assert!(!has(&parse(&config.to_toml(), &[&format!("{}=none", key.path)]).unwrap()), "{}", key.path);
    }
}

#[test]
fn a_board_alone_is_a_config() {
    for name in ["1x1", "2x2", "2x3", "3x5", "6x6", "9x9"] {
        let board = format!("board = \"{name}\"");
        let text = format!("{board}\n[suite]\npositions = 20\n[labeled]\npositions = 20");
        let config = parse(&text, &[]).unwrap();
        assert!(config.suite_on(config.board).most_undrawn < config.board.edges(), "{name}");
        assert!(config.at(1).labeled.most_undrawn.unwrap() < config.board.edges(), "{name}");
        let smoke = std::fs::read_to_string(in_repository("configs/smoke.toml")).unwrap();
        let smoke = parse(&smoke, &[&format!("board={name}")]).unwrap();
        let suite = smoke.suite_on(smoke.board);
        let own = config.suite_on(config.board);
        if name != "2x2" {
            assert_eq!((suite.least_undrawn, suite.most_undrawn), (own.least_undrawn, own.most_undrawn), "{name}");
        }
        // The solver stays out of it.
        assert_eq!((smoke.selfplay.root_nodes, smoke.selfplay.leaf_nodes), (0, 0), "{name}");
    }
}

#[test]
fn another_board_brings_its_own_limits() {
    let text = std::fs::read_to_string(in_repository("configs/5x5.toml")).unwrap();
    let limits = |config: &Config| {
        let GenerationConfig { selfplay, labeled, .. } = config.at(1);
        let SelfPlayConfig { root_undrawn, leaf_undrawn, band_undrawn, .. } = selfplay;
        let LabeledConfig { least_undrawn, most_undrawn, band_undrawn: walk, .. } = labeled;
        [root_undrawn, leaf_undrawn, band_undrawn, least_undrawn, most_undrawn, walk].map(Option::unwrap)
    };
    assert_eq!(limits(&parse(&text, &[]).unwrap()), [38, 26, 16, 28, 37, 16]);
    let config = parse(&text, &["board=3x3"]).unwrap();
    assert_eq!((limits(&config), config.selfplay.opening_edges), ([18, 13, 8, 14, 18, 8], 6));
    let set = ["board=6x6", "selfplay.root_undrawn=40", "selfplay.opening_edges=3", "suite.nodes=7"];
    let config = parse(&text, &set).unwrap();
    assert_eq!(limits(&config), [40, 37, 27, 39, 48, 27]);
    assert_eq!((config.selfplay.opening_edges, config.suite.nodes, config.labeled.nodes), (3, 7, 400_000));
    // One number moves them all.
    let config = parse(&text, &["reach=40"]).unwrap();
    assert_eq!(limits(&config), [40, 28, 18, 30, 39, 18]);
    let suite = config.suite_on(config.board);
    assert_eq!((suite.least_undrawn, suite.most_undrawn), (30, 38));
    // The board that the file has changes nothing.
    assert_eq!(parse(&text, &["board=5x5"]).unwrap(), parse(&text, &[]).unwrap());
    let phases = "[[phase]]\nfrom = 5\nlabeled = { positions = 5, least_undrawn = 30 }\n\
                  [[phase]]\nfrom = 7\nselfplay.root_undrawn = 30";
    let config = parse(phases, &["board=3x3"]).unwrap();
    assert_eq!(
        (config.phases.len(), config.at(5).labeled.positions, config.at(5).labeled.least_undrawn),
        (1, 5, Some(14))
    );
}

/// The limits in the documents are those that are checked.
#[test]
fn each_key_takes_its_limits_and_nothing_beyond() {
    /// Spans that have room for any limit.
    const WIDE: [&str; 6] = [
        "labeled.least_undrawn=0",
        "labeled.most_undrawn=180",
        "suite.least_undrawn=0",
        "suite.most_undrawn=180",
        "selfplay.root_nodes=9",
        "labeled.positions=1",
    ];
    let defaults = Config::default();
    for (key, value) in defaults.values() {
        let Some((low, high)) = key.range else { continue };
        let is_whole = value.map_or(key.example.unwrap_or("").parse::<u64>().is_ok(), |value| value.is_integer());
        let (below, above) = if is_whole { (low - 1.0, high + 1.0) } else { (low - 0.001, high * 1.001) };
        let set = |number: f64| format!("{}={number}", key.path);
        for limit in [low, high] {
            // Edge values are learned from exact answers.
            let config = parse("", &[&WIDE[..], &[&set(limit)]].concat());
            // The board has fewer edges than the largest.
            if ["reach", "labeled.least_undrawn"].contains(&key.path) && limit > 60.0 {
                assert!(message("", &[&WIDE[..], &[&set(limit)]].concat()).contains("60 edges of 5x5"));
                continue;
            }
            assert!(config.is_ok(), "{}: {config:?}", set(limit));
        }
        for number in [below, above] {
            let error = message("", &[&set(number)]);
            assert!(error.contains(key.path) || error.contains(key.path.rsplit('.').next().unwrap()), "{error}");
            assert!(error.contains("out of range") || error.contains("not a whole number"), "{error}");
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
