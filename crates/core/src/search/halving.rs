//! Sequential halving: the number of visits of the next action to simulate.

/// Returns the number of visits that the action to simulate must already have, for each of
/// `simulations` simulations, if `considered` actions start (Danihelka et al. 2022, Algorithm 2;
/// Karnin, Koren and Somekh 2013).
///
/// Half of the actions are dropped in each phase, down to two, and each phase gets an equal share
/// of the simulations.
pub fn considered_visits(considered: usize, simulations: usize) -> Vec<u32> {
    if considered <= 1 {
        return (0..simulations as u32).collect();
    }
    let phases = usize::BITS - (considered - 1).leading_zeros();
    let mut sequence = Vec::with_capacity(simulations + considered);
    let (mut left, mut visits) = (considered, 0);
    while sequence.len() < simulations {
        let rounds = (simulations / (phases as usize * left)).max(1);
        for _ in 0..rounds {
            sequence.extend(std::iter::repeat_n(visits, left));
            visits += 1;
        }
        left = (left / 2).max(2);
    }
    sequence.truncate(simulations);
    sequence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        assert_eq!(considered_visits(4, 8), [0, 0, 0, 0, 1, 1, 2, 2]);
        assert_eq!(considered_visits(1, 3), [0, 1, 2]);
    }

    /// The sequences of DeepMind's mctx for the same arguments.
    #[test]
    fn agrees_with_the_published_sequences() {
        assert_eq!(considered_visits(2, 5), [0, 0, 1, 1, 2]);
        assert_eq!(considered_visits(4, 4), [0, 0, 0, 0]);
        assert_eq!(considered_visits(4, 16), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        let long = considered_visits(16, 64);
        assert_eq!(long.iter().filter(|&&v| v == 0).count(), 16);
        assert_eq!(long.len(), 64);
        assert!(considered_visits(7, 0).is_empty());
    }
}
