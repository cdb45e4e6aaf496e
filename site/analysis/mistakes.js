// Names the mistake of a move in the words of the game, as in "Gave away a chain of 4 although a
// safe edge was left." A name is given only where the facts show it.
import { knownMargin } from "../board/edge-costs.js";
import { offeredBoxes, offerOf, safeEdges, shapesOf } from "./shapes.js";
import { COLORS } from "../play/table.js";

/** The least estimated cost that is a mistake. Exact costs are even numbers of boxes. */
const LEAST_ESTIMATE = 0.5;

/** The least estimated cost that speaks for a lost parity. */
const LEAST_PARITY = 1.5;

/**
 * Returns the mistake of the move from the state `before` to the state `after` as `{kind, words}`,
 * or null if there is none.
 *
 * `cost` is the cost of the move in the final margin. `was` and `is` are the analyses of the
 * two states; `is` may be null, as it is at the end of a game. The kinds:
 *
 * - `missed`: left boxes that could be taken for nothing.
 * - `took`: took boxes that had to be left to keep control.
 * - `left`: left boxes to keep control where taking all was better.
 * - `control`: drew elsewhere where the last boxes had to be left as pairs to keep control.
 * - `gave`: gave boxes away although a safe line was left, or more than was needed.
 * - `longer`: had to open something, and opened more than was needed.
 * - `half`: opened a chain of two by an end, so that the opponent can keep control, which is most of
 *   the cost.
 * - `parity`: lost the count of long chains, so that the opponent will be in control.
 * - `slip`: another mistake.
 */
export function mistakeOf(before, after, cost, { was, is = null }) {
  const exact = was.lower === was.upper && (after.over || (is !== null && is.lower === is.upper));
  if (!(cost > 0) || (!exact && cost < LEAST_ESTIMATE)) return null;
  const best = bestEdges(before.board, was);
  // Where the analysis itself proposed the move, an estimate has changed, and nothing is shown.
  if (best.includes(after.last)) return null;
  const move = { before, after, edge: after.last, cost, exact, was, is, best, offer: offerOf(before) };
  if (after.captured.length) return taking(move);
  if (move.offer.boxes.length) return leaving(move);
  return offeredBoxes(after).length ? opening(move) : drawing(move);
}

/** Returns the edges that are proved to be the best, or else those that are thought to be. */
function bestEdges(board, { lower, upper, edges, line }) {
  const proved = lower === upper ? edges.filter((edge) => edge.lower === upper) : [];
  // The search has one value for all edges of a chain, of which the line has one.
  const first = edges.find(({ edge }) => edge === line[0]);
  const isEqual = (edge) => edge === first || (edge.expected !== null && edge.expected === first?.expected);
  return (proved.length ? proved : edges.filter(isEqual)).map(({ edge }) => board.edge(edge));
}

/** Returns the mistake of a move that took a box. */
function taking({ after, offer }) {
  // What is left when all are taken is the same, so that only a choice can have been lost.
  if (offer.price === null || offerOf(after).price === offer.price) return null;
  return { kind: "took", words: `Took too much: declining the ${lastBoxes(offer.price)} keeps control.` };
}

/** Returns the mistake of a move that took none of the boxes on offer. */
function leaving({ before, edge, was, offer }) {
  const { boxes, price } = offer;
  const inside = before.board.boxesOf(edge).some((box) => boxes.includes(box));
  const least = price === null ? 0 : price / 2;
  // To leave the least is to keep control, beside which there is only taking all.
  if (inside && boxes.length === least) {
    return { kind: "left", words: `Left ${least} boxes for control, but taking all was better.` };
  }
  const keeps = price !== null && keepsControl(before, was.line);
  const missed = (words) => ({ kind: "missed", words });
  if (!keeps) return missed(`Left ${amount(boxes.length)} that could be taken.`);
  if (inside) return missed(`Left ${boxes.length} boxes for control where ${least} are enough.`);
  if (boxes.length > least) return missed(`Left ${amount(boxes.length - least)} that could be taken for nothing.`);
  return { kind: "control", words: `Missed the line that declines the ${lastBoxes(price)} and keeps control.` };
}

/** Returns true if a principal variation begins with taking boxes and leaving the last ones. */
function keepsControl(before, line) {
  let game = before;
  for (const name of line) {
    const edge = game.board.edge(name);
    const next = game.play(edge);
    if (!next.captured.length) {
      const boxes = offeredBoxes(game);
      return game.board.boxesOf(edge).some((box) => boxes.includes(box));
    }
    game = next;
  }
  return false;
}

