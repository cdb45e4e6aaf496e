//! The comments in `configs/*.toml` and the tables in `docs/configuration.md`, which are made from the
//! declarations of the keys. `DOUBLECROSS_BLESS=1 cargo test -p doublecross-run` writes them.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use toml::Value;

use doublecross_run::Config;
use doublecross_run::config::{Key, Resume};

/// The config as a file that says of each key what it means, below a comment of its own.
fn to_documented_toml(config: &Config, head: &str) -> String {
    let values: Vec<(&Key, Value)> = config.values();
    let mut text = format!("{}\n", head.trim_end());
    for section in Config::sections() {
        text.push('\n');
        if !section.name().is_empty() {
            text += &format!("# {}\n[{}]\n", section.doc, section.name());
        }
        let within = values.iter().filter(|(key, _)| section.keys.contains(key));
        let lines: Vec<(String, &str)> =
            within.map(|(key, value)| (format!("{} = {value}", name_of(key)), key.doc)).collect();
        let width = lines.iter().map(|(line, _)| line.len()).max().unwrap_or_default();
        for (line, doc) in lines {
            text += &format!("{line:width$}  # {doc}\n");
        }
    }
    for phase in &config.phases {
        text += &format!("\n# Keys that change from this generation on.\n[[phase]]\nfrom = {}\n", phase.from);
        for (key, value) in phase.changes() {
            text += &format!("{} = {value}\n", key.path);
        }
    }
    text
}

/// All keys as tables in Markdown, one for each table of the config.
fn keys_as_markdown() -> String {
    let defaults: Vec<(&Key, Value)> = Config::default().values();
    let mut text = String::new();
    for section in Config::sections() {
        let title =
            if section.name().is_empty() { "Above all tables".into() } else { format!("`[{}]`", section.name()) };
        text += &format!("### {title}\n\n{}\n\n", section.doc);
        text += "| key | default | range | may change on resume | meaning |\n|---|---|---|---|---|\n";
        for (key, value) in defaults.iter().filter(|(key, _)| section.keys.contains(key)) {
            let change = if key.resume == Resume::MayChange { "yes" } else { "no" };
            let range = range(key, value);
            text += &format!("| `{}` | `{value}` | {range} | {change} | {} |\n", key.path, key.doc);
        }
        text.push('\n');
    }
    text
}

/// The values that a key may have, in words.
fn range(key: &Key, value: &Value) -> String {
    match (key.range, value) {
        (Some((low, high)), _) => format!("{} to {}", grouped(low), grouped(high)),
        (None, Value::String(_)) => "see the meaning".into(),
        (None, _) => "0 or more".into(),
    }
}

/// A number with its thousands apart: 1,000,000.
fn grouped(number: f64) -> String {
    let text = number.to_string();
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        let separator = if place > 0 && (whole.len() - place).is_multiple_of(3) { "," } else { "" };
        write!(grouped, "{separator}{digit}").expect("a string can be written to");
    }
    grouped + fraction
}

/// The name of a key within its table.
fn name_of(key: &Key) -> &str {
    key.path.rsplit('.').next().unwrap_or(key.path)
}

/// Checks that a file says what it should, or writes it where `DOUBLECROSS_BLESS` is set.
fn check(path: &Path, found: &str, expected: &str) {
    if std::env::var_os("DOUBLECROSS_BLESS").is_some() {
        fs::write(path, expected).unwrap();
    } else {
        let path = path.display();
        let hint = "DOUBLECROSS_BLESS=1 cargo test --release -p doublecross-run --test generated writes it";
        assert!(found == expected, "{path} is not as the table of keys has it; {hint}");
    }
}

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

#[test]
fn configs_are_documented_by_the_table() {
    for name in ["smoke", "3x3", "3x3-alone", "4x4", "5x5", "any"] {
        let path = repository().join(format!("configs/{name}.toml"));
        let text = fs::read_to_string(&path).unwrap();
        let config = Config::parse(&text, name, &[]).unwrap();
        let head: Vec<&str> = text.lines().take_while(|line| line.starts_with('#')).collect();
        let documented = to_documented_toml(&config, &head.join("\n"));
        assert!(documented.lines().all(|line| line.chars().count() <= 150), "{documented}");
        assert_eq!(Config::parse(&documented, name, &[]).unwrap(), config);
        check(&path, &text, &documented);
    }
}

#[test]
fn the_page_of_keys_is_documented_by_the_table() {
    let path = repository().join("docs/configuration.md");
    let text = fs::read_to_string(&path).unwrap();
    let (start, end) = ("<!-- keys -->\n", "<!-- end keys -->");
    let (before, rest) = text.split_once(start).unwrap();
    let (_, after) = rest.split_once(end).unwrap();
    check(&path, &text, &format!("{before}{start}\n{}\n{end}{after}", keys_as_markdown()));
}

#[test]
fn a_key_says_what_it_means_in_one_line() {
    for key in Config::keys() {
        let doc = key.doc;
        assert!(doc.ends_with('.') && doc.chars().next().is_some_and(char::is_uppercase), "{}: {doc}", key.path);
        assert!(!doc.contains(['|', '\n']) && !doc.contains("  "), "{}: {doc}", key.path);
    }
}

#[test]
fn thousands_are_apart() {
    let texts = [0.0, 64.0, 1e3, 65536.0, 1e12, 0.01, 1e-6, 1234.5].map(grouped);
    assert_eq!(texts, ["0", "64", "1,000", "65,536", "1,000,000,000,000", "0.01", "0.000001", "1,234.5"]);
}
