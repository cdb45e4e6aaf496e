//! The kinds of samples, by what their margin is, and numbers by kind.

use std::ops::{AddAssign, Index, IndexMut, SubAssign};

use crate::Sample;

/// The kind of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Its margin and its policy are proved, and stay true.
    Exact,
    /// Its margin is that of the end of its game, and its policy that of the game's search, which grow
    /// old as the players get better.
    Played,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 2] = [Kind::Exact, Kind::Played];

    /// Returns the kind of a sample.
    pub fn of(sample: &Sample) -> Kind {
        if sample.margin.is_exact() { Kind::Exact } else { Kind::Played }
    }
}

/// Numbers of samples by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    /// The number of exact samples.
    pub exact: usize,
    /// The number of those with the policy of their game's search.
    pub played: usize,
}

impl Kinds {
    /// Counts samples.
    pub fn of(samples: &[Sample]) -> Kinds {
        let exact = samples.iter().filter(|sample| sample.margin.is_exact()).count();
        Kinds { exact, played: samples.len() - exact }
    }

    /// Returns the number of samples of both kinds.
    pub fn sum(self) -> usize {
        self.exact + self.played
    }
}

impl Index<Kind> for Kinds {
    type Output = usize;

    fn index(&self, kind: Kind) -> &usize {
        match kind {
            Kind::Exact => &self.exact,
            Kind::Played => &self.played,
        }
    }
}

impl IndexMut<Kind> for Kinds {
    fn index_mut(&mut self, kind: Kind) -> &mut usize {
        match kind {
            Kind::Exact => &mut self.exact,
            Kind::Played => &mut self.played,
        }
    }
}

impl AddAssign for Kinds {
    fn add_assign(&mut self, other: Kinds) {
        self.exact += other.exact;
        self.played += other.played;
    }
}

impl SubAssign for Kinds {
    fn sub_assign(&mut self, other: Kinds) {
        self.exact -= other.exact;
        self.played -= other.played;
    }
}
