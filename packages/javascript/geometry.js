// The geometry of the drawing of a board: the places and sizes of its dots, edges, boxes and signs, in
// hundredths of a box. This module uses no other one.

export const SIDE = 100;
export const PAD = 36;
/** The free length at each dot of the line of an undrawn edge, which distinguishes it from a drawn one. */
export const GAP = 24;
/** The radius of a dot. */
export const DOT = 9;
/** The sizes of the signs of owners: the radius of Blue's disc, and half the width of Orange's diamond. */
export const DISC = 21;
export const DIAMOND = 27;

/** Returns the size of the drawing. */
export function sizeOf(board) {
  return { width: board.cols * SIDE + 2 * PAD, height: board.rows * SIDE + 2 * PAD };
}

export const dotAt = (row, col) => ({ x: PAD + col * SIDE, y: PAD + row * SIDE });

/** Returns the places of all dots, row by row. */
export function dotsOf(board) {
  const numbers = (last) => Array.from({ length: last + 1 }, (_, number) => number);
  return numbers(board.rows).flatMap((row) => numbers(board.cols).map((col) => dotAt(row, col)));
}

/** Returns the two dots of an edge. */
export function endsOf(board, edge) {
  const { horizontal, row, col } = board.place(edge);
  return [dotAt(row, col), horizontal ? dotAt(row, col + 1) : dotAt(row + 1, col)];
}

/** Returns the ends of an edge's line, which is shorter by `gap` at each dot. */
export function lineOf(board, edge, gap = 0) {
  const [from, to] = endsOf(board, edge);
  const along = { x: Math.sign(to.x - from.x), y: Math.sign(to.y - from.y) };
  return [{ x: from.x + gap * along.x, y: from.y + gap * along.y }, { x: to.x - gap * along.x, y: to.y - gap * along.y }];
}

/** Returns the upper left corner of a box. */
export function boxAt(board, box) {
  return dotAt(Math.floor(box / board.cols), box % board.cols);
}

/** Returns the path of a diamond around a point. */
export const diamondPath = (x, y, half = DIAMOND) => `M${x},${y - half}l${half},${half}l-${half},${half}l-${half},-${half}z`;
