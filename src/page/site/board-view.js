// The drawing of the board, in which every edge is a button for mouse, touch, keyboard and screen
// readers.
import { svg } from "./dom.js";
import { areaOf, boxAt, dotAt, endsOf, neighbour, SIDE, sizeOf } from "./geometry.js";
import { edgeName, edgeOf, edgeWords } from "./notation.js";
import { overlayOf } from "./overlay.js";
import { COLOURS } from "./table.js";

const ARROWS = {
  ArrowUp: { x: 0, y: -1 }, ArrowDown: { x: 0, y: 1 }, ArrowLeft: { x: -1, y: 0 }, ArrowRight: { x: 1, y: 0 },
};

/** The layers of the analysis, from the lowest to the highest. */
const LAYERS = ["regions", "shares", "badges"];

/** The most pixels for a hundredth of a box, so that small boards are not drawn too large. */
const MAX_SCALE = 1.35;

export class BoardView {
  /** `onDraw` is called with the edge that a person draws. */
  constructor(host, onDraw) {
    this.host = host;
    this.game = null;
    this.result = undefined;
    this.onDraw = onDraw;
    host.addEventListener("click", (event) => this.choose(this.edgeAt(event.target)));
    host.addEventListener("keydown", (event) => this.key(event));
    host.addEventListener("focusin", (event) => this.settle(this.edgeAt(event.target)));
  }

  /**
   * Shows a game. `open` is true if a person may draw; `result` is the analysis of the position, or
   * null.
   */
  show(game, { open, result, hint }) {
    if (this.game?.board.name !== game.board.name) this.build(game.board);
    if (this.game !== game || this.open !== open) this.update(game, open);
    if (this.result !== result) {
      this.result = result;
      const overlay = result ? overlayOf(game, result) : {};
      for (const name of LAYERS) this.layers[name].replaceChildren(...(overlay[name] ?? []));
    }
    this.host.classList.toggle("open", open);
    this.light("hint", hint === null ? [] : [hint]);
  }

  /** Creates the elements of a board. */
  build(board) {
    const { width, height } = sizeOf(board);
    this.boxes = Array.from({ length: board.boxes }, (_, box) => boxElement(board, box));
    this.edges = Array.from({ length: board.edges }, (_, edge) => edgeElement(board, edge));
    const layer = (name) => svg("g", { class: `overlay ${name}`, "aria-hidden": "true" });
    this.layers = Object.fromEntries(LAYERS.map((name) => [name, layer(name)]));
    const dots = [];
    for (let row = 0; row <= board.rows; row++)
      for (let col = 0; col <= board.cols; col++) dots.push(svg("circle", { ...centre(dotAt(row, col)), r: 8 }));
    this.host.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const size = `${board.rows} by ${board.cols} boxes`;
    this.host.setAttribute("aria-label", `Board of ${size}. Arrow keys move between undrawn edges.`);
    this.host.style.setProperty("--ratio", width / height);
    this.host.style.setProperty("--most", `${width * MAX_SCALE}px`);
    this.host.replaceChildren(
      svg("g", { class: "boxes" }, ...this.boxes),
      this.layers.regions,
      svg("g", { class: "edges" }, ...this.edges),
      this.layers.shares,
      svg("g", { class: "dots", "aria-hidden": "true" }, ...dots),
      this.layers.badges,
    );
    this.result = null;
    this.tabStop = 0;
    this.edges[0].setAttribute("tabindex", "0");
  }

