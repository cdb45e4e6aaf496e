// What the training view says of a run in words.
import { scoresOf } from "./curves.js";
import { axisOf } from "./axes.js";
import { seriesOf } from "./series.js";
import { texts } from "../texts.js";

/** The curve of runs without scores by which their headline goes. */
const OWN_GAMES = { field: "margin_error", better: -1 };

/** Returns a time in words: 45 s, 12 min, 2 h 25 min, 3 d 4 h. */
export const timeWords = texts.training.time;

/** Returns the sentences of a run: how far it is, how well it plays, and whether it still improves. */
export function headline(run) {
  const last = run.rows.at(-1);
  if (!last) return nothingWords(run);
  const games = Number.isFinite(last.games) ? last.games : null;
  const time = Number.isFinite(last.seconds) ? timeWords(last.seconds) : null;
  return [texts.training.reached(last.generation, games, time), ...scoreWords(run)].join(" ");
}

/** Describes a run without a generation. */
function nothingWords({ text, error }) {
  if (text === null) return error === null ? texts.training.loading : "";
  return texts.training.waiting;
}

/** Describes how well a run plays, in sentences. */
function scoreWords(run) {
  const axis = axisOf("generation", []);
  const scores = scoresOf(run.rows).map((curve) => ({ curve, series: seriesOf(run, curve, axis) }))
    .filter(({ series }) => series);
  if (scores.length === 0) return withoutScores(seriesOf(run, OWN_GAMES, axis));
  const [{ curve, series }] = scores;
  const { best, last, trend, over } = series;
  const top = best.value === last.value ? null : curve.text(best.value);
  const rising = scores.slice(1).filter((other) => other.series.trend > 0).map((other) => other.curve.topic);
  return [
    texts.training.latestScore(curve.text(last.value), curve.topic, top, best.generation),
    texts.training.trend(trend, over, rising),
  ];
}

/** Describes a run that was never scored on a suite, in sentences. */
function withoutScores(series) {
  if (!series) return [texts.training.unscored];
  return [texts.training.unscored, texts.training.ownGames(series.line.at(-1)[1], series.trend, series.over)];
}

/** Describes what of a run could not be read, or returns nothing. */
export function faultWords({ error, text, faults, torn, address, rows }) {
  const parts = [];
  if (error !== null) parts.push(text === null ? texts.training.unreadable(error) : texts.training.gone(error));
  if (faults.length > 0) {
    const numbers = faults.slice(0, 5).join(", ") + (faults.length > 5 ? " …" : "");
    parts.push(texts.training.damaged(numbers, faults.length, rows.length));
  }
  // The last line of a run that is followed may just be being written.
  if (torn && !address) parts.push(texts.training.torn);
  return parts.join(" ");
}
