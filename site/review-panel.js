// The moves of the game, and their review: the cost of each move in boxes, as a chart and in the
// list. A click goes to the position.
import { costsOf, marginsOf } from "./analysis.js";
import { Stopped } from "./bots.js";
import { lineChart } from "./chart.js";
import { byId, count, el, showBoard, svg } from "./dom.js";
import { COLORS } from "./table.js";
import { leadWords } from "./game-words.js";

export class ReviewPanel {
  /**
   * `client` is used by this panel alone; `goTo` is called with the index of a state of the game on
   * show or of a table, and `light` with the edges to highlight on the board.
   */
  constructor(client, goTo, light) {
    this.client = client;
    this.goTo = goTo;
    this.light = light;
    this.games = null;
    this.margins = null;
    this.costs = [];
    this.running = false;
    /** The states of the game whose moves are listed, and the costs that are listed with them. */
    this.listed = { games: null, costs: null };
  }

  /** True if a review is shown. */
  get active() {
    return this.games !== null;
  }

  /**
   * Returns what the review says about the move that led to the state on show, as `{words, better}`
   * with the edge that was better, or null.
   */
  lessonOf(table) {
    if (this.games !== table.games) return null;
    const cost = this.costs.find(({ at }) => at === table.at - 1);
    if (!cost?.mistake || !cost.better) return null;
    const { mistake, better, seat } = cost;
    return { words: `${COLORS[seat]}: ${mistake.words} Better was ${better}.`, better: table.board.edge(better) };
  }

  /** Shows the moves of a table's game and their review, and clears that of another game. */
  show(table) {
    const begun = table.length > 0;
    if (this.games && this.games !== table.games) this.clear();
    byId("review-run").disabled = !begun;
    byId("review-run").textContent = this.running ? "Stop" : "Review this game";
    if (!this.games) byId("review-note").textContent = begun ? "" : "No move has been played yet.";
    else byId("review-summary").textContent = summary(this.costs, table.length, this.running);
    this.list(table);
    for (const mark of document.querySelectorAll("[data-at]")) {
      const here = Number(mark.dataset.at) === table.at;
      if (here && !mark.classList.contains("here")) reveal(mark);
      mark.classList.toggle("here", here);
    }
  }

  /** Lists the moves, unless they are listed already. */
  list(table) {
    const costs = this.games === table.games ? this.margins : null;
    if (this.listed.games === table.games && this.listed.costs === costs) return;
    const kept = this.listed.costs === costs ? this.listed.games ?? [] : [];
    this.listed = { games: table.games, costs };
    const list = byId("review-moves");
    const known = new Map(costs ? this.costs.map((cost) => [cost.at, cost]) : []);
    // The items of moves that have stayed the same stay, and so does the focus.
    let same = 0;
    while (same < table.length && same + 1 < kept.length && kept[same + 1] === table.games[same + 1]) same++;
    while (list.children.length > same) list.lastChild.remove();
    for (let at = same; at < table.length; at++) list.append(this.item(table.games[at + 1], at, known.get(at)));
  }

  /** Starts a review, or stops the running one. */
  toggle(table) {
    if (this.running) this.stop();
    else this.run(table);
  }

  /** Reviews the game of a table. */
  async run(table) {
    const { games } = table;
    this.clear();
    this.games = games;
    this.running = true;
    byId("review-note").textContent = "";
    this.show(table);
    try {
      await marginsOf(this.client, games, (margins, at) => {
        if (this.games !== games) return;
        this.margins = [...margins];
        this.draw(table);
        if (at === 0) this.finish(table);
      });
    } catch (error) {
      if (this.games !== games) return;
      if (!(error instanceof Stopped)) byId("review-note").textContent = error.message;
    }
    this.running = false;
    this.client.end();
    this.show(table);
  }

  /** Goes to the costliest move once all are reviewed, from the end of a finished game. */
  finish(table) {
    if (!table.game.over) return;
    const worst = this.costs.reduce((most, cost) => (cost.mistake && cost.cost > (most?.cost ?? 0) ? cost : most), null);
    if (worst) this.goTo(worst.at + 1, table);
  }

  stop() {
    this.client.stop();
    this.running = false;
  }

  /** Removes the review. */
  clear() {
    this.stop();
    this.client.end();
    this.games = null;
    this.margins = null;
    this.costs = [];
    byId("review-chart").replaceChildren();
    byId("review-summary").textContent = "";
  }

