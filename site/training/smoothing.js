// The line through measurements that chance disturbs, and what can be said of it: the best so far,
// and whether it still changes.

/** The share of a curve over which its line is smoothed, and the fewest measurements for a point of it. */
const SHARE = 0.1;
const FEWEST = 5;
/** The most points of a line. */
const MOST = 240;
/** The fewest measurements by which a trend is judged. */
const FEWEST_FOR_TREND = 5;
/** The largest deviation by chance of a normal number, of 95 % of them. */
const CHANCE = 1.96;

/**
 * Returns the smoothed line through values at these places, as pairs of the index of a measurement and the
 * line's height there.
 *
 * Each height is that of the straight line which fits the nearest tenth of the measurements best, near ones
 * weighing more, so that a steady rise is not held back at the ends. It never leaves the range of those measurements.
 */
export function smoothed(places, values) {
  const length = values.length;
  const reach = Math.min(length, Math.max(FEWEST, Math.round(SHARE * length)));
  const points = Math.min(length, MOST);
  return Array.from({ length: points }, (_, point) => {
    const at = points === 1 ? 0 : Math.round((point * (length - 1)) / (points - 1));
    const from = Math.max(0, Math.min(at - (reach >> 1), length - reach));
    return [at, fitAt(places.slice(from, from + reach), values.slice(from, from + reach), places[at])];
  });
}

/** Returns the height at a place of the line through its neighbors. */
function fitAt(places, values, place) {
  const width = 1.01 * Math.max(...places.map((other) => Math.abs(other - place))) || 1;
  const weights = places.map((other) => (1 - (Math.abs(other - place) / width) ** 3) ** 3);
  const { height, slope, middle } = fit(places, values, weights);
  const least = Math.min(...values);
  return Math.min(Math.max(height + slope * (place - middle), least), Math.max(...values));
}

/** Fits a straight line by least squares: its height in the middle of the places, and its slope. */
function fit(places, values, weights = places.map(() => 1)) {
  const sum = (numbers) => numbers.reduce((total, number, at) => total + weights[at] * number, 0);
  const all = sum(places.map(() => 1));
  const middle = sum(places) / all;
  const height = sum(values) / all;
  const spread = sum(places.map((place) => (place - middle) ** 2));
  const slope = spread > 0 ? sum(places.map((place, at) => (place - middle) * (values[at] - height))) / spread : 0;
  return { height, slope, middle, spread };
}

/** Returns the index of the best value, the earliest of equals. `better` is 1 where higher is better, else -1. */
export function bestOf(values, better) {
  return values.reduce((best, value, at) => (better * value > better * values[best] ? at : best), 0);
}

/**
 * Returns 1 if the later half of the values gets better, -1 if it gets worse, 0 if the change may be chance,
 * and null for too few values, with their number as `{trend, over}`.
 */
export function trendOf(places, values, better) {
  const over = Math.max(FEWEST_FOR_TREND, Math.ceil(values.length / 2));
  if (values.length < over) return { trend: null, over };
  const [late, heights] = [places.slice(-over), values.slice(-over)];
  const { height, slope, middle, spread } = fit(late, heights);
  const errors = heights.map((value, at) => (value - height - slope * (late[at] - middle)) ** 2);
  const deviation = Math.sqrt(errors.reduce((total, error) => total + error, 0) / (over - 2) / spread);
  const isChance = !(Math.abs(slope) > quantile(over - 2) * deviation);
  return { trend: isChance ? 0 : Math.sign(slope) * better, over };
}

/** Returns the largest deviation by chance under Student's distribution, by its expansion around the normal one. */
function quantile(freedom) {
  const [first, second] = [(CHANCE ** 3 + CHANCE) / 4, (5 * CHANCE ** 5 + 16 * CHANCE ** 3 + 3 * CHANCE) / 96];
  return CHANCE + first / freedom + second / freedom ** 2;
}
