// A run's curve as it is drawn: the measurements, the smoothed line through them, the best one, and
// the trend.
import { isUsable } from "./run-progress.js";
import { bestOf, smoothed, trendOf } from "./smoothing.js";

/**
 * Returns a run's curve on an axis: its measurements `points` as `{x, value, generation}`, the smoothed `line` of
 * `[x, height]`, the `best` point, and `trend` and `over` as `trendOf` has them; or null where it has no measurement.
 */
export function seriesOf(run, { field, better }, axis) {
  const points = run.rows
    .map((row) => ({ x: axis.place(row), value: row[field], generation: row.generation }))
    .filter(({ x, value }) => isUsable(x) && isUsable(value));
  if (points.length === 0) return null;
  const places = points.map(({ generation }) => generation);
  const values = points.map(({ value }) => value);
  return {
    run, line: smoothed(places, values).map(([at, height]) => [points[at].x, height]),
    best: points[bestOf(values, better)], last: points[points.length - 1], ...trendOf(places, values, better),
    points: points.sort((a, b) => a.x - b.x),
  };
}