  /** Shows the costs that are known. */
  draw(table) {
    this.costs = costsOf(this.games, this.margins);
    byId("review-chart").replaceChildren(this.chart(this.costs));
    this.show(table);
  }

  /** Returns the chart of Blue's margin. */
  chart(costs) {
    const points = this.margins.flatMap((margin, at) => (margin ? [[at, margin.margin]] : []));
    const end = this.games.length - 1;
    const { chart, x, y } = lineChart(points, {
      label: "Blue's final margin after each move", from: 0, to: end, level: 0, name: "margin",
    });
    const notable = new Map(costs.filter(({ mistake }) => mistake).map((cost) => [cost.at + 1, cost]));
    for (const [at, margin] of points) {
      const cost = notable.get(at);
      const sign = cost ? `blunder by-${cost.seat}` : "";
      chart.append(svg("circle", {
        class: `point ${this.margins[at].exact ? "exact" : "expected"} ${sign}`, cx: x(at), cy: y(margin),
        r: cost ? 5.5 : 2.5, "data-at": at, onclick: () => this.goTo(at),
      }, svg("title", {}, `After move ${at}: ${leadWords(margin, this.margins[at].exact ? 0 : 1)}`)));
    }
    return chart;
  }

  /** Returns the list item of the move that led to `after`, whose cost may be known. */
  item(after, at, cost) {
    const seat = after.before.mover;
    const name = after.board.nameOf(after.last);
    const taken = after.captured.length ? `+${after.captured.length}` : "";
    const on = () => this.light([after.last]);
    const off = () => this.light([]);
    return el("li", {},
      el("button", {
        type: "button", "data-at": at + 1, class: costClass(cost), title: titleOf(cost),
        onclick: () => {
          this.goTo(at + 1);
          showBoard();
        },
        onmouseenter: on, onfocus: on, onmouseleave: off, onblur: off,
      },
      el("span", { class: "number" }, `${at + 1}.`),
      el("span", { class: `move by-${seat}`, "aria-label": `${COLORS[seat]}: ${name}` }, name),
      el("span", { class: `taken by-${seat}`, "aria-label": taken && `takes ${after.captured.length}` }, taken),
      el("span", { class: "cost" }, cost ? worthOf(cost) : ""),
      cost?.mistake && el("span", { class: "words" }, cost.mistake.words)));
  }
}

const worthOf = ({ cost, exact }) => (exact ? String(cost) : `≈ ${cost.toFixed(1)}`);

function costClass(cost) {
  if (!cost) return "";
  return `${cost.mistake ? "blunder" : ""} ${cost.exact ? "exact" : "expected"}`;
}

function titleOf(cost) {
  if (!cost) return "Go to the position after this move";
  return `Cost ${cost.exact ? "exactly" : "about"} ${cost.exact ? cost.cost : cost.cost.toFixed(1)} boxes`;
}

/** Scrolls a list so that an item of it is visible, without scrolling the page. */
function reveal(mark) {
  const list = mark.closest("ol");
  if (!list) return;
  const { offsetTop, offsetHeight } = mark;
  if (offsetTop < list.scrollTop) list.scrollTop = offsetTop;
  const below = offsetTop + offsetHeight - list.clientHeight;
  if (below > list.scrollTop) list.scrollTop = below;
}

/** Returns the summary of the costs of a game of so many moves, whose review may be running. */
function summary(costs, moves, running) {
  const mistakes = (seat) => costs.filter((cost) => cost.seat === seat && cost.mistake).length;
  const found = `Blue ${mistakes(0)}, Orange ${mistakes(1)}.`;
  const reviewed = `${costs.length} of ${count(moves, "move")}`;
  if (running && costs.length < moves) return `Still running: ${reviewed} reviewed, from the end. Mistakes so far: ${found}`;
  if (costs.length < moves) return `Stopped: ${reviewed} reviewed, from the end. Mistakes in these: ${found}`;
  const exact = costs.filter((cost) => cost.exact).length;
  const known = exact === costs.length ? "All costs are exact."
    : `${exact} of ${costs.length} costs are exact, the others (≈) are estimates.`;
  return `Mistakes: ${found} A cost is the number of boxes that the player has less at the end. ${known} The chart below `
    + "shows Blue's lead upward.";
}
