// What pointers and keys mean on the drawing of a board, in hundredths of a box.
import { dotAt, endsOf, PAD, SIDE } from "../doublecross/geometry.js";

export * from "../doublecross/geometry.js";

/** Returns the middle of an edge. */
export function middleOf(board, edge) {
  const [from, to] = endsOf(board, edge);
  return { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
}

/**
 * Returns the corners of an edge's area, the points that are nearer to it than to any other edge.
 * The areas cover the whole board without gaps, and reach to the border of the drawing.
 */
export function areaOf(board, edge) {
  const { horizontal, row, col } = board.place(edge);
  const [from, to] = endsOf(board, edge);
  const middle = middleOf(board, edge);
  const first = (horizontal ? row : col) === 0;
  const last = horizontal ? row === board.rows : col === board.cols;
  const reach = (outside) => (outside ? PAD : SIDE / 2);
  const corners = horizontal
    ? [from, { x: middle.x, y: middle.y - reach(first) }, to, { x: middle.x, y: middle.y + reach(last) }]
    : [from, { x: middle.x - reach(first), y: middle.y }, to, { x: middle.x + reach(last), y: middle.y }];
  return corners.map(({ x, y }) => `${x},${y}`).join(" ");
}

/** The farthest that a finger may be from the middle of the edge that it draws. */
const REACH = 80;
/** Nearer to a drawn edge than this, a point means that edge and no other one. */
const UPON = 24;

/** Returns the undrawn edge that a point of the drawing means, or null. */
export function edgeNear(game, { x, y }) {
  let nearest = null;
  let least = REACH;
  for (let edge = 0; edge < game.board.edges; edge++) {
    const middle = middleOf(game.board, edge);
    const distance = Math.abs(x - middle.x) + Math.abs(y - middle.y);
    if (game.drawn[edge] ? distance < UPON : distance < least) {
      if (game.drawn[edge]) return null;
      [nearest, least] = [edge, distance];
    }
  }
  return nearest;
}

/** The farthest that the ends of a stroke may be from the dots that it joins. */
const NEAR_DOT = 42;

/** Returns the dot near a point as `[row, col]`, or null. */
function dotNear(board, { x, y }) {
  const [row, col] = [Math.round((y - PAD) / SIDE), Math.round((x - PAD) / SIDE)];
  const dot = dotAt(row, col);
  const isOnBoard = row >= 0 && row <= board.rows && col >= 0 && col <= board.cols;
  return isOnBoard && Math.hypot(x - dot.x, y - dot.y) <= NEAR_DOT ? [row, col] : null;
}

/** Returns the edge between two dots, or null if they are not neighbors. */
function edgeBetween(board, [row, col], [otherRow, otherCol]) {
  const [down, across] = [Math.abs(otherRow - row), Math.abs(otherCol - col)];
  if (down + across !== 1) return null;
  const [upper, left] = [Math.min(row, otherRow), Math.min(col, otherCol)];
  return across ? board.horizontal(upper, left) : board.vertical(upper, left);
}

/**
 * Returns the undrawn edge that a stroke of a pointer between two points of the drawing means, or null.
 *
 * From dot to dot it means the edge that joins them. To a dot from elsewhere it means the edge at the
 * middle of its way, and otherwise the edge at its end, so that a finger may slide to another edge.
 */
export function edgeOfStroke(game, from, to) {
  const { board } = game;
  const [start, end] = [dotNear(board, from), dotNear(board, to)];
  if (start && end && String(start) !== String(end)) {
    const joined = edgeBetween(board, start, end);
    return joined === null || game.drawn[joined] ? null : joined;
  }
  const way = Math.hypot(to.x - from.x, to.y - from.y);
  const isStroke = end && !start && way < SIDE + NEAR_DOT;
  return edgeNear(game, isStroke ? { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 } : to);
}

/** Returns the nearest undrawn edge in the direction `{x, y}` from an edge, or null. */
export function neighbor(game, edge, direction) {
  const here = middleOf(game.board, edge);
  let nearest = null;
  let least = Infinity;
  for (const other of game.undrawn()) {
    const there = middleOf(game.board, other);
    const along = (there.x - here.x) * direction.x + (there.y - here.y) * direction.y;
    const aside = Math.abs((there.x - here.x) * direction.y) + Math.abs((there.y - here.y) * direction.x);
    if (along <= 0) continue;
    const distance = along + 2 * aside;
    if (distance < least) [nearest, least] = [other, distance];
  }
  return nearest;
}
