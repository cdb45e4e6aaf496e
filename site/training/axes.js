// The x axes on which runs of different pace are compared, and the measurements of several runs that
// lie at a place on one of them.

const HOUR = 3600;
/** Runs that are shorter are measured in minutes. */
const SHORT = 2 * HOUR;

const number = (value) => Number(value.toPrecision(4)).toLocaleString("en");
const whole = (value) => Math.round(value).toLocaleString("en");

/** The axes that a person can choose. */
export const AXES = { generation: "Generations", games: "Games played", time: "Time" };

/**
 * Returns an axis for these rows of all runs: its unit, the place of a row, and the words for a place.
 */
export function axisOf(name, rows) {
  if (name === "games") {
    return { unit: "games", place: ({ games }) => games, words: (value) => `after ${whole(value)} games` };
  }
  if (name === "time") {
    const isShort = !rows.some(({ seconds }) => seconds >= SHORT);
    const unit = isShort ? "minutes" : "hours";
    const size = isShort ? 60 : HOUR;
    return { unit, place: ({ seconds }) => seconds / size, words: (value) => `after ${number(value)} ${unit}` };
  }
  const place = ({ generation }) => generation;
  return { unit: "generations", place, words: (value) => `at generation ${whole(value)}` };
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
