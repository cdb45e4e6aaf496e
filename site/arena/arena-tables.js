// The tables of the arena: the ladder, and the points of each bot against each other one. Their elements
// stay as figures change, with the focus that one may have.
import { el, fit, signed, write } from "../page/dom.js";
import { pointsOf } from "./standings.js";
import { texts } from "../texts.js";

/** The figures of a row in the columns of the ladder after the name. */
const FIGURES = {
  elo: ({ elo }) => signed(elo), half: ({ half }) => half.toFixed(0), games: ({ games }) => games, won: ({ won }) => won,
  tied: ({ tied }) => tied, lost: ({ lost }) => lost, faults: ({ faults }) => faults,
};

/** Formats points: 0, ½, 7½. */
const pointsWords = (points) => `${Math.floor(points) || (points % 1 ? "" : 0)}${points % 1 ? "½" : ""}`;

/** A table with a row for each bot, whose cells are kept by their names. */
class BotTable {
  constructor(label, name) {
    this.kept = new Map();
    this.heads = el("tr");
    this.body = el("tbody");
    const table = el("table", {}, el("caption", { class: "visually-hidden" }, label), el("thead", {}, this.heads), this.body);
    this.element = el("div", { class: `scroll ${name}`, role: "group", tabindex: "0", "aria-label": label }, table);
  }

  /** Returns the element of this name, which `make` makes once. */
  keep(name, make) {
    const key = JSON.stringify(name);
    if (!this.kept.has(key)) this.kept.set(key, make());
    return this.kept.get(key);
  }

  /** Shows heads and rows, each a list of elements that begins with the name of its bot. */
  fill(heads, rows) {
    const focused = document.activeElement;
    fit(this.heads, heads);
    fit(this.body, rows.map(([head, ...cells], at) => {
      const row = this.keep(["row", head.dataset.name], () => el("tr"));
      write(head.firstChild, `${at + 1}`);
      fit(row, [head, ...cells]);
      return row;
    }));
    // An element that has moved has lost the focus.
    if (this.element.contains(focused)) focused.focus({ preventScroll: true });
  }

  /** Returns the head of a bot's row. */
  nameOf(name) {
    return this.keep(["name", name], () =>
      el("th", { scope: "row", "data-name": name, title: name }, el("span", { class: "rank" }), " ", el("span", {}, name)));
  }
}

export class LadderTable extends BotTable {
  constructor() {
    super(texts.arena.ladder, "ladder");
  }

  /** Shows the rows of a ladder. */
  show(rows) {
    const head = ([text, title]) => this.keep(["head", text], () => el("th", { scope: "col", title }, text));
    this.fill([[texts.arena.bot], ...Object.values(texts.arena.heads)].map(head), rows.map((row) => {
      const cells = Object.entries(FIGURES).map(([column, figure]) => {
        const cell = this.keep([column, row.name], () => el("td"));
        write(cell, figure(row));
        return cell;
      });
      return [this.nameOf(row.name), ...cells];
    }));
  }
}

export class CrossTable extends BotTable {
  /** `onOpen` is called with two names, to open the games between them. */
  constructor(onOpen) {
    super(texts.arena.cross, "cross");
    this.onOpen = onOpen;
  }

  /** Shows the points in some games, with bots in the order of a ladder's rows. */
  show(rows, games) {
    const points = pointsOf(games);
    const heads = rows.map(({ name }, at) => {
      const head = this.keep(["head", at], () => el("th", { scope: "col" }, `${at + 1}`));
      head.title = name;
      return head;
    });
    const corner = this.keep(["head"], () => el("th", { scope: "col" }, texts.arena.bot));
    this.fill([corner, ...heads], rows.map(({ name }) =>
      [this.nameOf(name), ...rows.map((other) => this.cell(name, other.name, points.get(name).get(other.name)))]));
  }

  /** Returns the cell of a bot against another one, with a button if they have met. */
  cell(name, opponent, met) {
    const cell = this.keep(["cell", name, opponent], () => el("td", name === opponent ? { class: "self" } : {}));
    if (!met || name === opponent) return cell;
    const button = cell.firstChild ?? el("button", { type: "button", onclick: () => this.onOpen(name, opponent) });
    const words = `${pointsWords(met.points)}/${met.games}`;
    write(button, words);
    button.className = met.points > met.games / 2 ? "ahead" : "";
    button.setAttribute("aria-label", texts.arena.watch(name, opponent, words));
    fit(cell, [button]);
    return cell;
  }
}
