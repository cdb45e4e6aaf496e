//! Claims that a derivation assumes.

use std::fmt;

use super::Claim;

/// A claim that a derivation assumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Assumption {
    /// The claim.
    pub claim: Claim,
    /// The nodes that the log states for the claim: 0 if it has a lemma that states none, `None` if
    /// no lemma makes the claim.
    pub stated: Option<u64>,
}

impl Assumption {
    /// The work in vain, relative to the stated nodes, from which a claim counts as false.
    ///
    /// Whoever solves a claim anew lacks the table that its prover had, so true claims take more
    /// than is stated. Claims of whole logs took up to 134 times the least number of nodes that was
    /// logged (`prove 3x4 --log-from 300`; 85 times in a log of 4x4).
    pub const UNDERSTATED: u64 = 1000;

    /// Returns `true` if so many nodes or positions were searched in vain that the nodes which the
    /// log states for the claim cannot be right. Such a claim counts as false until it is solved.
    pub fn is_understated(&self, searched: u64) -> bool {
        self.stated.is_some_and(|nodes| nodes > 0 && searched / Assumption::UNDERSTATED >= nodes)
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.claim.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_stated_work_can_be_understated() {
        let is_understated = |stated, searched| {
            let claim = Claim::at_least("2x2".parse().unwrap(), 2);
            Assumption { claim, stated }.is_understated(searched)
        };
        assert!(is_understated(Some(1), 1000) && is_understated(Some(2000), 2_000_000));
        assert!(!is_understated(Some(1), 999) && !is_understated(Some(2000), 1_999_999));
        assert!(!is_understated(Some(0), u64::MAX) && !is_understated(None, u64::MAX));
        assert!(!is_understated(Some(u64::MAX), u64::MAX));
    }
}
