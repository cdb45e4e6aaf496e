// The referee of the arena: its games, their openings, and how one is played (docs/protocol.md). This
// module uses nothing of the page.
import { Game } from "../doublecross/rules.js";
import { safeEdges } from "../analysis/shapes.js";

/**
 * Returns the games of a round robin in the order in which they are played, as `{pair, seats}` with the
 * numbers of two players. `games` is the number for each two players. The two games of a pair begin alike.
 */
export function roundRobin(players, games) {
  const numbers = [...Array(players).keys()];
  const meetings = numbers.flatMap((a) => numbers.slice(a + 1).map((b) => [a, b]));
  const pairs = [...Array(Math.ceil(games / 2)).keys()];
  return pairs.flatMap((pair) => meetings.flatMap(([a, b]) => [{ pair, seats: [a, b] }, { pair, seats: [b, a] }]));
}

/** Returns so many random edges that put no box on offer, fewer where every further one would. */
export function randomOpening(board, count, random = Math.random) {
  let game = new Game(board);
  while (game.moves.length < count) {
    const safe = safeEdges(game);
    if (safe.length === 0) break;
    game = game.play(safe[Math.floor(random() * safe.length)]);
  }
  // Their order does not matter, so that the same edges are the same opening.
  return [...game.moves].sort((a, b) => a - b);
}

/**
 * Plays a game after its opening, and returns a promise of it as `{game, faults, seconds, longest}`. Each
 * player's `choose` returns a promise of an undrawn edge or, if the player fails, of null. Then the first
 * undrawn edge is drawn.
 */
export async function playGame(board, players, nonce, opening) {
  const [faults, seconds, longest] = [[0, 0], [0, 0], [0, 0]];
  let game = Game.replay(board, opening).pop();
  while (!game.over) {
    const seat = game.mover;
    const began = performance.now();
    const edge = await players[seat].choose(game, nonce);
    const took = (performance.now() - began) / 1000;
    seconds[seat] += took;
    longest[seat] = Math.max(longest[seat], took);
    if (edge === null) faults[seat] += 1;
    game = game.play(edge ?? game.drawn.indexOf(false));
  }
  return { game, faults, seconds, longest };
}

/** Returns the observation of the player to move (docs/protocol.md). */
export function observationOf({ board, drawn, owners, scores, mover, moves }, nonce) {
  const { rows, cols } = board;
  const grid = (height, width, value) =>
    Array.from({ length: height }, (_, row) => Array.from({ length: width }, (__, col) => value(row, col)));
  return {
    you: mover, to_move: mover, rows, cols,
    h: grid(rows + 1, cols, (row, col) => drawn[board.horizontal(row, col)]),
    v: grid(rows, cols + 1, (row, col) => drawn[board.vertical(row, col)]),
    owner: grid(rows, cols, (row, col) => owners[row * cols + col] ?? -1),
    scores, turn: moves.length, nonce,
  };
}
