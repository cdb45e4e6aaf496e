//! The machines of a fleet: names and roles.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The name of a machine of a fleet: 1 to 32 of the characters `a` to `z`, `0` to `9` and `-`, the
/// first of which is not `-`.
///
/// Names become tokens of subjects and parts of file names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct MachineName(String);

/// The most characters of a machine's name.
const MOST_CHARACTERS: usize = 32;

/// The text is not a machine's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it must be 1 to 32 of the characters a to z, 0 to 9 and -, and not begin with - (as in worker-1)")]
pub struct NameError;

impl MachineName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for MachineName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<MachineName, NameError> {
        let is_known = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        let is_name = (1..=MOST_CHARACTERS).contains(&text.len()) && text.bytes().all(is_known);
        if is_name && !text.starts_with('-') { Ok(MachineName(text.into())) } else { Err(NameError) }
    }
}

impl TryFrom<String> for MachineName {
    type Error = NameError;

    fn try_from(text: String) -> Result<MachineName, NameError> {
        text.parse()
    }
}

impl From<MachineName> for String {
    fn from(name: MachineName) -> String {
        name.0
    }
}

impl fmt::Display for MachineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The part of a machine in a fleet, which its permissions follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Has the run's folder, offers parcels and collects results. It may do everything.
    Coordinator,
    /// Plays games, and hands in under its own name.
    Worker,
    /// Asks for the state of the run.
    Observer,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 3] = [Role::Coordinator, Role::Worker, Role::Observer];

    /// The work of a machine of this role, as in "a machine that plays games".
    pub fn does(self) -> &'static str {
        match self {
            Role::Coordinator => "coordinates",
            Role::Worker => "plays games",
            Role::Observer => "observes",
        }
    }

    /// The name of the role.
    pub fn name(self) -> &'static str {
        match self {
            Role::Coordinator => "coordinator",
            Role::Worker => "worker",
            Role::Observer => "observer",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A machine that the server lets in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Its name, of which there is one in a fleet.
    pub name: MachineName,
    /// Its part.
    pub role: Role,
    /// The public half of its NKey.
    pub public_key: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_tokens_of_subjects_and_parts_of_file_names() {
        for good in ["a", "worker-1", "0", "a-", &"z".repeat(32)] {
            assert_eq!(good.parse::<MachineName>().unwrap().as_str(), good);
        }
        for bad in ["", "-a", "A", "a.b", "a/b", "..", "a b", "*", ">", "a\n", "ä", "a_b", &"z".repeat(33)] {
            assert_eq!(bad.parse::<MachineName>(), Err(NameError), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_else_is_a_name(text in "\\PC{0,40}") {
            if let Ok(name) = text.parse::<MachineName>() {
                prop_assert!(name.as_str().bytes().all(|b| b == b'-' || b.is_ascii_lowercase() || b.is_ascii_digit()));
                prop_assert!(name.as_str().len() <= 32);
            }
        }
    }
}
