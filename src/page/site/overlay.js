// What analysis draws upon the board: a line for each edge's share of the policy, a badge for its margin (solid when
// it is exact), and shaded chains and loops with their lengths. Margins are those of the player to move.
import { signed, svg } from "./dom.js";
import { boxAt, endsOf, middleOf, SIDE } from "./geometry.js";
import { edgeOf } from "./notation.js";

/** The three layers of an analysis: `regions` lie under the edges, `shares` under the dots, `badges` above all. */
export function overlayOf(game, look) {
  const { board } = game;
  const values = look.edges.map((entry) => ({ ...entry, number: edgeOf(board, entry.edge), ...worthOf(entry) }));
  const known = values.filter((value) => value.worth !== null);
  const best = bestOf(look, known);
  const most = Math.max(...values.map((value) => value.policy), 1e-9);
  return {
    regions: [
      ...look.chains.map((chain) => region(board, chain, "chain")),
      ...look.loops.map((loop) => region(board, loop, "loop")),
    ],
    shares: values.map((value) => share(board, value, most)),
    badges: known.map((value) => badge(board, value, best)),
  };
}

/** The edges to recommend: every best one where the position is settled, else the one that the bot would play. */
function bestOf(look, known) {
  if (look.lower !== look.upper) return look.line.slice(0, 1);
  return known.filter(({ worth, exact }) => exact && worth === look.lower).map(({ edge }) => edge);
}

/** An edge's margin as far as it is known: exact, expected or null. */
function worthOf({ expected, lower, upper }) {
  if (lower === upper) return { worth: lower, exact: true };
  return { worth: expected, exact: false };
}

function share(board, { number, policy }, most) {
  const [from, to] = endsOf(board, number);
  const line = svg("line", { class: "share", x1: from.x, y1: from.y, x2: to.x, y2: to.y });
  line.style.strokeWidth = `${2 + 14 * Math.sqrt(policy)}`;
  line.style.opacity = `${0.15 + 0.75 * Math.sqrt(policy / most)}`;
  return line;
}

function badge(board, { number, edge, worth, exact }, best) {
  const { x, y } = middleOf(board, number);
  const text = signed(worth, exact ? 0 : 1);
  const width = 12 * text.length + 16;
  const name = `badge ${exact ? "exact" : "expected"}${best.includes(edge) ? " best" : ""}`;
  return svg("g", { class: name, "data-badge": edge },
    svg("rect", { x: x - width / 2, y: y - 14, width, height: 28, rx: exact ? 5 : 14 }),
    svg("text", { x, y: y + 6.5 }, text));
}

function region(board, { boxes, length }, name) {
  const middle = boxAt(board, boxes[Math.floor(boxes.length / 2)]);
  return svg("g", { class: `region ${name}` },
    ...boxes.map((box) => {
      const { x, y } = boxAt(board, box);
      return svg("rect", { x, y, width: SIDE, height: SIDE });
    }),
    svg("text", { x: middle.x + SIDE / 2, y: middle.y + SIDE / 2 + 9 }, name === "loop" ? `⟳${length}` : `${length}`));
}
