// The shapes of a position: its chains and loops, its safe edges, and the boxes on offer with what
// it costs to keep control (docs/strategy.md, sections 1 to 4 and 8). The program finds the same
// ones (crates/core/src/analysis/shape.rs, crates/core/src/board/offer.rs). This module uses no other one.

/** Returns the undrawn edges of a box. */
export function undrawnSides(game, box) {
  return game.board.edgesOf(box).filter((edge) => !game.drawn[edge]);
}

/** Returns the box that the end of an edge leads to from another one, or null at the border. */
function across(board, edge, box) {
  return board.boxesOf(edge).find((other) => other !== box) ?? null;
}

/** Returns the groups of boxes that are joined by undrawn edges, each in ascending order. */
function groupsOf(game, boxes) {
  const left = new Set(boxes);
  const groups = [];
  for (const first of boxes) {
    if (!left.delete(first)) continue;
    const group = [first];
    for (const box of group) {
      const neighbors = undrawnSides(game, box).map((edge) => across(game.board, edge, box));
      group.push(...neighbors.filter((other) => left.delete(other)));
    }
    groups.push(group.sort((a, b) => a - b));
  }
  return groups;
}

/** Returns the undrawn edges around and between some boxes. */
export function edgesAround(game, boxes) {
  return new Set(boxes.flatMap((box) => undrawnSides(game, box)));
}

/**
 * Returns the chains and loops of a position, as `{chains, loops}` with `{boxes, length}` for each:
 * boxes with two undrawn sides, joined by undrawn edges. Boxes on offer belong to none, so that the
 * rest of a chain that has been opened is a shorter one.
 */
export function shapesOf(game) {
  const shapes = { chains: [], loops: [] };
  const links = [...Array(game.board.boxes).keys()].filter((box) => undrawnSides(game, box).length === 2);
  for (const boxes of groupsOf(game, links)) {
    // A chain of n boxes has n + 1 edges, a loop of n boxes n.
    const isLoop = edgesAround(game, boxes).size === boxes.length;
    shapes[isLoop ? "loops" : "chains"].push({ boxes, length: boxes.length });
  }
  return shapes;
}

/** Returns true if an edge takes a box. */
export const captures = (game, edge) => game.board.boxesOf(edge).some((box) => undrawnSides(game, box).length === 1);

/** Returns true if an edge neither takes a box nor puts one on offer. */
export const isSafe = (game, edge) => game.board.boxesOf(edge).every((box) => undrawnSides(game, box).length > 2);

/** Returns the safe edges. */
export function safeEdges(game) {
  return game.undrawn().filter((edge) => isSafe(game, edge));
}

/** Returns the boxes that can be taken one after another, in ascending order. */
export function offeredBoxes(game) {
  return offerOf(game).boxes;
}

/**
 * Returns the boxes on offer as `{boxes, rest, price}`: the boxes that can be taken one after
 * another, the state when the player to move has taken them all, and the price of keeping control
 * in margin, which is twice the number of boxes that are left: 4, 8, or null if it cannot be kept.
 */
export function offerOf(game) {
  let rest = game;
  for (let edge = capture(rest); edge !== null; edge = capture(rest)) rest = rest.play(edge);
  const boxes = [...game.owners.keys()].filter((box) => game.owners[box] === null && rest.owners[box] !== null);
  const prices = groupsOf(game, boxes).map((run) => priceOf(game, run)).filter((price) => price !== null);
  return { boxes, rest, price: prices.length ? Math.min(...prices) : null };
}

/** Returns an edge that takes a box, or null. */
function capture(game) {
  for (let box = 0; box < game.board.boxes; box++) {
    const sides = undrawnSides(game, box);
    if (sides.length === 1) return sides[0];
  }
  return null;
}

/**
 * Returns the price of keeping control with one run of boxes on offer, or null. One edge leads out
 * of a half-open run, so that it has as many edges as boxes; a closed run has one fewer.
 */
function priceOf(game, run) {
  if (edgesAround(game, run).size === run.length) return run.length >= 2 ? 4 : null;
  // Two pairs can be left of four boxes in a row, which a star, one box amid all others, lacks.
  const isStar = run.some((box) => undrawnSides(game, box).length === run.length - 1 && run.length > 3);
  return run.length >= 4 && !isStar ? 8 : null;
}
