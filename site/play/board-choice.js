// The choice of a board: tiles for the usual ones, and a list of all.
import { Choice } from "./choice.js";
import { byId, el, svg } from "../page/dom.js";
import { Board } from "../doublecross/rules.js";
import { texts } from "../texts.js";

/** The sides of the square boards that have a tile. */
const SIDES = [3, 4, 5, 6, 7];
const OTHER = "other";
const FALLBACK = "5x5";

export class BoardChoice {
  constructor(bots) {
    const usual = SIDES.map((side) => ({ value: `${side}x${side}`, label: [tile(side), `${side} × ${side}`] }));
    this.choice = new Choice(byId("size"), [...usual, { value: OTHER, label: [tile(0), texts.play.other] }]);
    fillBoards(byId("other-size"), bots);
    this.value = byId("other-size").value;
  }

  /** The name of the chosen board. */
  get value() {
    const { value } = this.choice;
    return value === OTHER ? byId("other-size").value : value;
  }

  set value(name) {
    if (!isBoard(name)) return;
    byId("other-size").value = name;
    this.choice.value = OTHER;
    this.choice.value = name;
    this.arrange();
  }

  /** Shows the list of all boards if it is needed. */
  arrange() {
    byId("other-size").hidden = this.choice.value !== OTHER;
  }
}

const isBoard = (name) => Board.all().some((board) => board.name === name);

/** Returns a picture of a square board, or of dots that go on for 0. */
function tile(side) {
  const most = side || 3;
  const at = (place) => 3 + (18 * place) / most;
  const places = [...Array(most + 1).keys()];
  const dots = places.flatMap((row) => places.map((col) => svg("circle", { cx: at(col), cy: at(row), r: side > 5 ? 0.9 : 1.2 })));
  return svg("svg", { class: side ? "tile" : "tile open", viewBox: "0 0 24 24", "aria-hidden": "true" }, ...dots);
}

/** Fills a select with all boards, those with a network first. */
export function fillBoards(select, bots) {
  const group = (label, boards) => {
    const options = boards.map(({ name, rows, cols }) => el("option", { value: name }, `${rows} × ${cols}`));
    if (options.length) select.append(el("optgroup", { label }, ...options));
  };
  group(texts.play.withNetwork, Board.all().filter((board) => bots.knows(board)));
  group(texts.play.otherBoards, Board.all().filter((board) => !bots.knows(board)));
  select.value = bots.modules[0]?.board ?? FALLBACK;
}
