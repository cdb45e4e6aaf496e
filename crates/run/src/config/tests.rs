use std::path::Path;

use proptest::prelude::*;
use toml::Value;

use super::processor::Processor;
use super::*;

fn parse_all(text: &str, overrides: &[&str]) -> Result<(Config, Vec<String>), String> {
    let overrides: Vec<String> = overrides.iter().map(|s| s.to_string()).collect();
    let (config, notices) = Config::parse(text, "run.toml", &overrides).map_err(|error| error.to_string())?;
    Ok((config, notices.iter().map(|notice| notice.to_string()).collect()))
}

fn parse(text: &str, overrides: &[&str]) -> Result<Config, String> {
    parse_all(text, overrides).map(|(config, _)| config)
}

fn in_repository(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

#[test]
fn defaults_overrides_and_the_resolved_copy() {
    let config = parse("seed = 9\n[learn]\nbatch = 64", &["learn.passes=2", "board=3x3", "seed=10"]).unwrap();
    assert_eq!((config.seed, config.learn.batch, config.learn.passes), (10, 64, 2));
    assert_eq!(config.board, "3x3");
    assert!(config.threads == 0 && config.threads_of_games() > 0);
    assert_eq!(config.selfplay, SelfPlayConfig::default());
    assert_eq!(parse(&config.to_toml(), &[]).unwrap(), config);
}

/// The values that a run goes by are an interface: a preset that resolves to others is another run.
#[test]
fn defaults_and_presets_resolve_to_the_same_values_as_ever() {
    let expected =
        |name: &str| std::fs::read_to_string(in_repository(&format!("tests/data/configs/{name}.toml"))).unwrap();
    assert_eq!(Config::default().to_toml(), expected("default"));
    assert_eq!(parse("", &[]).unwrap(), Config::default());
    for name in ["smoke", "3x3", "3x3-alone", "4x4", "5x5", "any"] {
        let (config, notices) = Config::load(&in_repository(&format!("configs/{name}.toml")), &[]).unwrap();
        assert_eq!(config.to_toml(), expected(name), "{name}");
        assert!(notices.is_empty(), "{name}");
    }
}

#[test]
fn unknown_keys_name_the_nearest() {
    let error = parse("[learn]\nlerning_rate = 0.1", &[]).unwrap_err();
    assert_eq!(error, "run.toml: unknown key `learn.lerning_rate`; did you mean `learn.learning_rate`?");
    let error = parse("chanels = 3", &[]).unwrap_err();
    assert!(error.contains("did you mean `network.channels`"), "{error}");
    let error = parse("", &["sede=3"]).unwrap_err();
    assert!(error.contains("--set sede=3") && error.contains("`seed`"), "{error}");
    // In quotes it is one key at the top, not one of a table.
    let error = parse("\"learn.batch\" = 64", &[]).unwrap_err();
    assert_eq!(error, "run.toml: unknown key `learn.batch`; did you mean `learn.batch`?");
    let error = parse("[lern]\nbatch = 64", &[]).unwrap_err();
    assert_eq!(error, "run.toml: unknown key `lern`; did you mean `learn`?");
    // A word of a name, or the first letters of its words.
    for short in ["learn.rate", "learn.lr"] {
        let error = parse("", &[&format!("{short}=1")]).unwrap_err();
        assert!(error.ends_with("did you mean `learn.learning_rate`?"), "{error}");
    }
    // A slip in an old name leads to the new one.
    for (slip, name) in
        [("learn.avraging", "learn.ema_decay"), ("study.positons", "labelled.positions"), ("studdy", "labelled")]
    {
        let error = parse("", &[&format!("{slip}=1")]).unwrap_err();
        assert_eq!(error, format!("--set {slip}=1: unknown key `{slip}`; did you mean `{name}`?"));
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
        ("[labelled]\nleast_undrawn = 40", "labelled.least_undrawn = 40 is out of range; expected 0 to 36"),
        ("[study]\nleast_undrawn = 40", "labelled.least_undrawn = 40 is out of range; expected 0 to 36"),
        ("board = \"3x3\"\n[suite]\npositions = 9", "suite.least_undrawn = 28 is out of range; expected 0 to 23"),
        ("seed = \"x\"", "run.toml: invalid type: string \"x\", expected a whole number, at least 0 in `seed`"),
        ("[learn]\npasses = 300", "expected a whole number from 0 to 255 in `learn.passes`"),
        ("board = \"5x5\"\nseed = ", "run.toml:2:8: "),
        ("learn = 3", "expected a table in `learn`"),
        ("study = 3", "expected a table in `study`"),
        ("[seed]\nx = 3", "expected a whole number, at least 0 in `seed`"),
        ("[selfplay]\nroot_undrawn = 0\n[learn]\nedge_loss = 2", "learn.edge_loss = 2 learns from samples that"),
        ("board = \"3x3\"\n[selfplay]\nbook_share = 0.5", "none of 3x3; expected 0, or a board with a book: 5x5"),
    ] {
        let error = parse(text, &[]).unwrap_err();
        assert!(error.contains(part), "{text:?}: {error}");
    }
    assert!(parse("", &["seed"]).unwrap_err().contains("key=value"));
    assert!(parse("", &["seed=18446744073709551615"]).unwrap_err().contains("at most 9223372036854775807"));
    assert!(parse("", &["finish.simulations=1000000000000"]).unwrap_err().contains("expected 0 to 1000000"));
}

/// Whoever resumes a run may have a program without a GPU; only what is to be used needs one.
#[test]
fn the_config_of_a_run_is_read_whatever_it_learnt_on() {
    let text = Config { learn: LearnConfig { device: Processor::Gpu, ..Default::default() }, ..Default::default() };
    let text = text.to_toml();
    assert_eq!(Config::resolve(&text, "run.toml", &[]).unwrap().0.learn.device, Processor::Gpu);
    assert_eq!(parse(&text, &[]).is_ok(), cfg!(feature = "wgpu"));
}

#[test]
fn old_names_are_read_with_a_notice() {
    let text =
        "[selfplay]\nconsidered = 8\n[study]\npositions = 5\nnodes = 7\n[learn]\nwindow_rows = 9\naveraging = 0.5";
    let (config, notices) = parse_all(text, &[]).unwrap();
    let new = "[selfplay]\nmax_considered = 8\n[labelled]\npositions = 5\nnodes = 7\n[learn]\nwindow_samples = 9\nema_decay = 0.5";
    assert_eq!(parse_all(new, &[]).unwrap(), (config, Vec::new()));
    assert_eq!(
        notices,
        [
            "run.toml: selfplay.considered is now called selfplay.max_considered; the old name is still read",
            "run.toml: [study] is now called [labelled]; the old name is still read",
            "run.toml: learn.window_rows is now called learn.window_samples; the old name is still read",
            "run.toml: learn.averaging is now called learn.ema_decay; the old name is still read",
        ]
    );
    // Each by itself as an override.
    let old_names = Config::keys().filter_map(|key| Some((key.path, key.old_path?)));
    for (path, old) in old_names {
        let value = if path == "learn.ema_decay" { "0.25" } else { "30" };
        let (config, notices) = parse_all("", &[&format!("{old}={value}")]).unwrap();
        assert_eq!(config, parse("", &[&format!("{path}={value}")]).unwrap());
        assert!(config != Config::default() && notices.len() == 1, "{notices:?}");
        assert!(notices[0].starts_with(&format!("--set {old}={value}: ")), "{notices:?}");
    }
}

#[test]
fn an_old_name_beside_the_new_one_is_refused() {
    let error = parse("[learn]\naveraging = 0.5\nema_decay = 0.9", &[]).unwrap_err();
    let told = "`learn.averaging` is the old name of `learn.ema_decay`, and both are given; remove one of them";
    assert_eq!(error, format!("run.toml: {told}"));
    let error = parse("[study]\nnodes = 5\n[labelled]\npositions = 2\nnodes = 5", &[]).unwrap_err();
    assert!(error.contains("`study.nodes` is the old name of `labelled.nodes`"), "{error}");
    // Different keys of the table may come under either name, and an override is laid over both.
    let text = "[study]\nnodes = 5\n[labelled]\npositions = 2";
    let config = parse(text, &["labelled.nodes=6", "study.positions=3"]).unwrap();
    assert_eq!((config.labelled.positions, config.labelled.nodes), (3, 6));
    assert_eq!(parse("[study]", &[]).unwrap(), Config::default());
}

/// The records of the runs behind the pretrained networks have the names of their time.
#[test]
fn the_configs_of_pretrained_networks_are_read() {
    for name in ["5x5-small", "5x5-large"] {
        let path = in_repository(&format!("checkpoints/{name}/config.toml"));
        let (config, notices) = Config::load(&path, &[]).unwrap();
        assert_eq!(notices.len(), 4, "{name}: {notices:?}");
        assert_eq!(config, Config::load_kept(&path).unwrap(), "{name}");
        // Nothing but the names is another.
        let names = [("[study]", "[labelled]"), ("\nconsidered", "\nmax_considered")];
        let names = [names, [("\nwindow_rows", "\nwindow_samples"), ("\naveraging", "\nema_decay")]].concat();
        let text = std::fs::read_to_string(&path).unwrap();
        let renamed = names.iter().fold(text, |text, (old, new)| text.replace(old, new));
        assert_eq!(parse_all(&renamed, &[]).unwrap(), (config, Vec::new()), "{name}");
    }
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
            let error = parse("", &[&set(number)]).unwrap_err();
            assert!(error.contains(key.path) || error.contains(key.path.rsplit('.').next().unwrap()), "{error}");
            assert!(error.contains("expected"), "{error}");
        }
    }
}

proptest! {
    /// No text ends the program.
    #[test]
    fn any_override_is_read_or_refused(key in "[a-z_.]{0,20}", value in "[0-9a-z.\\-\"= ]{0,12}", place in 0usize..80) {
        let known = Config::keys().nth(place).map_or(key, |key| key.path.into());
        if let Ok((config, _)) = parse_all("", &[&format!("{known}={value}")]) {
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
