//! The places of keys in a file, for errors.

use toml::de::{DeTable, DeValue};

/// The origin of a layer of a config.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin<'a> {
    /// A file, by its name, with its text.
    File(&'a str, &'a str),
    /// An override, as it was given.
    Setting(&'a str),
}

impl Origin<'_> {
    /// Returns the place of a key, as in `run.toml:7`, given the number of its phase if it is in one.
    pub fn place(self, phase: Option<usize>, path: &str) -> String {
        let place = match self {
            Origin::File(name, text) => match line(text, phase, path) {
                Some(line) => format!("{name}:{line}"),
                None => name.into(),
            },
            Origin::Setting(name) => name.into(),
        };
        match phase {
            Some(number) => format!("{place}, phase {number}"),
            None => place,
        }
    }
}

/// Returns the line of a key in a text, or of the table that it should be in.
fn line(text: &str, phase: Option<usize>, path: &str) -> Option<usize> {
    let document = DeTable::parse(text).ok()?;
    let mut found = None;
    let mut table = document.get_ref();
    if let Some(number) = phase {
        let phases = table.get("phase")?.get_ref();
        let phase = phases.as_array()?.get(number - 1)?;
        found = Some(phase.span().start);
        table = phase.get_ref().as_table()?;
    }
    let whole = [path];
    // A key in quotes may have dots in its own name.
    let names = if table.get(path).is_some() { &whole[..] } else { &path.split('.').collect::<Vec<_>>() };
    for name in names {
        let Some((key, value)) = table.iter().find(|(key, _)| key.get_ref() == name) else { break };
        found = Some(key.span().start);
        match value.get_ref() {
            DeValue::Table(inner) => table = inner,
            _ => break,
        }
    }
    Some(1 + text.get(..found?)?.matches('\n').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_tables_and_phases() {
        let text = "seed = 1\n[learn]\nbatch = 2\n\n[[phase]]\nfrom = 3\n[[phase]]\nfrom = 4\nlearn.passes = 2\n\
                    network = { blocks = 3 }\n\"a.b\" = 1\n";
        for (phase, path, expected) in [
            (None, "seed", "run.toml:1"),
            (None, "learn.batch", "run.toml:3"),
            (None, "learn", "run.toml:2"),
            (Some(1), "", "run.toml:5, phase 1"),
            (Some(2), "learn.passes", "run.toml:9, phase 2"),
            (Some(2), "network.blocks", "run.toml:10, phase 2"),
            (Some(2), "a.b", "run.toml:11, phase 2"),
            (None, "suite.every", "run.toml"),
        ] {
            assert_eq!(Origin::File("run.toml", text).place(phase, path), expected, "{path}");
        }
        assert_eq!(Origin::Setting("--set seed=x").place(None, "seed"), "--set seed=x");
    }
}