  /** Updates the elements to a game. */
  update(game, open) {
    const { board } = game;
    this.game = game;
    this.open = open;
    this.host.classList.toggle("mover-0", game.mover === 0);
    this.host.classList.toggle("mover-1", game.mover === 1);
    const drawers = drawersOf(game);
    this.edges.forEach((element, edge) => {
      const seat = drawers[edge];
      element.classList.toggle("drawn", seat !== null);
      element.classList.toggle("last", edge === game.last);
      element.classList.toggle("by-0", seat === 0);
      element.classList.toggle("by-1", seat === 1);
      element.setAttribute("aria-disabled", String(seat !== null || !open));
      const state = seat === null ? "undrawn" : `drawn by ${COLOURS[seat]}`;
      element.setAttribute("aria-label", `${edgeWords(board, edge)}, ${state}`);
    });
    this.boxes.forEach((element, box) => {
      const owner = game.owners[box];
      if (owner === null) {
        delete element.dataset.owner;
        for (const name of ["role", "aria-label"]) element.removeAttribute(name);
      } else {
        element.dataset.owner = owner;
        element.setAttribute("role", "img");
        element.setAttribute("aria-label", `${boxWords(board, box)}, ${COLOURS[owner]}'s`);
      }
    });
    if (game.drawn[this.tabStop] && document.activeElement !== this.edges[this.tabStop]) {
      this.settle(game.undrawn()[0] ?? null);
    }
  }

  /** Gives a class to these edges and to no others. */
  light(name, edges) {
    this.edges?.forEach((element, edge) => element.classList.toggle(name, edges.includes(edge)));
  }

  /** Returns the edge of an element, or null. */
  edgeAt(target) {
    const name = target.closest?.("[data-edge]")?.dataset.edge;
    return name === undefined ? null : edgeOf(this.game.board, name);
  }

  /** Draws an edge if that is legal. */
  choose(edge) {
    if (edge !== null && this.game.legal(edge)) this.onDraw(edge);
  }

  /** Makes an edge the one that the Tab key focuses. */
  settle(edge) {
    if (edge === null) return;
    this.edges[this.tabStop].setAttribute("tabindex", "-1");
    this.tabStop = edge;
    this.edges[edge].setAttribute("tabindex", "0");
  }

  /** Handles the keys of the board. */
  key(event) {
    const edge = this.edgeAt(event.target);
    if (edge === null || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") this.choose(edge);
    else if (ARROWS[event.key]) this.focus(neighbour(this.game, edge, ARROWS[event.key]));
    else return;
    event.preventDefault();
  }

  focus(edge) {
    if (edge !== null) this.edges[edge].focus();
  }
}

const centre = ({ x, y }) => ({ cx: x, cy: y });

/** Returns an edge: its area, its outline and its line. */
function edgeElement(board, edge) {
  const [from, to] = endsOf(board, edge);
  const line = (name) => svg("line", { class: name, x1: from.x, y1: from.y, x2: to.x, y2: to.y, pathLength: 1 });
  return svg("g", { class: "edge", "data-edge": edgeName(board, edge), role: "button", tabindex: "-1" },
    svg("polygon", { class: "area", points: areaOf(board, edge) }), line("ghost"), line("ink"));
}

/**
 * Returns a box with the signs of both owners, a disc for Blue and a diamond for Orange, beside
 * their colours.
 */
function boxElement(board, box) {
  const { x, y } = boxAt(board, box);
  const [cx, cy] = [x + SIDE / 2, y + SIDE / 2];
  return svg("g", { class: "box", "data-box": box },
    svg("rect", { x, y, width: SIDE, height: SIDE }),
    svg("circle", { class: "sign sign-0", cx, cy, r: 17 }),
    svg("path", { class: "sign sign-1", d: `M${cx},${cy - 22}l22,22l-22,22l-22,-22z` }));
}

function boxWords(board, box) {
  return `Box in row ${Math.floor(box / board.cols) + 1}, column ${(box % board.cols) + 1}`;
}

/** Returns the seat that drew each edge, or null. */
function drawersOf(game) {
  const drawers = new Array(game.board.edges).fill(null);
  const drawn = new Array(game.board.edges).fill(false);
  let mover = 0;
  for (const edge of game.moves) {
    drawers[edge] = mover;
    drawn[edge] = true;
    const captures = game.board.boxesOf(edge).some((box) => game.board.edgesOf(box).every((side) => drawn[side]));
    if (!captures) mover = 1 - mover;
  }
  return drawers;
}
