// Charts: bars for a distribution, and a line over the moves of a game.
import { svg } from "./dom.js";

/** The width of a chart of bars in units of its drawing. */
const WIDTH = 340;
/** The share of a curve's height that is left free above and below it. */
const MARGIN = 0.06;
const EDGES = { left: 40, right: 12, top: 10, bottom: 24 };

/** Returns round numbers that divide a range into at most so many steps. */
export function ticksOf(low, high, most = 5) {
  const span = high - low || 1;
  const rough = span / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(low / step);
  // Multiplied rather than summed, since a small step may not change a large number.
  return Array.from({ length: most + 2 }, (_, at) => Number(((first + at) * step).toPrecision(9)))
    .filter((tick) => tick <= high + step / 1e6);
}

/** Returns a linear map from values to coordinates. */
export const scale = ([low, high], [from, to]) => (value) => from + ((value - low) / (high - low || 1)) * (to - from);

/** Returns an empty chart. */
function frame(width, height, label) {
  return svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
}

function tickText(tick, x, y, anchor) {
  return svg("text", { class: "tick", x, y, "text-anchor": anchor }, String(tick).replace("-", "−"));
}

/**
 * Returns a chart of bars `{at, share, name, title}` over the integers from `-reach` to `reach`.
 */
export function barChart(bars, reach, label) {
  const height = 130;
  const x = scale([-reach - 1, reach + 1], [10, WIDTH - 10]);
  const most = Math.max(...bars.map((bar) => bar.share), 1e-9);
  const y = scale([0, most], [height - EDGES.bottom, EDGES.top]);
  const width = Math.max(2, x(1.6) - x(0));
  const ticks = ticksOf(-reach, reach, 6).filter(Number.isInteger);
  const chart = frame(WIDTH, height, label);
  chart.append(
    svg("line", { class: "axis", x1: 10, x2: WIDTH - 10, y1: y(0), y2: y(0) }),
    ...bars.map(({ at, share, name, title }) =>
      svg("rect", { class: `bar ${name}`, x: x(at) - width / 2, y: y(share), width, height: y(0) - y(share), rx: 1.5 },
        svg("title", {}, title))),
    ...ticks.map((tick) => tickText(tick, x(tick), height - 8, "middle")),
  );
  return chart;
}

/**
 * Returns a chart of a line through `points` `[x, y]`, so many pixels wide, and its two scales for additions to it.
 *
 * `from` and `to` are the ends of the x axis. `level` is the height of a horizontal line.
 */
export function lineChart(points, { width, label, name = "", from, to, level = null }) {
  const values = points.map(([, value]) => value).concat(level === null ? [] : [level]);
  let [low, high] = [Math.min(...values), Math.max(...values)];
  const margin = (high - low) * MARGIN || 1;
  [low, high] = [low - margin, high + margin];
  const x = scale([from, to], [EDGES.left, width - EDGES.right]);
  const height = 110;
  const foot = height - EDGES.bottom;
  const y = scale([low, high], [foot, EDGES.top]);
  const chart = frame(width, height, label);
  const across = { x1: EDGES.left, x2: width - EDGES.right };
  chart.append(
    ...ticksOf(low, high, 3).flatMap((tick) => [
      svg("line", { class: "grid", ...across, y1: y(tick), y2: y(tick) }),
      tickText(tick, EDGES.left - 6, y(tick) + 4, "end"),
    ]),
    ...ticksOf(from, to, 8).filter(Number.isInteger).map((tick) => tickText(tick, x(tick), height - 6, "middle")),
    svg("line", { class: "axis", ...across, y1: foot, y2: foot }),
    ...(level === null ? [] : [svg("line", { class: "axis", ...across, y1: y(level), y2: y(level) })]),
    svg("polyline", { class: `curve ${name}`, points: points.map(([at, value]) => `${x(at)},${y(value)}`).join(" ") }),
  );
  return { chart, x, y };
}
