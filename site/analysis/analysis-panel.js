// The panel of the analysis: the forecast in words, the edge that a person points at, chains and
// loops, the likely moves, which can be played out on the board, and the final margins.
import { barChart } from "../page/chart.js";
import { byId, el, showBoard } from "../page/dom.js";
import { countSingles } from "../board/edge-costs.js";
import { statesOfLine } from "../share/notation.js";
import { TINTS } from "../board/analysis-overlay.js";
import { ANALYSIS_BUDGETS } from "../play/strengths.js";
import { controlWords, groupWords, resultWords, sureWords } from "../play/game-words.js";
import { texts } from "../texts.js";

/** The time for which each move is shown when the likely moves are played out. */
const STEP_MS = 650;

const COARSE = matchMedia("(pointer: coarse)");

export class AnalysisPanel {
  /** `board` is the view of the board, which shows the same analysis, and on which moves are played out
   * and chains lit. */
  constructor(analysis, board) {
    this.analysis = analysis;
    this.board = board;
    this.shown = null;
    this.timer = null;
    byId("analysis-play").addEventListener("click", () => this.playOut());
  }

  /** Shows the analysis of a table's position. */
  show(table) {
    const { game } = table;
    const entry = game.over ? null : this.analysis.current;
    byId("analysis-stop").hidden = game.over || this.analysis.finished;
    byId("analysis-stop").textContent = this.analysis.running ? texts.analysis.stop : texts.analysis.deepen;
    byId("analysis-depth").textContent = this.depthWords(entry);
    byId("analysis").classList.toggle("over", game.over);
    byId("analysis").dataset.state = this.state;
    if (this.shown === (entry ?? game)) return;
    this.shown = entry ?? game;
    this.endPlay();
    this.game = game;
    this.point(null);
    byId("analysis-value").textContent = game.over ? resultWords(table) : valueWords(entry?.result);
    byId("analysis-sure").textContent = entry ? certaintyWords(game, entry.result) : "";
    byId("analysis-control").textContent = entry ? controlWords(entry.result) : "";
    byId("analysis-chains").replaceChildren(...(entry ? this.chainItems(entry.result) : []));
    byId("analysis-finals").replaceChildren(...(entry ? [finalsChart(game, entry.result)] : []));
    this.line = entry ? statesOfLine(game, entry.result.line) : [];
    byId("analysis-line").replaceChildren(...this.line.map((after, at) => this.lineItem(after, at)));
    byId("analysis-play").disabled = this.line.length === 0;
  }

  get state() {
    if (this.analysis.running) return "thinking";
    return this.analysis.finished ? "finished" : "stopped";
  }

  /** Describes the search so far. */
  depthWords(entry) {
    if (this.analysis.fault) return this.analysis.fault;
    if (!entry) return "";
    const { simulations, nodes } = ANALYSIS_BUDGETS[entry.depth - 1];
    return (this.analysis.running ? texts.analysis.deeper : texts.analysis.spent)(simulations, nodes);
  }

  /** Describes the edge that a person points at, or asks for one. */
  point(edge) {
    const { costs } = this.board;
    const cost = edge === null ? null : costs?.get(edge);
    byId("analysis-detail").textContent = cost ? this.edgeWords(edge, cost)
      : !costs?.size ? "" : COARSE.matches ? texts.analysis.holdOn : texts.analysis.pointAt;
  }

  edgeWords(edge, { words, margin, exact }) {
    const lead = this.game.mover === 0 ? margin : -margin;
    return texts.analysis.ofEdge(this.game.board.nameOf(edge), words, lead, exact);
  }

  /** Returns the list of chains and loops, each of which lights its edges, and of single boxes. */
  chainItems(result) {
    const items = this.board.groups.map((group, index) => {
      const on = () => this.board.light("lit", group.edges);
      const off = () => this.board.light("lit", []);
      return el("li", { tabindex: 0, class: `tint-${index % TINTS}`, onmouseenter: on, onfocus: on, onmouseleave: off, onblur: off },
        groupWords(group));
    });
    const singles = countSingles(result);
    return singles ? [...items, el("li", {}, texts.analysis.singles(singles))] : items;
  }

  /** Returns a likely move, which shows the board after it. */
  lineItem(after, at) {
    const on = () => {
      this.endPlay();
      this.foresee(at);
    };
    const touched = () => {
      on();
      showBoard();
    };
    const off = () => this.foresee(null);
    const name = after.board.nameOf(after.last);
    const seat = after.before.mover;
    return el("li", {}, el("button", {
      type: "button", class: `move by-${seat}`, "aria-label": texts.board.move(seat, name),
      onmouseenter: on, onfocus: on, onclick: touched, onmouseleave: off, onblur: off,
    }, name));
  }

  /** Shows the board after so many of the likely moves and one more, or as it is for null. */
  foresee(at) {
    this.board.foresee(at === null ? null : this.line[at]);
    [...byId("analysis-line").children].forEach((item, index) => {
      item.firstChild.classList.toggle("here", at !== null && index <= at);
    });
  }

  /** Plays the likely moves out on the board, one after another. */
  playOut() {
    if (this.timer !== null) return this.endPlay();
    let at = 0;
    const step = () => {
      if (at >= this.line.length) return this.endPlay();
      this.foresee(at++);
      // The last one stays a little longer.
      this.timer = setTimeout(step, at < this.line.length ? STEP_MS : 3 * STEP_MS);
    };
    byId("analysis-play").textContent = texts.analysis.stop;
    showBoard();
    step();
  }

  endPlay() {
    clearTimeout(this.timer);
    this.timer = null;
    byId("analysis-play").textContent = texts.analysis.playOut;
    this.foresee(null);
  }
}

/** Returns the lead of the player to move as Blue's lead, which is the one that the page shows. */
const asBlue = (result, lead) => (result.mover === 0 ? lead : -lead);

/** Describes the value of a position. */
function valueWords(result) {
  if (!result) return texts.analysis.thinking;
  const isExact = result.lower === result.upper;
  return texts.analysis.value(asBlue(result, isExact ? result.lower : result.expected), isExact);
}

/** Describes what is proved of a position, and how sure the rest is. */
function certaintyWords(game, result) {
  if (result.lower === result.upper) return texts.analysis.proved;
  const sure = sureWords(result.finals);
  const open = game.board.boxes - game.scores[0] - game.scores[1];
  if (result.upper - result.lower >= 2 * open) return sure;
  const [low, high] = [asBlue(result, result.lower), asBlue(result, result.upper)].sort((a, b) => a - b);
  return `${sure} ${texts.analysis.between(low, high)}`;
}

/** Returns a chart of the final margin's distribution. */
function finalsChart(game, result) {
  const bars = result.finals.map(([lead, share]) => {
    const margin = asBlue(result, lead);
    const name = margin > 0 ? "by-0" : margin < 0 ? "by-1" : "tie";
    return { at: margin, share, name, title: texts.analysis.share(margin, share) };
  });
  const likely = bars.filter((bar) => bar.share >= 0.001);
  const reach = Math.min(game.board.boxes, Math.max(5, ...likely.map((bar) => Math.abs(bar.at))));
  const shown = bars.filter((bar) => Math.abs(bar.at) <= reach);
  return barChart(shown, reach, texts.analysis.chart);
}
