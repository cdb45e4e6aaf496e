// Names the mistake of a move in the words of the game, as in "Gave away a chain of 4 although a
// safe edge was left." A name is given only where the facts show it.
import { knownMargin } from "../board/edge-costs.js";
import { offeredBoxes, offerOf, safeEdges, shapesOf } from "./shapes.js";
import { texts } from "../texts.js";

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
  return { kind: "took", words: texts.mistakes.took(offer.price / 2) };
}

/** Returns the mistake of a move that took none of the boxes on offer. */
function leaving({ before, edge, was, offer }) {
  const { boxes, price } = offer;
  const inside = before.board.boxesOf(edge).some((box) => boxes.includes(box));
  const least = price === null ? 0 : price / 2;
  // To leave the least is to keep control, beside which there is only taking all.
  if (inside && boxes.length === least) {
    return { kind: "left", words: texts.mistakes.leftForControl(least) };
  }
  const keeps = price !== null && keepsControl(before, was.line);
  const missed = (words) => ({ kind: "missed", words });
  if (!keeps) return missed(texts.mistakes.left(boxes.length));
  if (inside) return missed(texts.mistakes.leftTooMany(boxes.length, least));
  if (boxes.length > least) return missed(texts.mistakes.leftFree(boxes.length - least));
  return { kind: "control", words: texts.mistakes.missed(least) };
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
  if (isHalf(move, opened)) return { kind: "half", words: texts.mistakes.half(1 - before.mover) };
  const safe = safeEdges(before);
  if (best.some((other) => safe.includes(other))) {
    return { kind: "gave", words: texts.mistakes.gave(opened.some) };
  }
  const others = best.map((other) => openedBy(before, other)).sort((a, b) => a.offered - b.offered);
  const least = others[0] ?? null;
  if (least && least.offered < opened.offered) {
    const kind = safe.length ? "gave" : "longer";
    if (safe.length || !opened.sort || !least.sort) {
      return { kind, words: texts.mistakes.gaveMore(opened.some, least.some) };
    }
    return { kind, words: texts.mistakes.opened(opened.sort, opened.offered, least.sort, least.offered) };
  }
  const better = least && (least.some === opened.some ? texts.mistakes.otherOpening : texts.mistakes.giving(least.some));
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
  return { boxes: boxes.join(), offered, sort, some: texts.mistakes.gift(sort, offered) };
}

/** Returns the mistake of a safe edge. */
function drawing(move) {
  const { before, best } = move;
  const isSafe = best.some((other) => safeEdges(before).includes(other));
  const sacrifice = () => texts.mistakes.givingFirst(openedBy(before, best[0]).some);
  const better = isSafe ? texts.mistakes.otherSafe : best.length ? sacrifice() : null;
  return parity(move, better) ?? slip(move, better);
}

/** Returns the mistake of a move that lost control, or null. */
function parity({ before, cost, exact, was, is }, better) {
  const rival = 1 - before.mover;
  const lost = (isSure) => ({ kind: "parity", words: texts.mistakes.parity(rival, isSure) });
  if (is?.controls === rival && was.controls === before.mover) return lost(true);
  if (exact || cost < LEAST_PARITY || was.controls === rival || is?.controls === before.mover) return null;
  if (is?.controls === rival) return lost(false);
  return better && { kind: "parity", words: texts.mistakes.parityTo(better) };
}

/** Returns a mistake that has no name, with what was better if it is known. */
function slip({ cost, exact }, better) {
  // A box that goes to the opponent instead moves the margin by two.
  return { kind: "slip", words: texts.mistakes.slip(cost / 2, exact, better) };
}
