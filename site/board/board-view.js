// The drawing of the board, in which every edge is a button for mouse, touch, keyboard and screen
// readers.
import { boxElement, coordinateElements, dotElements, edgeElement } from "./board-parts.js";
import { svg } from "../page/dom.js";
import { celebrateMove } from "./effects.js";
import { neighbor, sizeOf } from "./geometry.js";
import { edgeWords } from "../share/notation.js";
import { overlayOf } from "./analysis-overlay.js";
import { Pointer } from "./pointer.js";
import { texts } from "../texts.js";

const ARROWS = {
  ArrowUp: { x: 0, y: -1 }, ArrowDown: { x: 0, y: 1 }, ArrowLeft: { x: -1, y: 0 }, ArrowRight: { x: 1, y: 0 },
};

/** The layers above and below the edges, by name. */
const LAYERS = ["regions", "strokes", "badges", "detail", "effects"];
/** The layers of the analysis. */
const OVERLAY = ["regions", "strokes", "badges"];

/** The most pixels for a hundredth of a box, so that small boards are not drawn too large. */
const MAX_SCALE = 2.2;

export class BoardView {
  /**
   * `onDraw` is called with the edge that a person draws, `onPoint` with the edge that a pointer or
   * the keyboard is at, or null.
   */
  constructor(host, onDraw, onPoint = () => {}) {
    this.host = host;
    this.game = null;
    /** The game that is on show again once no later one is foreseen, or null. */
    this.shown = null;
    this.result = undefined;
    this.onDraw = onDraw;
    this.onPoint = onPoint;
    this.pointer = new Pointer(this);
    host.addEventListener("keydown", (event) => this.key(event));
    // On the parent, since Chromium moves the focus to an SVG element that listens to it.
    host.parentElement.addEventListener("focusin", (event) => {
      const edge = this.edgeAt(event.target);
      this.settle(edge);
      if (event.target.matches(":focus-visible")) this.point(edge);
    });
    host.parentElement.addEventListener("focusout", () => this.point(null));
  }

  /** The ratio of width to height. */
  get ratio() {
    const { width, height } = sizeOf(this.game.board);
    return width / height;
  }

  /**
   * Shows a game. `open` is true if a person may draw; `result` is the analysis of the position, or
   * null; `named` is true if the coordinates are shown.
   */
  show(game, { open, result, hint, named = false }) {
    if (this.game?.board.name !== game.board.name) this.build(game.board);
    const before = this.shown?.game ?? this.game;
    if (before !== game) this.foresee(null);
    if (before !== game || (this.open !== open && !this.shown)) this.update(game, open);
    if (before && before === game.before) celebrateMove(this, game);
    if (this.result !== result) {
      this.result = result;
      const overlay = result ? overlayOf(game, result) : {};
      for (const name of OVERLAY) this.layers[name].replaceChildren(...(overlay[name] ?? []));
      this.costs = overlay.costs ?? null;
      this.groups = overlay.groups ?? [];
      this.light("weighed", [...(this.costs?.keys() ?? [])]);
      this.describe();
    }
    this.host.classList.toggle("open", open);
    this.host.classList.toggle("named", named);
    this.light("hint", hint === null ? [] : [hint]);
    if (this.pointed !== null && game.drawn[this.pointed]) this.point(null);
  }

  /** Creates the elements of a board. */
  build(board) {
    const { width, height } = sizeOf(board);
    this.boxes = Array.from({ length: board.boxes }, (_, box) => boxElement(board, box));
    this.edges = Array.from({ length: board.edges }, (_, edge) => edgeElement(board, edge));
    const layer = (name) => svg("g", { class: `overlay ${name}`, "aria-hidden": "true" });
    this.layers = Object.fromEntries(LAYERS.map((name) => [name, layer(name)]));
    this.host.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.host.setAttribute("aria-label", texts.board.label(board.rows, board.cols));
    this.host.style.setProperty("--ratio", width / height);
    this.host.style.setProperty("--most", `${width * MAX_SCALE}px`);
    this.host.replaceChildren(
      this.layers.regions,
      svg("g", { class: "boxes" }, ...this.boxes),
      svg("g", { class: "coordinates", "aria-hidden": "true" }, ...coordinateElements(board)),
      svg("g", { class: "edges" }, ...this.edges),
      this.layers.strokes,
      svg("g", { class: "dots", "aria-hidden": "true" }, ...dotElements(board)),
      this.layers.badges,
      this.layers.detail,
      this.layers.effects,
    );
    Object.assign(this, { game: null, shown: null, result: null, costs: null, groups: [], pointed: null, tabStop: 0 });
    this.edges[0].setAttribute("tabindex", "0");
  }

