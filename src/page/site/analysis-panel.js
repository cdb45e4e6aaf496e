// The panel of the analysis: value, depth, control, the distribution of the final margin and the
// expected moves.
import { barChart } from "./chart.js";
import { byId, el } from "./dom.js";
import { edgeOf } from "./notation.js";
import { ANALYSIS_BUDGETS } from "./strengths.js";
import { controlWords, leadWords, resultWords } from "./words.js";

export class AnalysisPanel {
  /** `light` is called with the edges to highlight on the board. */
  constructor(analysis, light) {
    this.analysis = analysis;
    this.light = light;
    this.shown = null;
  }

  /** Shows the analysis of a game's position. */
  show(game) {
    const entry = game.over ? null : this.analysis.current;
    byId("analysis-stop").hidden = game.over || this.analysis.finished;
    byId("analysis-stop").textContent = this.analysis.running ? "Stop" : "Continue";
    byId("analysis-depth").textContent = this.depthWords(game, entry);
    byId("analysis").dataset.state = this.state;
    if (this.shown === (entry ?? game)) return;
    this.shown = entry ?? game;
    byId("analysis-value").textContent = valueWords(game, entry?.result);
    byId("analysis-control").textContent = entry ? controlWords(entry.result) : "";
    byId("analysis-finals").replaceChildren(...(entry ? [finalsChart(game, entry.result)] : []));
    byId("analysis-line").replaceChildren(...(entry ? entry.result.line.map((name) => this.lineItem(game, name)) : []));
  }

  get state() {
    if (this.analysis.running) return "thinking";
    return this.analysis.finished ? "finished" : "stopped";
  }

  /** Describes the search so far. */
  depthWords(game, entry) {
    if (this.analysis.fault) return this.analysis.fault;
    if (!entry) return "";
    const { simulations, nodes } = ANALYSIS_BUDGETS[entry.depth - 1];
    const spent = `${simulations.toLocaleString("en")} simulations, up to ${nodes.toLocaleString("en")} solver nodes`;
    return this.analysis.running ? `${spent}; going deeper …` : `${spent}.`;
  }

  /** Returns a move of the expected ones, which highlights its edge. */
  lineItem(game, name) {
    const edge = edgeOf(game.board, name);
    const on = () => this.light([edge]);
    const off = () => this.light([]);
    const listeners = { onmouseenter: on, onfocus: on, onmouseleave: off, onblur: off };
    return el("li", {}, el("button", { type: "button", ...listeners }, name));
  }
}

/** Returns the lead of the player to move as Blue's lead, which is the one that the page shows. */
const asBlue = (result, lead) => (result.mover === 0 ? lead : -lead);

/** Describes the value of a position. */
function valueWords(game, result) {
  if (game.over) return `${resultWords(game)}.`;
  if (!result) return "Analysing …";
  if (result.lower === result.upper) return `Exact: ${leadWords(asBlue(result, result.lower))}.`;
  const expected = `Expected: ${leadWords(asBlue(result, result.expected), 1)}`;
  const open = game.board.boxes - game.scores[0] - game.scores[1];
  if (result.upper - result.lower >= 2 * open) return `${expected}.`;
  const [low, high] = [asBlue(result, result.lower), asBlue(result, result.upper)].sort((a, b) => a - b);
  return `${expected}. Proved: between ${leadWords(low)} and ${leadWords(high)}.`;
}

/** Returns a chart of the final margin's distribution. */
function finalsChart(game, result) {
  const bars = result.finals.map(([lead, share]) => {
    const margin = asBlue(result, lead);
    const name = margin > 0 ? "by-0" : margin < 0 ? "by-1" : "tie";
    return { at: margin, share, name, title: `${leadWords(margin)}: ${(100 * share).toFixed(1)} %` };
  });
  const likely = bars.filter((bar) => bar.share >= 0.001);
  const reach = Math.min(game.board.boxes, Math.max(5, ...likely.map((bar) => Math.abs(bar.at))));
  const shown = bars.filter((bar) => Math.abs(bar.at) <= reach);
  return barChart(shown, reach, "Probability of each final margin: Orange's lead to the left, Blue's lead to the right");
}
