//! Ratings of many bots from all their games, by the model of Bradley and Terry (1952), with a tie
//! as half a win.

use super::interval::Z;

/// The number of Elo points of a factor e in odds.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// The largest number of steps of Newton's method, which converges long before.
const STEPS: usize = 100;

/// The rating of a player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The rating in Elo points above the mean of the players.
    pub elo: f64,
    /// Half the width of its 95% interval, in Elo points.
    pub half: f64,
}

/// Returns the most likely ratings of `players` players, from games `(a, b, score of a)` with
/// scores in 0..=1. A tie of each player with a player of rating 0 is added, so that a player who
/// won every game has a finite rating.
pub fn ratings(players: usize, games: &[(usize, usize, f64)]) -> Vec<Rating> {
    let mut strengths = vec![0.0; players];
    let mut information = vec![vec![0.0; players]; players];
    for _ in 0..STEPS {
        let mut slope = vec![0.0; players];
        information = vec![vec![0.0; players]; players];
        for player in 0..players {
            let expected = logistic(strengths[player]);
            slope[player] += 0.5 - expected;
            information[player][player] += expected * (1.0 - expected);
        }
        for &(a, b, score) in games {
            let expected = logistic(strengths[a] - strengths[b]);
            let weight = expected * (1.0 - expected);
            slope[a] += score - expected;
            slope[b] -= score - expected;
            for (row, column, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
                information[row][column] += sign * weight;
            }
        }
        let step = solve(&information, &slope);
        let longest = step.iter().fold(0f64, |most, s| most.max(s.abs()));
        // Long steps overshoot where the model is flat.
        let shrink = (1.0 / longest.max(1e-12)).min(1.0);
        strengths.iter_mut().zip(&step).for_each(|(strength, s)| *strength += shrink * s);
        if longest < 1e-10 {
            break;
        }
    }
    // Ratings are relative to each other, so the uncertainty that they share is left out.
    let mean = strengths.iter().sum::<f64>() / players as f64;
    let deviation = |player: usize| {
        let above = |other| (other == player) as u8 as f64 - 1.0 / players as f64;
        let contrast: Vec<f64> = (0..players).map(above).collect();
        let variance: f64 = solve(&information, &contrast).iter().zip(&contrast).map(|(x, c)| x * c).sum();
        variance.max(0.0).sqrt()
    };
    let rating = |player| Rating { elo: ELO * (strengths[player] - mean), half: ELO * Z * deviation(player) };
    (0..players).map(rating).collect()
}

/// Returns the number of each player's group, counted from 0 in the order of the players. Players
/// who have met, directly or through others, are of one group.
///
/// ```
/// use doublecross_arena::statistics::groups;
/// assert_eq!(groups(5, [(0, 3), (1, 4), (3, 0)]), [0, 1, 2, 0, 1]);
/// ```
pub fn groups(players: usize, games: impl IntoIterator<Item = (usize, usize)>) -> Vec<usize> {
    let mut group: Vec<usize> = (0..players).collect();
    for (a, b) in games {
        let (kept, merged) = (group[a].min(group[b]), group[a].max(group[b]));
        group.iter_mut().filter(|group| **group == merged).for_each(|group| *group = kept);
    }
    // Each group has the number of its first player. Numbers that no group has are left out.
    let mut numbers: Vec<usize> = group.clone();
    numbers.sort_unstable();
    numbers.dedup();
    group.iter().filter_map(|group| numbers.binary_search(group).ok()).collect()
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Solves a system with a symmetric, positive definite matrix by Gaussian elimination.
fn solve(matrix: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let size = right.len();
    let mut rows: Vec<Vec<f64>> = matrix.iter().zip(right).map(|(row, x)| [&row[..], &[*x]].concat()).collect();
    for pivot in 0..size {
        let (above, below) = rows.split_at_mut(pivot + 1);
        let own = &above[pivot];
        for row in below {
            let factor = row[pivot] / own[pivot];
            row.iter_mut().zip(own).skip(pivot).for_each(|(x, y)| *x -= factor * y);
        }
    }
    let mut solution = vec![0.0; size];
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| rows[row][column] * solution[column]).sum();
        solution[row] = (rows[row][size] - known) / rows[row][row];
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_of_three_quarters_is_191_points() {
        let games: Vec<_> = (0..4000).map(|i| (0, 1, (i % 4 != 0) as u8 as f64)).collect();
        let [a, b] = ratings(2, &games)[..] else { panic!("not two ratings") };
        // Half the standard error of the difference, which is 4 points.
        assert!((a.half - Z * ELO * 0.5 / (4000.0f64 * 0.1875).sqrt()).abs() < 0.01, "{a:?}");
        assert!((a.elo - b.elo - 190.85).abs() < 0.5, "{a:?} {b:?}");
        assert!((a.elo + b.elo).abs() < 1e-6);
    }

    #[test]
    fn ratings_are_transitive_and_finite() {
        // b beats c as a beats b. a and c never met.
        let game = |a, b| (0..100).map(move |i| (a, b, (i % 4 != 0) as u8 as f64));
        let rated = ratings(3, &game(0, 1).chain(game(1, 2)).collect::<Vec<_>>());
        assert!(rated[0].elo > rated[1].elo && rated[1].elo > rated[2].elo);
        assert!(rated[0].half > rated[1].half, "the player in the middle should have the smaller interval");
        assert!((rated[0].elo - rated[1].elo - 190.85).abs() < 5.0 && rated[0].half < 60.0, "{rated:?}");
        let certain = ratings(2, &[(0, 1, 1.0); 50]);
        assert!(certain[0].elo > 100.0 && certain[0].elo.is_finite() && certain[0].half.is_finite());
    }
}