  /** Updates the elements to a game, of which the moves from `foreseen` on have not been played. */
  update(game, open, foreseen = Infinity) {
    const { board } = game;
    this.game = game;
    this.open = open;
    this.host.classList.toggle("mover-0", game.mover === 0);
    this.host.classList.toggle("mover-1", game.mover === 1);
    const expected = new Set(game.moves.slice(foreseen));
    this.edges.forEach((element, edge) => {
      const seat = game.drawers[edge];
      element.classList.toggle("drawn", seat !== null);
      element.classList.toggle("last", edge === game.last);
      element.classList.toggle("foreseen", expected.has(edge));
      element.classList.toggle("by-0", seat === 0);
      element.classList.toggle("by-1", seat === 1);
      element.setAttribute("aria-disabled", String(seat !== null || !open));
    });
    this.boxes.forEach((element, box) => {
      const owner = game.owners[box];
      if (owner === null) {
        delete element.dataset.owner;
        for (const name of ["role", "aria-label"]) element.removeAttribute(name);
      } else {
        element.dataset.owner = owner;
        element.setAttribute("role", "img");
        element.setAttribute("aria-label", texts.board.box(Math.floor(box / board.cols), box % board.cols, owner));
      }
    });
    this.describe();
    if (game.drawn[this.tabStop] && document.activeElement !== this.edges[this.tabStop]) {
      this.settle(game.undrawn()[0] ?? null);
    }
  }

  /** Names each edge for screen readers, with its cost while the analysis is shown. */
  describe() {
    this.edges.forEach((element, edge) => {
      const seat = this.game.drawers[edge];
      const words = edgeWords(this.game.board, edge);
      const label = seat === null ? texts.board.undrawn(words, this.costs?.get(edge)?.words) : texts.board.drawn(words, seat);
      element.setAttribute("aria-label", label);
    });
  }

  /** Shows a game that may follow from the one on show, or that one again for null. */
  foresee(game) {
    if (!game && !this.shown) return;
    this.shown ??= { game: this.game, open: this.open };
    const { shown } = this;
    if (!game) this.shown = null;
    this.update(game ?? shown.game, !game && shown.open, shown.game.moves.length);
    this.host.classList.toggle("foreseeing", Boolean(game));
  }

  /** Gives a class to these edges and to no others. */
  light(name, edges) {
    this.edges?.forEach((element, edge) => element.classList.toggle(name, edges.includes(edge)));
  }

  /** Marks the edge that would be drawn, and the boxes that it would close. */
  point(edge) {
    if (this.pointed === edge) return;
    this.pointed = edge;
    this.light("pointed", edge === null ? [] : [edge]);
    const closed = edge !== null && this.open && this.game.legal(edge) ? this.game.play(edge).captured : [];
    this.boxes.forEach((element, box) => element.classList.toggle("closing", closed.includes(box)));
    this.onPoint(edge);
  }

  /** Returns the edge of an element, or null. */
  edgeAt(target) {
    const name = target.closest?.("[data-edge]")?.dataset.edge;
    return name === undefined ? null : this.game.board.edge(name);
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
    else if (ARROWS[event.key]) this.focus(neighbor(this.game, edge, ARROWS[event.key]));
    else return;
    event.preventDefault();
  }

  focus(edge) {
    if (edge !== null) this.edges[edge].focus();
  }
}
