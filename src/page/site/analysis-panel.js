// The panel of the analysis: value, depth, control, the distribution of the final margin and the expected line.
import { barChart } from "./chart.js";
import { byId, el } from "./dom.js";
import { edgeOf } from "./notation.js";
import { LOOKS } from "./strengths.js";
import { controlWords, leadWords, resultWords } from "./words.js";

export class AnalysisPanel {
  /** `light` is given the edges to light up on the board. */
  constructor(analysis, light) {
    this.analysis = analysis;
    this.light = light;
    this.shown = null;
  }

  show(game) {
    const seen = game.over ? null : this.analysis.current;
    byId("analysis-stop").hidden = game.over || this.analysis.finished;
    byId("analysis-stop").textContent = this.analysis.running ? "Stop" : "Think on";
    byId("analysis-depth").textContent = this.depthWords(game, seen);
    byId("analysis").dataset.state = this.state;
    if (this.shown === (seen ?? game)) return;
    this.shown = seen ?? game;
    byId("analysis-value").textContent = valueWords(game, seen?.look);
    byId("analysis-control").textContent = seen ? controlWords(seen.look) : "";
    byId("analysis-finals").replaceChildren(...(seen ? [finalsChart(game, seen.look)] : []));
    byId("analysis-line").replaceChildren(...(seen ? seen.look.line.map((name) => this.lineItem(game, name)) : []));
  }

  get state() {
    if (this.analysis.running) return "thinking";
    return this.analysis.finished ? "finished" : "stopped";
  }

  depthWords(game, seen) {
    if (this.analysis.fault) return this.analysis.fault;
    if (!seen) return "";
    const { simulations, nodes } = LOOKS[seen.depth - 1];
    const spent = `${simulations.toLocaleString("en")} simulations, up to ${nodes.toLocaleString("en")} solver nodes`;
    return this.analysis.running ? `${spent}; going deeper …` : `${spent}.`;
  }

  lineItem(game, name) {
    const edge = edgeOf(game.board, name);
    const on = () => this.light([edge]);
    const off = () => this.light([]);
    const listeners = { onmouseenter: on, onfocus: on, onmouseleave: off, onblur: off };
    return el("li", {}, el("button", { type: "button", ...listeners }, name));
  }
}

/** The mover's lead as Blue's: the page names the players and keeps Blue on the same side. */
const asBlue = (look, lead) => (look.mover === 0 ? lead : -lead);

function valueWords(game, look) {
  if (game.over) return `${resultWords(game)}.`;
  if (!look) return "Looking …";
  if (look.lower === look.upper) return `Exact: ${leadWords(asBlue(look, look.lower))}.`;
  const expected = `Expected: ${leadWords(asBlue(look, look.expected), 1)}`;
  const open = game.board.boxes - game.scores[0] - game.scores[1];
  if (look.upper - look.lower >= 2 * open) return `${expected}.`;
  const [low, high] = [asBlue(look, look.lower), asBlue(look, look.upper)].sort((a, b) => a - b);
  return `${expected}. Proved: between ${leadWords(low)} and ${leadWords(high)}.`;
}

function finalsChart(game, look) {
  const bars = look.finals.map(([lead, share]) => {
    const margin = asBlue(look, lead);
    const name = margin > 0 ? "by-0" : margin < 0 ? "by-1" : "tie";
    return { at: margin, share, name, title: `${leadWords(margin)}: ${(100 * share).toFixed(1)} %` };
  });
  const likely = bars.filter((bar) => bar.share >= 0.001);
  const reach = Math.min(game.board.boxes, Math.max(5, ...likely.map((bar) => Math.abs(bar.at))));
  const shown = bars.filter((bar) => Math.abs(bar.at) <= reach);
  return barChart(shown, reach, "How likely each final margin is: Orange's lead to the left, Blue's to the right");
}
