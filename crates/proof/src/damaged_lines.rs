//! The damaged lines of logs.

use crate::{LineError, Origin};

/// The number of damaged lines of which it is kept what is wrong.
const KEPT: usize = 20;

/// The damaged lines of logs: their number, and what is wrong with the first ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DamagedLines {
    count: usize,
    first: Vec<(Origin, LineError)>,
}

impl DamagedLines {
    /// Returns their number.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the first ones, 20 at most.
    pub fn first(&self) -> &[(Origin, LineError)] {
        &self.first
    }

    /// Adds a line.
    pub fn add(&mut self, origin: Origin, error: LineError) {
        self.count += 1;
        if self.first.len() < KEPT {
            self.first.push((origin, error));
        }
    }

    /// Adds those of another log.
    pub fn extend(&mut self, other: DamagedLines) {
        self.count += other.count;
        self.first.extend(other.first);
        self.first.truncate(KEPT);
    }
}
