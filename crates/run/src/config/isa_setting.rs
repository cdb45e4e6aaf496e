//! The instruction set that a config names.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use doublecross_core::net::Isa;

/// The instruction set that a config names for the networks of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum IsaSetting {
    /// The one that the run has, or the fastest of the machine that starts it: `"auto"`.
    #[default]
    Auto,
    /// This one, on every machine.
    Named(Isa),
}

impl IsaSetting {
    /// Returns the name of the setting in a config.
    pub fn name(self) -> &'static str {
        match self {
            IsaSetting::Auto => "auto",
            IsaSetting::Named(isa) => isa.name(),
        }
    }

    /// Returns the instruction set if one is named.
    pub fn named(self) -> Option<Isa> {
        match self {
            IsaSetting::Auto => None,
            IsaSetting::Named(isa) => Some(isa),
        }
    }
}

impl From<IsaSetting> for String {
    fn from(setting: IsaSetting) -> String {
        setting.name().into()
    }
}

impl TryFrom<String> for IsaSetting {
    type Error = UnknownSetting;

    fn try_from(name: String) -> Result<IsaSetting, UnknownSetting> {
        name.parse()
    }
}

impl FromStr for IsaSetting {
    type Err = UnknownSetting;

    /// Reads `auto` or the name of an instruction set, also of one that this processor lacks.
    fn from_str(name: &str) -> Result<IsaSetting, UnknownSetting> {
        match name {
            "auto" => Ok(IsaSetting::Auto),
            _ => Isa::named(name, &Isa::ALL).map(IsaSetting::Named).map_err(|_| UnknownSetting(name.into())),
        }
    }
}

/// A text that is no [`IsaSetting`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is not an instruction set (auto, {names})", names = Isa::ALL.map(Isa::name).join(", "))]
pub struct UnknownSetting(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_read_by_its_name() {
        for setting in [IsaSetting::Auto].into_iter().chain(Isa::ALL.map(IsaSetting::Named)) {
            assert_eq!(setting.name().parse(), Ok(setting));
            assert_eq!(setting.named().is_none(), setting == IsaSetting::default());
        }
        let error = "sse".parse::<IsaSetting>().unwrap_err().to_string();
        assert!(error.contains("\"sse\"") && error.contains("(auto, portable, neon, avx2"), "{error}");
    }
}