/** Returns the mistake of a move that put boxes on offer where there were none. */
function opening(move) {
  const { before, edge, best } = move;
  const opened = openedBy(before, edge);
  if (isHalf(move, opened)) {
    const rival = COLORS[1 - before.mover];
    return { kind: "half", words: `Opened a chain of 2 at its end: the middle line keeps ${rival} from control.` };
  }
  const safe = safeEdges(before);
  if (best.some((other) => safe.includes(other))) {
    return { kind: "gave", words: `Gave away ${opened.some} although a safe line was left.` };
  }
  const others = best.map((other) => openedBy(before, other)).sort((a, b) => a.offered - b.offered);
  const least = others[0] ?? null;
  if (least && least.offered < opened.offered) {
    const kind = safe.length ? "gave" : "longer";
    if (safe.length || !opened.sort || !least.sort) {
      return { kind, words: `Gave away ${opened.some} where ${least.some} would do.` };
    }
    const instead = `the ${opened.sort === least.sort ? "one" : least.sort} of ${least.offered}`;
    return { kind, words: `Opened the ${opened.sort} of ${opened.offered} instead of ${instead}.` };
  }
  const better = least && (least.some === opened.some ? "Another opening" : `Giving away ${least.some}`);
  return parity(move, better) ?? slip(move, better);
}

/** Returns true if most of the cost is that of the end by which a chain of two was opened. */
function isHalf({ before, edge, cost, was }, opened) {
  if (opened.offered !== 2) return false;
  const valueOf = (wanted) => was.edges.filter((entry) => wanted(before.board.edge(entry.edge)))
    .map((entry) => knownMargin(entry).margin)[0] ?? null;
  const middle = valueOf((other) => other !== edge && before.board.boxesOf(other).join() === opened.boxes);
  const end = valueOf((other) => other === edge);
  return middle !== null && end !== null && middle - end > cost / 2;
}

/**
 * Describes what an edge opens: the boxes of the chain or loop as text, the number of boxes on
 * offer, the sort of shape, and words for it. A run may go on through a joint, so that more boxes
 * are on offer than the chain has; then there is no sort, and for a single box neither.
 */
function openedBy(game, edge) {
  const { chains, loops } = shapesOf(game);
  const holds = ({ boxes }) => game.board.boxesOf(edge).some((box) => boxes.includes(box));
  const { boxes, length } = [...chains, ...loops].find(holds);
  const offered = offeredBoxes(game.play(edge)).length;
  const sort = offered !== length || length === 1 ? null : loops.some(holds) ? "loop" : "chain";
  return { boxes: boxes.join(), offered, sort, some: sort ? `a ${sort} of ${length}` : amount(offered) };
}

/** Returns the mistake of a safe edge. */
function drawing(move) {
  const { before, best } = move;
  const isSafe = best.some((other) => safeEdges(before).includes(other));
  const sacrifice = () => `Giving away ${openedBy(before, best[0]).some} first`;
  const better = isSafe ? "Another safe line" : best.length ? sacrifice() : null;
  return parity(move, better) ?? slip(move, better);
}

/** Returns the mistake of a move that lost control, or null. */
function parity({ before, cost, exact, was, is }, better) {
  const rival = 1 - before.mover;
  const now = `now ${COLORS[rival]} will be in control`;
  if (is?.controls === rival && was.controls === before.mover) return { kind: "parity", words: `Lost parity: ${now}.` };
  if (exact || cost < LEAST_PARITY || was.controls === rival || is?.controls === before.mover) return null;
  if (is?.controls === rival) return { kind: "parity", words: `Probably lost parity: ${now}.` };
  return better && { kind: "parity", words: `Probably lost parity: ${better.toLowerCase()} was better.` };
}

/** Returns a mistake that has no name, with what was better if it is known. */
function slip({ cost, exact }, better) {
  // A box that goes to the opponent instead moves the margin by two.
  const size = exact ? amount(cost / 2) : `about ${(cost / 2).toFixed(1)} boxes`;
  return { kind: "slip", words: better ? `${better} was better, by ${size}.` : `Cost ${size}.` };
}

/** Describes the boxes that are left to keep control at some price. */
function lastBoxes(price) {
  return `last ${price === 4 ? "two" : "four"} boxes`;
}

/** Formats a number of boxes. */
function amount(number) {
  return number === 1 ? "a box" : `${number} boxes`;
}
