// The review of a game: the cost of each move in boxes, as a chart and as a list. A click goes to
// the position.
import { costsOf, marginsOf } from "./analysis.js";
import { Stopped } from "./bots.js";
import { lineChart } from "./chart.js";
import { byId, el, svg } from "./dom.js";
import { edgeName } from "./notation.js";
import { COLOURS } from "./table.js";
import { leadWords } from "./words.js";

/** The least cost, in boxes, that is marked as a blunder. */
const NOTABLE = 0.75;

export class ReviewPanel {
  /**
   * `client` is used by this panel alone; `goTo` is called with the index of a state of the game.
   */
  constructor(client, goTo) {
    this.client = client;
    this.goTo = goTo;
    this.games = null;
    this.margins = null;
    this.running = false;
  }

  /** Shows the review of a table's game, and clears that of another game. */
  show(table) {
    const begun = table.length > 0;
    const same = this.games === table.games;
    if (!same && this.games) this.clear();
    byId("review-run").disabled = !begun;
    byId("review-run").textContent = this.running ? "Stop" : "Review this game";
    if (same) for (const mark of document.querySelectorAll("[data-at]")) {
      mark.classList.toggle("here", Number(mark.dataset.at) === table.at);
    }
    if (!begun) byId("review-note").textContent = "No move has been played yet.";
    else if (!this.games) byId("review-note").textContent = "";
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
    this.show(table);
    try {
      await marginsOf(this.client, games, (margins, at) => {
        if (this.games !== games) return;
        this.margins = margins;
        byId("review-note").textContent = at > 0 ? `${at} positions left …` : "";
        this.draw(table);
      });
    } catch (error) {
      if (this.games !== games) return;
      byId("review-note").textContent = error instanceof Stopped ? "Stopped." : error.message;
    }
    this.running = false;
    this.client.end();
    this.show(table);
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
    byId("review-chart").replaceChildren();
    byId("review-moves").replaceChildren();
  }

  /** Shows the costs that are known. */
  draw(table) {
    const costs = costsOf(this.games, this.margins);
    byId("review-chart").replaceChildren(this.chart(costs), summary(costs));
    byId("review-moves").replaceChildren(...costs.map((cost) => this.item(table, cost)));
  }

  /** Returns the chart of Blue's margin. */
  chart(costs) {
    const points = this.margins.flatMap((margin, at) => (margin ? [[at, margin.margin]] : []));
    const end = this.games.length - 1;
    const { chart, x, y } = lineChart(points, {
      label: "Blue's final margin after each move", from: 0, to: end, level: 0, name: "margin",
    });
    const notable = new Map(costs.filter(({ cost }) => cost >= NOTABLE).map((cost) => [cost.at + 1, cost]));
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

  /** Returns the list item of a move. */
  item(table, { at, seat, edge, cost, exact }) {
    const worth = exact ? String(cost) : `≈ ${cost.toFixed(1)}`;
    const name = edgeName(table.board, edge);
    return el("li", {},
      el("button", {
        type: "button", "data-at": at, class: `${cost >= NOTABLE ? "blunder" : ""} ${exact ? "exact" : "expected"}`,
        title: `${exact ? "Exactly" : "About"} ${worth.replace("≈ ", "")} boxes; go to the position before it`,
        onclick: () => this.goTo(at),
      },
      el("span", {}, `${at + 1}.`), el("span", { class: `by-${seat}` }, COLOURS[seat]), el("span", {}, name),
      el("span", { class: "cost" }, worth)));
  }
}

/** Returns the summary of the costs. */
function summary(costs) {
  const blunders = (seat) => costs.filter((cost) => cost.seat === seat && cost.cost >= NOTABLE).length;
  const exact = costs.filter((cost) => cost.exact).length;
  const known = exact === costs.length ? "All costs are exact."
    : `${exact} of ${costs.length} costs are exact, the others (≈) are estimates.`;
  return el("p", { class: "note" }, `Moves that gave boxes away: Blue ${blunders(0)}, Orange ${blunders(1)}. ${known} `
    + "The chart shows Blue's lead upwards.");
}
