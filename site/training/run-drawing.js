// The drawing of one curve of several runs: smoothed lines over faint measurements, and the best of them.
import { scale, ticksOf } from "../page/chart.js";
import { svg } from "../page/dom.js";
import { colorOf, dashesOf } from "./run-sign.js";
import { texts } from "../texts.js";

/** The share of the values' range that is left free above and below them. */
const ROOM = 0.08;
/** The least range of shares, since a suite of 200 positions resolves no finer than some points. */
const LEAST_SHARE = 0.1;
const EDGES = { top: 12, right: 14, bottom: 42 };
/** The room of a letter at the end of a line, and the least distance between two of them. */
const LETTER = 16;
/** The width of a digit of a tick. */
const DIGIT = 7;
/** The most measurements that are drawn large. */
const FEW = 60;

/**
 * Returns the drawing of a curve's series over a range of an axis, of a width: its `parts`, its `height`, its scales
 * `x` and `y`, and the ends of both. Of `several` runs each has its own line and its letter.
 */
export function drawCurve({ series, curve, axis, range: [from, to], several }, width) {
  const [least, most] = curve.large ? [230, 380] : [200, 260];
  const height = Math.round(Math.min(most, Math.max(least, width * 0.42)));
  const [low, high] = rangeOf(series, curve);
  const ticks = ticksOf(low, high, 6);
  const labels = ticks.map((tick) => tickText(tick, curve));
  const left = 14 + DIGIT * Math.max(...labels.map(({ length }) => length));
  const right = width - EDGES.right - (several ? LETTER : 0);
  const [top, foot] = [EDGES.top, height - EDGES.bottom];
  const x = scale([from, to], [left, right]);
  const y = scale([low, high], [foot, top]);
  const room = 28 + DIGIT * texts.number(Math.round(to)).length;
  const along = ticksOf(from, to, Math.max(2, Math.floor((right - left) / room)))
    .filter((tick) => axis.divided || Number.isInteger(tick));
  const parts = [
    ...ticks.flatMap((tick, at) => [
      svg("line", { class: "grid", x1: left, x2: right, y1: y(tick), y2: y(tick) }),
      svg("text", { class: "tick", x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, labels[at]),
    ]),
    svg("line", { class: "axis", x1: left, x2: right, y1: foot, y2: foot }),
    ...along.flatMap((tick) => [
      svg("line", { class: "axis", x1: x(tick), x2: x(tick), y1: foot, y2: foot + 4 }),
      svg("text", { class: "tick", x: x(tick), y: foot + 18, "text-anchor": "middle" }, texts.number(tick)),
    ]),
    svg("text", { class: "tick", x: right, y: foot + 36, "text-anchor": "end" }, axis.unit),
    ...series.map(({ run, points }) => svg("path", {
      class: `measured ${points.length > FEW ? "many" : ""} ${colorOf(run)}`,
      // A line without length has a round end, which is a dot.
      d: points.map((point) => `M${x(point.x).toFixed(1)} ${y(point.value).toFixed(1)}h0`).join(""),
    })),
    ...series.map(({ run, line }) => svg("polyline", {
      class: `line ${colorOf(run)}`, "stroke-dasharray": several ? dashesOf(run) : null,
      points: line.map(([at, level]) => `${x(at).toFixed(1)},${y(level).toFixed(1)}`).join(" "),
    })),
    ...(curve.large ? series.map(({ run, best }) =>
      svg("circle", { class: `best ${colorOf(run)}`, cx: x(best.x), cy: y(best.value), r: 6.5 })) : []),
    ...(several ? letters(series, x, y, [top, foot]) : []),
  ];
  return { parts, height, x, y, left, right, top, foot };
}

/** Returns the range of the values with free room, which for shares does not go beyond 0 and 1. */
function rangeOf(series, { isShare }) {
  const values = series.flatMap(({ points }) => points.map(({ value }) => value));
  const [least, most] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  let room = ROOM * (most - least) || Math.abs(most) / 10 || 1;
  if (isShare) room = Math.max(room, (LEAST_SHARE - (most - least)) / 2);
  const [low, high] = [least - room, most + room];
  return isShare ? [least >= 0 ? Math.max(0, low) : low, most <= 1 ? Math.min(1, high) : high] : [low, high];
}

function tickText(tick, { isShare }) {
  const number = isShare ? Number((100 * tick).toPrecision(6)) : tick;
  return `${texts.number(number, { maximumFractionDigits: 6 }).replace("-", "−")}${isShare ? "\u00a0%" : ""}`;
}

/** Returns the letters at the ends of the lines, moved apart where they would overlap. */
function letters(series, x, y, [top, foot]) {
  const ends = series.map(({ run, line }) => ({ run, x: x(line.at(-1)[0]) + 8, y: y(line.at(-1)[1]) + 4 }))
    .sort((a, b) => a.y - b.y);
  ends.forEach((end, at) => {
    for (const above of ends.slice(0, at)) {
      if (Math.abs(above.x - end.x) < LETTER) end.y = Math.max(end.y, above.y + LETTER - 2);
    }
  });
  return ends.map(({ run, ...at }) =>
    svg("text", { class: `letter ${colorOf(run)}`, x: at.x, y: Math.min(Math.max(at.y, top + 8), foot) }, run.letter));
}
