//! Variants of a config.

use std::str::FromStr;

use super::TuneError;
use doublecross_run::Config;

/// The most characters of a variant's name.
const LONGEST: usize = 40;

/// A config under test, with its name.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The name, of letters, digits, `_` and `-`, which is that of its folder as well.
    pub name: String,
    /// The config, whose seed each trial replaces.
    pub config: Config,
}

/// The keys by which a variant differs from the config that is tuned.
///
/// ```
/// use doublecross_train::Changes;
/// let changes: Changes = "muon: learn.optimizer=muon learn.learning_rate=0.002".parse()?;
/// assert_eq!((changes.name.as_str(), changes.settings.len()), ("muon", 2));
/// assert!("learn.batch=64".parse::<Changes>().is_err());
/// # Ok::<(), doublecross_train::TuneError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    /// The variant's name.
    pub name: String,
    /// Settings of the form `key=value`, which [`Config::load`] takes.
    pub settings: Vec<String>,
}

impl FromStr for Changes {
    type Err = TuneError;

    /// Parses `NAME: KEY=VALUE KEY=VALUE ...`.
    fn from_str(text: &str) -> Result<Changes, TuneError> {
        let refused = |expected: &str| TuneError::Changes { text: text.into(), expected: expected.into() };
        let (name, settings) = text.split_once(':').ok_or_else(|| refused("NAME: KEY=VALUE ..."))?;
        let name = name.trim();
        let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
        if !is_plain || name.is_empty() || name.len() > LONGEST {
            return Err(refused("a name of letters, digits, `_` and `-` before the colon, 40 at most"));
        }
        let settings: Vec<String> = settings.split_whitespace().map(String::from).collect();
        if settings.is_empty() || settings.iter().any(|setting| !setting.contains('=')) {
            return Err(refused("KEY=VALUE, once or more, after the colon"));
        }
        Ok(Changes { name: name.into(), settings })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_parsed_and_other_texts_are_refused() {
        let changes: Changes = " wide :network.channels=64   learn.passes=2 ".parse().unwrap();
        assert_eq!(changes.name, "wide");
        assert_eq!(changes.settings, ["network.channels=64", "learn.passes=2"]);
        let long = format!("{}: seed=1", "x".repeat(41));
        for (text, part) in [
            ("", "NAME:"),
            ("network.channels=64", "NAME:"),
            (": a=1", "a name"),
            ("../x: a=1", "a name"),
            ("x.tsv: a=1", "a name"),
            ("a b: a=1", "a name"),
            (&long, "a name"),
            ("x:", "KEY=VALUE"),
            ("x: a", "KEY=VALUE"),
            ("x: a=1 b", "KEY=VALUE"),
        ] {
            let error = text.parse::<Changes>().unwrap_err().to_string();
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }
}
