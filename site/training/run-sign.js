// The sign of a run: its letter, with its line in its color. Lines of one color differ in their dashes.
import { svg } from "../page/dom.js";

const COLORS = 6;
const DASHES = ["", "9 4", "2 4", "12 4 2 4", "5 3"];

/** Returns the attributes of everything in a run's color. */
export const colorOf = ({ slot }) => `run-${slot % COLORS}`;

/** Returns the dashes of a run's line. */
export const dashesOf = ({ slot }) => DASHES[slot % DASHES.length];

/** Returns a drawing of a run's line and letter. */
export function runSign(run) {
  return svg("svg", { class: `run-sign ${colorOf(run)}`, viewBox: "0 0 52 18", "aria-hidden": "true" },
    svg("line", { class: "line", x1: 0, x2: 32, y1: 9, y2: 9, "stroke-dasharray": dashesOf(run) }),
    svg("text", { class: "letter", x: 37, y: 14 }, run.letter));
}
