// The analysis on the board: undrawn edges in the color of their cost, each chain and loop in a
// tint of its own with one label, and a mark at the recommended edge.
import { svg } from "../page/dom.js";
import { costsOfEdges, groupsOf } from "./edge-costs.js";
import { boxAt, GAP, lineOf, middleOf, SIDE } from "./geometry.js";
import { texts } from "../texts.js";

/** The number of tints of chains and loops. */
export const TINTS = 9;

/**
 * Returns the layers of an analysis: `regions` under the boxes, `strokes` under the edges, `badges`
 * above everything; and the `costs` of the edges and the `groups` that they
 * are made from.
 */
export function overlayOf(game, result) {
  const { board } = game;
  const costs = costsOfEdges(game, result);
  const groups = groupsOf(game, result, costs);
  const recommended = result.line.slice(0, 1).map((name) => board.edge(name));
  return {
    costs,
    groups,
    regions: groups.map((group, index) => region(board, group, index)),
    strokes: [...costs].map(([edge, cost]) => stroke(board, edge, cost)),
    badges: [
      ...groups.flatMap((group) => (group.cost ? label(board, group) : [])),
      ...recommended.map((edge) => mark(board, edge)),
    ],
  };
}

/** Returns the line of an edge in the color of its cost. */
function stroke(board, edge, { grade, exact }) {
  const [from, to] = lineOf(board, edge, GAP);
  const name = `stroke cost-${grade} ${exact ? "exact" : "expected"}`;
  return svg("line", { class: name, "data-cost": edge, x1: from.x, y1: from.y, x2: to.x, y2: to.y });
}

/** Returns the shading of a chain or loop. */
function region(board, { boxes, length, isLoop }, index) {
  return svg("g", { class: `region tint-${index % TINTS}`, "data-region": index },
    ...boxes.map((box) => {
      const { x, y } = boxAt(board, box);
      return svg("rect", { x, y, width: SIDE, height: SIDE });
    }),
    svg("title", {}, texts.board.shape(length, isLoop)));
}

/** Returns the label of a chain or loop in its middle: its boxes, and the cost of opening it. */
function label(board, { boxes, length, isLoop, cost }) {
  const { x, y } = boxAt(board, boxes[Math.floor((boxes.length - 1) / 2)]);
  const [cx, cy] = [x + SIDE / 2, y + SIDE / 2];
  return [svg("g", { class: `label cost-${cost.grade}`, "data-badge": boxes[0] },
    svg("text", { class: "length", x: cx, y: cy - 2 }, `${isLoop ? "⟳" : ""}${length}`),
    svg("text", { class: "price", x: cx, y: cy + 22 }, priceOf(cost)))];
}

const priceOf = ({ cost, exact, grade }) => (grade === 0 ? texts.board.best : `−${cost.toFixed(exact ? 0 : 1)}`);

/** Returns the mark of the recommended edge. */
function mark(board, edge) {
  const { x, y } = middleOf(board, edge);
  return svg("g", { class: "recommended", "data-recommended": edge },
    svg("circle", { cx: x, cy: y, r: 13 }), svg("path", { d: `M${x - 6},${y}l4.5,5l8,-10` }));
}

/** Returns the note at an edge that a person points at: the boxes that it costs. */
export function costNote(board, edge, cost) {
  const { x, y } = middleOf(board, edge);
  const text = priceOf(cost);
  const width = 13 * text.length + 18;
  return svg("g", { class: `cost-note cost-${cost.grade}` },
    svg("rect", { x: x - width / 2, y: y - 17, width, height: 34, rx: 17 }), svg("text", { x, y: y + 7 }, text));
}
