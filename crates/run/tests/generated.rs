//! The comments in `configs/*.toml` and the tables in `docs/configuration.md`, which are made from the
//! declarations of the keys. `DOUBLECROSS_BLESS=1 cargo test -p doublecross-run` writes them.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use toml::Value;

use doublecross_core::board::Board;
use doublecross_run::Config;
use doublecross_run::config::{Key, Resume, reach_of};

/// All keys as tables in Markdown, one for each table of the config, and the values that follow from the board.
fn keys_as_markdown() -> String {
    let defaults: Vec<(&Key, Option<Value>)> = Config::default().values();
    let mut text = String::new();
    for section in Config::sections() {
        let title =
            if section.name().is_empty() { "Above all tables".into() } else { format!("`[{}]`", section.name()) };
        text += &format!("### {title}\n\n{}\n\n", section.doc);
        text += "| key | default | range | meaning |\n|---|---|---|---|\n";
        for (key, value) in defaults.iter().filter(|(key, _)| section.keys.contains(key)) {
            // Bold where it may change on resume.
            let bold = if key.resume == Resume::MayChange { "**" } else { "" };
            let default = match value {
                None => "absent".into(),
                Some(_) if key.path == "reach" => "by the board".into(),
                Some(value) => format!("`{value}`"),
            };
            text += &format!("| {bold}`{}`{bold} | {default} | {} | {} |\n", key.path, range(key, value), key.doc);
        }
        text.push('\n');
    }
    text + &board_as_markdown()
}

/// The reach by the board, in Markdown.
fn board_as_markdown() -> String {
    let boards = ["3x3", "4x4", "4x5", "5x5", "6x6", "7x7", "8x8", "9x9"].map(|name| name.parse::<Board>().unwrap());
    let row = |cells: [String; 8]| cells.join(" | ");
    format!(
        "### Values by the board\n\n| board | {} |\n|---|{}\n| `reach` | {} |\n",
        row(boards.map(|board| board.to_string())),
        "---|".repeat(boards.len()),
        row(boards.map(|board| reach_of(board).to_string()))
    )
}

/// The values that a key may have, in words.
fn range(key: &Key, value: &Option<Value>) -> String {
    let is_text = value.as_ref().is_some_and(Value::is_str) || key.example.is_some_and(|text| text.starts_with('"'));
    match key.range {
        Some((low, high)) => format!("{} to {}", grouped(low), grouped(high)),
        None if is_text => "text".into(),
        None => "0 or more".into(),
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
        let documented = config.to_commented_toml(&head.join("\n"));
        let long: Vec<&str> = documented.lines().filter(|line| line.chars().count() > 150).collect();
        assert!(long.is_empty(), "{long:#?}");
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
