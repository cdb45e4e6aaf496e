//! `state.json`: the counters of a checkpoint, and the checksums that tie its files together.
//!
//! The last member, `checksum`, is the [`checksum`] of all bytes before the comma that precedes it.
//! The file is written whole, so any other byte is damage.

use serde::{Deserialize, Serialize};

use crate::record::Record;
use doublecross_core::net::checksum;

/// The version of the format.
const FORMAT: u32 = 2;

/// The text between the contents and their checksum.
const BEFORE_CHECKSUM: &str = ",\n  \"checksum\": \"";

/// The text behind the checksum.
const AFTER_CHECKSUM: &str = "\"\n}\n";

/// The counters of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunState {
    /// The number of generations finished.
    pub generation: u64,
    /// The number of learning steps done.
    pub steps: u64,
    /// The number of those before the present course of the learning rate.
    pub steps_before_course: u64,
    /// The line of `progress.jsonl` for this generation, which holds the other counters.
    pub record: Record,
    /// The run's config as TOML.
    pub config: String,
}

/// The checksums of a checkpoint's other files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sums {
    pub ema: u64,
    pub weights: u64,
    pub optimizer: u64,
}

/// The members of the file before its checksum.
#[derive(Serialize, Deserialize)]
struct Members {
    format: u32,
    generation: u64,
    steps: u64,
    /// Absent in a run's first course.
    #[serde(default, skip_serializing_if = "is_zero")]
    steps_before_course: u64,
    record: Record,
    config: String,
    files: Files,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The checksums of files by their names, in hexadecimal digits.
#[derive(Serialize, Deserialize)]
struct Files {
    #[serde(rename = "ema.dxw")]
    ema: String,
    #[serde(rename = "model.dxw")]
    weights: String,
    #[serde(rename = "optimizer.bin")]
    optimizer: String,
}

/// A state as it was read.
pub(super) struct StateFile {
    pub state: RunState,
    pub sums: Sums,
}

impl StateFile {
    /// Returns the file's text.
    pub fn to_text(state: &RunState, sums: Sums) -> serde_json::Result<String> {
        let hex = |sum: u64| format!("{sum:016x}");
        let Sums { ema, weights, optimizer } = sums;
        let files = Files { ema: hex(ema), weights: hex(weights), optimizer: hex(optimizer) };
        let RunState { generation, steps, steps_before_course, record, config } = state.clone();
        let members = Members { format: FORMAT, generation, steps, steps_before_course, record, config, files };
        let mut text = serde_json::to_string_pretty(&members)?;
        text.truncate(text.trim_end_matches('}').trim_end().len());
        let sum = checksum(text.as_bytes());
        Ok(format!("{text}{BEFORE_CHECKSUM}{sum:016x}{AFTER_CHECKSUM}"))
    }

    /// Reads the file's text.
    ///
    /// # Errors
    /// Returns a description of the damage.
    pub fn parse(text: &[u8]) -> Result<StateFile, String> {
        let members: Members = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        let Members { format, generation, steps, steps_before_course, record, config, files } = members;
        if format != FORMAT {
            return Err(format!("format {format}; this program reads format {FORMAT}"));
        }
        check_sum(text)?;
        let number = |digits: &str| u64::from_str_radix(digits, 16).map_err(|error| error.to_string());
        let Files { ema, weights, optimizer } = files;
        let sums = Sums { ema: number(&ema)?, weights: number(&weights)?, optimizer: number(&optimizer)? };
        if (record.generation, record.steps) != (generation, steps) {
            return Err(format!(
                "generation {generation} and {steps} steps, but its record has generation {} and {} steps",
                record.generation, record.steps
            ));
        }
        if steps_before_course > steps {
            return Err(format!("`steps_before_course` is {steps_before_course}, more than `steps`, which is {steps}"));
        }
        Ok(StateFile { state: RunState { generation, steps, steps_before_course, record, config }, sums })
    }
}

/// Checks the checksum at the end of the text.
fn check_sum(text: &[u8]) -> Result<(), String> {
    let tail = BEFORE_CHECKSUM.len() + 16 + AFTER_CHECKSUM.len();
    let Some((contents, found)) = text.len().checked_sub(tail).map(|end| text.split_at(end)) else {
        return Err("it is cut short".into());
    };
    let expected = format!("{BEFORE_CHECKSUM}{:016x}{AFTER_CHECKSUM}", checksum(contents));
    if found == expected.as_bytes() { Ok(()) } else { Err("the checksum does not match".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> RunState {
        let record =
            Record { generation: 3, steps: 70, policy_loss: 0.1 + 0.2, seconds: 1.0 / 3.0, ..Record::default() };
        RunState { generation: 3, steps: 70, steps_before_course: 30, record, config: "seed = 1\n".into() }
    }

    #[test]
    fn every_damaged_byte_is_found() {
        let sums = Sums { ema: 1, weights: u64::MAX, optimizer: 0xdead_beef };
        let text = StateFile::to_text(&state(), sums).unwrap();
        let read = StateFile::parse(text.as_bytes()).unwrap();
        assert_eq!((read.state, read.sums), (state(), sums));
        assert!(serde_json::from_str::<serde_json::Value>(&text).unwrap()["checksum"].is_string());
        for at in 0..text.len() {
            for change in [1, 2, 4, 16, 32, 128] {
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= change;
                let read = StateFile::parse(&bytes);
                assert!(read.is_err(), "byte {at} of {text}");
            }
            assert!(StateFile::parse(&text.as_bytes()[..at]).is_err());
        }
    }

    #[test]
    fn counters_that_contradict_each_other_are_found() {
        let sums = Sums { ema: 0, weights: 0, optimizer: 0 };
        let parsed = |state: &RunState| StateFile::parse(StateFile::to_text(state, sums).unwrap().as_bytes());
        assert!(parsed(&state()).is_ok());
        for wrong in [
            RunState { steps: 71, ..state() },
            RunState { generation: 4, ..state() },
            RunState { steps_before_course: 71, ..state() },
        ] {
            assert!(parsed(&wrong).is_err(), "{wrong:?}");
        }
        let other = StateFile::to_text(&state(), sums).unwrap().replace("\"format\": 2", "\"format\": 3");
        assert!(StateFile::parse(other.as_bytes()).err().unwrap().contains("format 3"));
    }
}
