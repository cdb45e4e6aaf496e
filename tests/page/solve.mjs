// The value of small positions by exhaustive search: the margin still to come, in boxes, for the
// player to move. It knows no chains, so that it is independent of the solver that it is compared
// with.

export function solver(board) {
  const known = new Map();
  const around = Array.from({ length: board.boxes }, (_, box) => board.edgesOf(box));
  const beside = Array.from({ length: board.edges }, (_, edge) => board.boxesOf(edge));
  const drawn = new Array(board.edges).fill(false);
  // Numbers have 32 bits for edges, which larger boards exceed.
  const bits = Array.from({ length: board.edges }, (_, edge) => (board.edges < 32 ? 1 << edge : 1n << BigInt(edge)));
  const none = bits[0] ^ bits[0];

  function value(key) {
    if (known.has(key)) return known.get(key);
    let best = drawn.every(Boolean) ? 0 : -Infinity;
    for (let edge = 0; edge < board.edges; edge++) {
      if (drawn[edge]) continue;
      drawn[edge] = true;
      const taken = beside[edge].filter((box) => around[box].every((side) => drawn[side])).length;
      const rest = value(key | bits[edge]);
      drawn[edge] = false;
      best = Math.max(best, taken ? taken + rest : -rest);
    }
    known.set(key, best);
    return best;
  }

  /** Returns the final margin of the player to move, the boxes owned so far included. */
  return (game) => {
    game.drawn.forEach((is, edge) => (drawn[edge] = is));
    return game.margin(game.mover) + value(game.drawn.reduce((key, is, edge) => (is ? key | bits[edge] : key), none));
  };
}
