// What the rules alone say about a position: boxes on offer, safe edges, and runs of boxes that can
// be taken one after another. The learn tab calls an edge a line.

/** Returns how many sides of a box are drawn. */
const sidesOf = (game, box) => game.board.edgesOf(box).filter((edge) => game.drawn[edge]).length;

/** Describes an edge in words. */
export function lineWords(board, edge) {
  const { horizontal, row, col } = board.place(edge);
  return `${horizontal ? "horizontal" : "vertical"} line, row ${row + 1}, column ${col + 1}`;
}

/** Returns true if drawing the edge captures a box. */
export const captures = (game, edge) => game.board.boxesOf(edge).some((box) => sidesOf(game, box) === 3);

/** Returns true if drawing the edge captures nothing and puts no box on offer. */
export const isSafe = (game, edge) => game.board.boxesOf(edge).every((box) => sidesOf(game, box) < 2);

/** Returns how many boxes can be taken one after another. */
export function offered(game) {
  const edge = game.undrawn().find((candidate) => captures(game, candidate));
  if (edge === undefined) return 0;
  const next = game.play(edge);
  return next.captured.length + offered(next);
}
