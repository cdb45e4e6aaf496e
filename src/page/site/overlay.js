// The analysis on the board: a line for each edge's share of the policy, a badge for its margin,
// solid if it is exact, and shaded chains and loops with their lengths. Margins are those of the
// player to move.
import { signed, svg } from "./dom.js";
import { boxAt, endsOf, middleOf, SIDE } from "./geometry.js";
import { edgeOf } from "./notation.js";

/**
 * Returns the layers of an analysis: `regions` under the edges, `shares` under the dots, `badges`
 * above everything.
 */
export function overlayOf(game, result) {
  const { board } = game;
  const values = result.edges.map((entry) => ({ ...entry, number: edgeOf(board, entry.edge), ...marginOf(entry) }));
  const known = values.filter((value) => value.margin !== null);
  const best = bestOf(result, known);
  const most = Math.max(...values.map((value) => value.policy), 1e-9);
  return {
    regions: [
      ...result.chains.map((chain) => region(board, chain, "chain")),
      ...result.loops.map((loop) => region(board, loop, "loop")),
    ],
    shares: values.map((value) => share(board, value, most)),
    badges: known.map((value) => badge(board, value, best)),
  };
}

/**
 * Returns the edges to recommend: all best ones if the position is settled, else the one that the
 * bot would play.
 */
function bestOf(result, known) {
  if (result.lower !== result.upper) return result.line.slice(0, 1);
  return known.filter(({ margin, exact }) => exact && margin === result.lower).map(({ edge }) => edge);
}

/** Returns an edge's margin: the exact one, the expected one, or null if it is unknown. */
function marginOf({ expected, lower, upper }) {
  if (lower === upper) return { margin: lower, exact: true };
  return { margin: expected, exact: false };
}

/** Returns the line of an edge's share of the policy. */
function share(board, { number, policy }, most) {
  const [from, to] = endsOf(board, number);
  const line = svg("line", { class: "share", x1: from.x, y1: from.y, x2: to.x, y2: to.y });
  line.style.strokeWidth = `${2 + 14 * Math.sqrt(policy)}`;
  line.style.opacity = `${0.15 + 0.75 * Math.sqrt(policy / most)}`;
  return line;
}

/** Returns the badge of an edge's margin. */
function badge(board, { number, edge, margin, exact }, best) {
  const { x, y } = middleOf(board, number);
  const text = signed(margin, exact ? 0 : 1);
  const width = 12 * text.length + 16;
  const name = `badge ${exact ? "exact" : "expected"}${best.includes(edge) ? " best" : ""}`;
  return svg("g", { class: name, "data-badge": edge },
    svg("rect", { x: x - width / 2, y: y - 14, width, height: 28, rx: exact ? 5 : 14 }),
    svg("text", { x, y: y + 6.5 }, text));
}

/** Returns the shading of a chain or loop. */
function region(board, { boxes, length }, name) {
  const middle = boxAt(board, boxes[Math.floor(boxes.length / 2)]);
  return svg("g", { class: `region ${name}` },
    ...boxes.map((box) => {
      const { x, y } = boxAt(board, box);
      return svg("rect", { x, y, width: SIDE, height: SIDE });
    }),
    svg("text", { x: middle.x + SIDE / 2, y: middle.y + SIDE / 2 + 9 }, name === "loop" ? `⟳${length}` : `${length}`));
}
