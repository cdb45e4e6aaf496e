//! Positions that a run never learns from.

use std::collections::HashSet;
use std::fs;
use std::io::{Error, ErrorKind};
use std::path::Path;

use super::error::{RunError, file_error};
use doublecross_core::board::State;
use doublecross_core::shell::shell_word;
use doublecross_files::{remove_file, write_whole};
use doublecross_selfplay::Shard;

/// The file of the positions that a run was given to hold out, beside those of its own suite.
pub(super) const HELD_OUT: &str = "held-out.txt";

/// Positions that a run is scored on and never learns from, under any symmetry.
#[derive(Clone, Debug, Default)]
pub struct HeldOut {
    canonical: HashSet<State>,
}

impl HeldOut {
    /// Returns `true` if a state is one of these positions under some symmetry.
    pub fn holds(&self, state: State) -> bool {
        self.canonical.contains(&state.canonical().0)
    }

    /// Returns the number of different positions.
    pub fn len(&self) -> usize {
        self.canonical.len()
    }

    /// Returns `true` if there are no positions.
    pub fn is_empty(&self) -> bool {
        self.canonical.is_empty()
    }

    /// Reads the positions that the run in a folder was given to hold out, a line each in its file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or is damaged.
    pub(crate) fn read(folder: &Path) -> Result<HeldOut, RunError> {
        let path = folder.join(HELD_OUT);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(HeldOut::default()),
            text => text.map_err(|error| file_error(&path, error))?,
        };
        let damaged = |number| Error::new(ErrorKind::InvalidData, format!("line {number} is no position"));
        let state = |(number, line): (usize, &str)| line.parse::<State>().map_err(|_| damaged(number));
        let states = (1..).zip(text.lines()).map(state).collect::<Result<HeldOut, Error>>();
        states.map_err(|error| file_error(&path, error))
    }

    /// Keeps the positions in the folder of a new run.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written, or that of an earlier attempt cannot be removed.
    pub(super) fn write(&self, folder: &Path) -> Result<(), RunError> {
        let path = folder.join(HELD_OUT);
        if self.is_empty() {
            return remove_file(&path).map_err(|error| file_error(&path, error));
        }
        let mut lines: Vec<String> = self.canonical.iter().map(|state| format!("{state}\n")).collect();
        lines.sort();
        write_whole(&path, lines.concat().as_bytes()).map_err(|error| file_error(&path, error))
    }

    /// Returns the positions that the run in a folder holds out, which must include these.
    ///
    /// # Errors
    /// Returns an error if the run may have learned from one of these, or the file cannot be used.
    pub(crate) fn kept_in(&self, folder: &Path) -> Result<HeldOut, RunError> {
        let kept = HeldOut::read(folder)?;
        if self.canonical.is_subset(&kept.canonical) {
            return Ok(kept);
        }
        Err(RunError::NotHeldOut { path: shell_word(folder) })
    }

    /// Adds the positions of another set.
    pub(crate) fn add(&mut self, other: &HeldOut) {
        self.canonical.extend(&other.canonical);
    }

    /// Returns a shard without the samples of these positions.
    pub(crate) fn without(&self, mut shard: Shard) -> Shard {
        if !self.is_empty() {
            shard.retain(|sample| !self.holds(sample.state));
        }
        shard
    }
}

impl Extend<State> for HeldOut {
    fn extend<I: IntoIterator<Item = State>>(&mut self, states: I) {
        // A network is asked about what is left once boxes on offer are taken.
        let both = states.into_iter().flat_map(|state| [state, state.offer().rest]);
        self.canonical.extend(both.map(|state| state.canonical().0));
    }
}

impl FromIterator<State> for HeldOut {
    fn from_iter<I: IntoIterator<Item = State>>(states: I) -> HeldOut {
        let mut held_out = HeldOut::default();
        held_out.extend(states);
        held_out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_kept_in_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let states = |texts: &[&str]| texts.iter().map(|text| text.parse::<State>().unwrap()).collect::<HeldOut>();
        let (both, one, other) = (states(&["2x3:0x1", "2x3:0x41"]), states(&["2x3:0x41"]), states(&["2x3:0x403"]));
        // With boxes on offer, what is left of it too.
        let offered: State = "2x2:0x45".parse().unwrap();
        assert!(offered.offer().taken > 0 && [offered].into_iter().collect::<HeldOut>().holds(offered.offer().rest));
        assert!(HeldOut::default().kept_in(folder).unwrap().is_empty());
        assert!(matches!(one.kept_in(folder), Err(RunError::NotHeldOut { .. })));
        both.write(folder).unwrap();
        assert_eq!(one.kept_in(folder).unwrap().canonical, both.canonical);
        assert_eq!(HeldOut::default().kept_in(folder).unwrap().len(), 2);
        assert!(matches!(other.kept_in(folder), Err(RunError::NotHeldOut { .. })));
        HeldOut::default().write(folder).unwrap();
        assert!(HeldOut::read(folder).unwrap().is_empty());
        for damaged in ["2x3", "2x3:0x1\n\n", "2x3:0x1\nnone", "9x9"] {
            fs::write(folder.join(HELD_OUT), damaged).unwrap();
            let is_read = HeldOut::read(folder);
            assert!(is_read.is_ok() != damaged.contains('\n'), "{damaged:?}: {is_read:?}");
        }
    }
}
