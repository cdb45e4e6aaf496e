// Ratings of bots from all their games, by the model of Bradley and Terry (1952), with a tie as half a
// win. The program computes the same ones (crates/arena/src/statistics/rating.rs). This module uses no
// other one.

/** The number of Elo points of a factor e in odds. */
const ELO = 400 / Math.LN10;

/** The 97.5% point of the normal distribution. */
const Z = 1.959963984540054;

/** The largest number of steps of Newton's method, which converges long before. */
const STEPS = 100;

/**
 * Returns the most likely ratings of so many players as `{elo, half}`: Elo points above their mean, and
 * half the width of the 95% interval.
 *
 * `games` are `[a, b, score of a]` with scores from 0 to 1. A tie of each player with a player of rating
 * 0 is added, so that a player who won every game has a finite rating.
 */
export function ratingsOf(players, games) {
  const strengths = new Array(players).fill(0);
  let information = [];
  for (let steps = 0; steps < STEPS; steps++) {
    const slope = strengths.map((strength) => 0.5 - logistic(strength));
    information = strengths.map((strength, player) => {
      const expected = logistic(strength);
      return strengths.map((_, other) => (other === player ? expected * (1 - expected) : 0));
    });
    for (const [a, b, score] of games) {
      const expected = logistic(strengths[a] - strengths[b]);
      const weight = expected * (1 - expected);
      slope[a] += score - expected;
      slope[b] -= score - expected;
      information[a][a] += weight;
      information[b][b] += weight;
      information[a][b] -= weight;
      information[b][a] -= weight;
    }
    const step = solve(information, slope);
    const longest = step.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    // Long steps overshoot where the model is flat.
    const shrink = Math.min(1, 1 / Math.max(longest, 1e-12));
    step.forEach((value, player) => (strengths[player] += shrink * value));
    if (longest < 1e-10) break;
  }
  // Ratings are relative to each other, so the uncertainty that they share is left out.
  const mean = strengths.reduce((sum, strength) => sum + strength, 0) / players;
  return strengths.map((strength, player) => {
    const contrast = strengths.map((_, other) => Number(other === player) - 1 / players);
    const variance = solve(information, contrast).reduce((sum, value, at) => sum + value * contrast[at], 0);
    return { elo: ELO * (strength - mean), half: ELO * Z * Math.sqrt(Math.max(0, variance)) };
  });
}

/**
 * Returns the number of each player's group, counted from 0 in the order of the players. Players who
 * have met, directly or through others, are of one group. `games` begin with their two players.
 */
export function groupsOf(players, games) {
  const group = Array.from({ length: players }, (_, player) => player);
  for (const [a, b] of games) {
    const [kept, merged] = [Math.min(group[a], group[b]), Math.max(group[a], group[b])];
    group.forEach((number, player) => number === merged && (group[player] = kept));
  }
  // Each group has the number of its first player. Numbers that no group has are left out.
  const numbers = [...new Set(group)].sort((a, b) => a - b);
  return group.map((number) => numbers.indexOf(number));
}

const logistic = (x) => 1 / (1 + Math.exp(-x));

/** Solves a system with a symmetric, positive definite matrix by Gaussian elimination. */
function solve(matrix, right) {
  const rows = matrix.map((row, at) => [...row, right[at]]);
  const size = right.length;
  for (let pivot = 0; pivot < size; pivot++) {
    for (let row = pivot + 1; row < size; row++) {
      const factor = rows[row][pivot] / rows[pivot][pivot];
      for (let at = pivot; at <= size; at++) rows[row][at] -= factor * rows[pivot][at];
    }
  }
  const solution = new Array(size).fill(0);
  for (let row = size - 1; row >= 0; row--) {
    let known = 0;
    for (let at = row + 1; at < size; at++) known += rows[row][at] * solution[at];
    solution[row] = (rows[row][size] - known) / rows[row][row];
  }
  return solution;
}
