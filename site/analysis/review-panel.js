// The moves of a game and their review: the cost of each move in boxes, as a chart below the board and in the list, the
// way from one mistake to the next, and how well both have played.
import { costsOf, marginsOf } from "./analysis.js";
import { Stopped } from "../page/bots.js";
import { lineChart } from "../page/chart.js";
import { byId, svg } from "../page/dom.js";
import { markState, MoveList } from "./move-list.js";
import { texts } from "../texts.js";

/** The most reviews that are kept when they are left. */
const MOST_LEFT = 10;

/** Returns true if a table shows a state that was reviewed: its moves begin with those of the review, and none after them is on show. */
const isOf = ({ games }, table) => table.at < games.length && table.games[games.length - 1]?.text === games.at(-1).text;

export class ReviewPanel {
  /**
   * `clients` are used by this panel alone; `goTo` is called with the index of a state of the game on
   * show or of a table, and `light` with the edges to highlight on the board.
   */
  constructor(clients, goTo, light) {
    this.clients = clients;
    this.goTo = goTo;
    this.moves = new MoveList(goTo, light);
    Object.assign(this, { games: null, margins: null, costs: [], running: false });
    /** The last reviews that were left, as `{games, margins}`, which are shown again with their games. */
    this.left = [];
  }

  /** True if a review is shown. */
  get active() {
    return this.games !== null;
  }

  /** True if all moves of a table's game have been reviewed. */
  isWhole(table) {
    return this.active && !this.running && this.costs.length === table.length;
  }

  /** The costs of the moves that were mistakes. */
  get mistakes() {
    return this.costs.filter(({ mistake }) => mistake);
  }

  /** Returns the cost of the move that led to the state on show if that was a mistake, or null. */
  mistakeAt(table) {
    return this.mistakes.find(({ at }) => at === table.at - 1) ?? null;
  }

  /**
   * Returns what the review says about the move that led to the state on show, as `{words, better}`
   * with the edge that was better, or null.
   */
  lessonOf(table) {
    const { mistake, better, seat } = this.mistakeAt(table) ?? {};
    if (!better) return null;
    return { words: texts.review.lesson(seat, mistake.words, better), better: table.board.edge(better) };
  }

  /** Shows the moves of a table's game and their review, and leaves that of another game. */
  show(table) {
    if (this.active && !isOf(this, table)) this.clear();
    const left = this.active ? null : this.left.find((review) => isOf(review, table));
    Object.assign(this, left);
    byId("review").hidden = table.length === 0;
    byId("review-strip").hidden = !this.active;
    if (left) return this.draw(table);
    byId("review-run").hidden = this.isWhole(table);
    byId("review-run").textContent = this.running ? texts.review.stop : texts.review.run;
    if (this.active) byId("review-summary").textContent = summary(this.costs, this.games.length - 1, this.running);
    else byId("review-note").textContent = "";
    byId("previous-mistake").disabled = this.next(table, -1) === null;
    byId("next-mistake").disabled = this.next(table, 1) === null;
    byId("retry").hidden = this.mistakeAt(table) === null;
    this.moves.show(table, this.costs, this.margins);
    markState(table.at);
  }

  /** Returns the state after the next mistake in a direction, 1 or -1, or null. */
  next(table, direction) {
    const ahead = this.mistakes.map(({ at }) => at + 1).filter((at) => (at - table.at) * direction > 0);
    return ahead.length ? (direction > 0 ? Math.min : Math.max)(...ahead) : null;
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
      await marginsOf(this.clients, games, (margins) => {
        if (this.games !== games) return;
        this.margins = [...margins];
        this.draw(table);
      });
      if (this.games === games) this.finish(table);
    } catch (error) {
      if (this.games !== games) return;
      if (!(error instanceof Stopped)) byId("review-note").textContent = error.message;
    }
    this.end();
    const hadFocus = document.activeElement === byId("review-run");
    this.show(table);
    if (hadFocus && byId("review-run").hidden) byId("review-moves").querySelector(".here")?.focus({ preventScroll: true });
  }

  /** Goes to the costliest move once all are reviewed, from the end of a finished game. */
  finish(table) {
    if (!table.game.over) return;
    const worst = this.mistakes.reduce((most, cost) => (cost.cost > (most?.cost ?? 0) ? cost : most), null);
    if (worst) this.goTo(worst.at + 1, table);
  }

  stop() {
    this.running = false;
    for (const client of this.clients) client.stop();
  }

  /** Ends the workers. */
  end() {
    this.stop();
    for (const client of this.clients) client.end();
  }

  /** Leaves the review. */
  clear() {
    this.end();
    const { games, margins } = this;
    if (margins) this.left = [{ games, margins }, ...this.left.filter((review) => review.margins !== margins)].slice(0, MOST_LEFT);
    Object.assign(this, { games: null, margins: null, costs: [] });
    byId("review-chart").replaceChildren();
    byId("review-summary").textContent = "";
  }

  /** Shows the costs that are known. */
  draw(table) {
    this.costs = costsOf(this.games, this.margins);
    byId("review-chart").replaceChildren(this.chart());
    this.show(table);
  }

  /** Returns the chart of Blue's margin. */
  chart() {
    const points = this.margins.flatMap((margin, at) => (margin ? [[at, margin.margin]] : []));
    const end = this.games.length - 1;
    const { chart, x, y } = lineChart(points, {
      width: byId("review-chart").clientWidth, label: texts.review.chart, from: 0, to: end, level: 0, name: "margin",
    });
    const notable = new Map(this.mistakes.map((cost) => [cost.at + 1, cost]));
    for (const [at, margin] of points) {
      const cost = notable.get(at);
      const sign = cost ? `blunder by-${cost.seat}` : "";
      chart.append(svg("circle", {
        class: `point ${this.margins[at].exact ? "exact" : "expected"} ${sign}`, cx: x(at), cy: y(margin),
        r: cost ? 5.5 : 2.5, "data-at": at, onclick: () => this.goTo(at),
      }, svg("title", {}, texts.review.point(at, margin, this.margins[at].exact))));
    }
    return chart;
  }
}

/** The least estimated cost of a move, in boxes, that is not one of the best. */
const LEAST_COST = 0.5;

/** Returns how well a seat has played, by the costs of its moves. */
function accuracy(costs, seat) {
  const own = costs.filter((cost) => cost.seat === seat);
  const best = own.filter(({ cost, exact }) => (exact ? cost === 0 : cost < LEAST_COST)).length;
  const lost = own.reduce((sum, { cost }) => sum + cost, 0);
  return { best, moves: own.length, lost: Math.round(lost) };
}

/** Returns the summary of the costs of a game of so many moves, whose review may be running. */
function summary(costs, moves, running) {
  const found = texts.review.accuracy([accuracy(costs, 0), accuracy(costs, 1)]);
  const exact = costs.filter((cost) => cost.exact).length;
  if (running || costs.length < moves) return texts.review.soFar(found, exact, moves, running);
  return texts.review.summary(found, moves - exact, moves);
}
