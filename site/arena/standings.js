// The results of bots on a board, as `doublecross leaderboard` counts them (src/cli/leaderboard.rs).
import { groupsOf, ratingsOf } from "./ratings.js";

/**
 * Returns the games without those that repeat another one: the same bots in the same seats with the same
 * moves, which are no further evidence.
 */
export function distinctOf(games) {
  const known = new Set();
  return games.filter(({ names, moves }) => {
    const { size } = known;
    return known.add(JSON.stringify([names, moves])).size > size;
  });
}

/**
 * Returns a row for each bot of games on one board, the strongest first: its `name`, `games`, `won`,
 * `tied`, `lost` and `faults`, its rating as `elo` and `half`, and the number of its `group`, the bots
 * that it has met directly or through others. Games have `names`, `scores` and `faults`, by seat.
 */
export function ladderOf(games) {
  const names = [...new Set(games.flatMap((game) => game.names))].sort();
  const number = new Map(names.map((name, at) => [name, at]));
  const rows = names.map((name) => ({ name, games: 0, won: 0, tied: 0, lost: 0, faults: 0 }));
  for (const game of games) {
    for (const seat of [0, 1]) {
      const row = rows[number.get(game.names[seat])];
      row.games += 1;
      row[["lost", "tied", "won"][2 * scoreOf(game, seat)]] += 1;
      row.faults += game.faults[seat];
    }
  }
  // Games of a bot against itself are no evidence of its strength.
  const scores = games.filter(({ names: [a, b] }) => a !== b)
    .map((game) => [number.get(game.names[0]), number.get(game.names[1]), scoreOf(game, 0)]);
  const ratings = ratingsOf(names.length, scores);
  const groups = groupsOf(names.length, scores);
  return rows.map((row, at) => ({ ...row, ...ratings[at], group: groups[at] })).sort((a, b) => b.elo - a.elo);
}

/** Returns the points of a seat in a game: 1 for a win, 0.5 for a tie, 0 for a loss. */
export function scoreOf({ scores }, seat) {
  return (Math.sign(scores[seat] - scores[1 - seat]) + 1) / 2;
}

/**
 * Returns the points of each bot against each other one, as a map from names to maps from the opponents'
 * names to `{points, games}`.
 */
export function pointsOf(games) {
  const all = new Map();
  for (const game of games) {
    for (const seat of [0, 1]) {
      const [name, opponent] = [game.names[seat], game.names[1 - seat]];
      if (!all.has(name)) all.set(name, new Map());
      const { points, games: count } = all.get(name).get(opponent) ?? { points: 0, games: 0 };
      all.get(name).set(opponent, { points: points + scoreOf(game, seat), games: count + 1 });
    }
  }
  return all;
}
