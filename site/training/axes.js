// The x axes on which runs of different pace are compared, and the measurements of several runs that
// lie at a place on one of them.
import { texts } from "../texts.js";

const HOUR = 3600;
/** Runs that are shorter are measured in minutes. */
const SHORT = 2 * HOUR;

/**
 * Returns an axis for these rows of all runs: its unit, the place of a row, and the words for a place. Its places are whole
 * numbers, if it is not `divided`.
 */
export function axisOf(name, rows) {
  if (name === "games") {
    return { unit: texts.training.units.games, place: ({ games }) => games, words: texts.training.afterGames };
  }
  if (name === "time") {
    const isShort = !rows.some(({ seconds }) => seconds >= SHORT);
    const unit = texts.training.units[isShort ? "minutes" : "hours"];
    const size = isShort ? 60 : HOUR;
    const words = (value) => texts.training.afterTime(value, unit);
    return { unit, divided: true, place: ({ seconds }) => seconds / size, words };
  }
  return { unit: texts.training.units.generation, place: ({ generation }) => generation, words: texts.training.atGeneration };
}

/** Returns the places of the measurements of all series, in order, each once. */
export function stopsOf(series) {
  return [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
}

/** Returns the index of the nearest of these numbers, which are in order. */
export function nearest(numbers, to) {
  let [low, high] = [0, numbers.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= to) low = middle;
    else high = middle;
  }
  return high > low && numbers[high] - to < to - numbers[low] ? high : Math.max(low, 0);
}

/**
 * Returns the point of a series that is nearest to a place, or null where the series has ended or not begun.
 *
 * A place beyond its ends still belongs to it up to half the usual distance of its points.
 */
export function pointAt({ points }, place) {
  if (points.length === 0) return null;
  const [first, last] = [points[0].x, points[points.length - 1].x];
  const slack = points.length > 1 ? (last - first) / (points.length - 1) / 2 : 0;
  if (place < first - slack || place > last + slack) return null;
  return points[nearest(points.map(({ x }) => x), place)];
}
