// The elements of a board: edges, boxes, dots and coordinates.
import { svg } from "../page/dom.js";
import { areaOf, boxAt, diamondPath, DISC, DOT, dotAt, dotsOf, GAP, lineOf, SIDE } from "./geometry.js";

/** Returns an edge: its area, its faint line and its line. */
export function edgeElement(board, edge) {
  const line = (name, gap) => {
    const [from, to] = lineOf(board, edge, gap);
    return svg("line", { class: name, x1: from.x, y1: from.y, x2: to.x, y2: to.y, pathLength: 1 });
  };
  return svg("g", { class: "edge", "data-edge": board.nameOf(edge), role: "button", tabindex: "-1" },
    svg("polygon", { class: "area", points: areaOf(board, edge) }), line("ghost", GAP), line("ink", 0));
}

/**
 * Returns a box with the signs of both owners, a disc for Blue and a diamond for Orange, beside
 * their colors.
 */
export function boxElement(board, box) {
  const { x, y } = boxAt(board, box);
  const [cx, cy] = [x + SIDE / 2, y + SIDE / 2];
  return svg("g", { class: "box", "data-box": box },
    svg("rect", { x, y, width: SIDE, height: SIDE }),
    svg("circle", { class: "sign sign-0", cx, cy, r: DISC }),
    svg("path", { class: "sign sign-1", d: diamondPath(cx, cy) }));
}

/** Returns the dots. */
export function dotElements(board) {
  return dotsOf(board).map(({ x, y }) => svg("circle", { cx: x, cy: y, r: DOT }));
}

/** Returns the numbers of the rows and columns of dots, from which edges have their names. */
export function coordinateElements(board) {
  const number = (value, x, y) => svg("text", { x, y }, String(value));
  const columns = Array.from({ length: board.cols + 1 }, (_, col) => number(col, dotAt(0, col).x, 17));
  const rows = Array.from({ length: board.rows + 1 }, (_, row) => number(row, 12, dotAt(row, 0).y + 6));
  return [...columns, ...rows];
}
