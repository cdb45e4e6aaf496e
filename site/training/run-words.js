// What the training view says of a run in words.
import { scoresOf } from "./curves.js";
import { axisOf } from "./axes.js";
import { count } from "../page/dom.js";
import { seriesOf } from "./series.js";

/** The curve of runs without scores by which their headline goes. */
const OWN_GAMES = { field: "margin_error", better: -1 };

/** Returns a time in words: 45 s, 12 min, 2 h 25 min, 3 d 4 h. */
export function timeWords(seconds) {
  const minutes = Math.round(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (hours < 1) return `${minutes} min`;
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Returns the sentence of a run: how far it is, how well it plays, and whether it still improves. */
export function headline(run) {
  const last = run.rows.at(-1);
  if (!last) return nothingWords(run);
  const amounts = [];
  if (Number.isFinite(last.games)) amounts.push(count(last.games, "game"));
  if (Number.isFinite(last.seconds)) amounts.push(timeWords(last.seconds));
  const after = amounts.length ? ` after ${amounts.join(" and ")}` : "";
  return `Generation ${last.generation.toLocaleString("en")}${after}${scoreWords(run)}`;
}

/** Describes a run without a generation. */
function nothingWords({ text, error }) {
  if (text === null) return error === null ? "Loading …" : "";
  return "Waiting for the first generation. Once the run has begun, it takes seconds on a small board and minutes on a "
    + "large one.";
}

/** Describes how well a run plays. */
function scoreWords(run) {
  const axis = axisOf("generation", []);
  const scores = scoresOf(run.rows).map((curve) => ({ curve, series: seriesOf(run, curve, axis) }))
    .filter(({ series }) => series);
  if (scores.length === 0) return withoutScores(seriesOf(run, OWN_GAMES, axis));
  const [{ curve, series }] = scores;
  const { best, last, trend, over } = series;
  const end = best.value === last.value ? "its best so far"
    : `best so far ${curve.text(best.value)} at generation ${best.generation.toLocaleString("en")}`;
  const rising = scores.slice(1).filter((other) => other.series.trend > 0).map((other) => other.curve.topic);
  const also = rising.length ? `, but still improving: ${rising.join(", ")}` : "";
  const change = {
    null: "Too few scores to tell whether it improves", 0: `No clear change in its last ${over} scores${also}`,
    1: "It is still improving", "-1": `It got worse over its last ${over} scores${also}`,
  }[trend];
  return `. Latest score ${curve.text(last.value)} (${curve.topic}), ${end}. ${change}.`;
}

/** Describes a run that was never scored on a suite. */
function withoutScores(series) {
  if (!series) return ". It has no suite scores.";
  const change = {
    null: "too few generations to see a change", 0: `no clear change in the last ${series.over} generations`,
    1: "still improving", "-1": `getting worse over the last ${series.over} generations`,
  }[series.trend];
  const error = series.line.at(-1)[1].toFixed(2);
  return `. It has no suite scores. In its own games it misses the result by ${error} boxes: ${change}.`;
}

/** Describes what of a run could not be read, or returns nothing. */
export function faultWords({ error, text, faults, torn, address, rows }) {
  const parts = [];
  if (error !== null) {
    parts.push(`It ${text === null ? "cannot" : "can no longer"} be read: ${error}. `
      + (text === null ? "" : "What was read before is still shown. ") + "The page tries again every few seconds.");
  }
  if (faults.length > 0) {
    const numbers = faults.slice(0, 5).join(", ") + (faults.length > 5 ? " …" : "");
    const where = faults.length === 1 ? `Line ${numbers} is damaged and left out`
      : `${faults.length} lines are damaged and left out (${numbers})`;
    const are = rows.length === 1 ? "is" : "are";
    parts.push(`${where}; the ${count(rows.length, "generation")} of the other lines ${are} shown.`);
  }
  // The last line of a run that is followed may just be being written.
  if (torn && !address) parts.push("The file ends within a line. That line is left out.");
  return parts.join(" ");
}
