// A chart of one curve of several runs, with a mark that the pointer and the arrow keys move.
import { nearest, pointAt, stopsOf } from "./axes.js";
import { el, svg } from "../page/dom.js";
import { drawCurve } from "./run-drawing.js";
import { colorOf, runSign } from "./run-sign.js";
import { texts } from "../texts.js";

const LEAST_WIDTH = 240;
/** The measurements that a key goes back or forward. */
const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };

export class RunChart {
  /** `onMark` is called with the place on the axis that a person points at, or null. */
  constructor(curve, onMark) {
    this.curve = curve;
    this.onMark = onMark;
    this.place = null;
    /** True while the mark follows the pointer. */
    this.isPointed = false;
    this.summary = el("p", { class: "visually-hidden", id: `summary-${curve.field}` });
    this.at = el("li", { class: "note" });
    this.values = el("ul", { class: "values" });
    this.marks = svg("g", { class: "marks" });
    this.svg = svg("svg", {
      class: "chart run-chart", tabindex: 0, role: "slider", "aria-label": curve.title,
      "aria-describedby": this.summary.id,
    });
    this.figure = el("figure", { "data-curve": curve.field },
      el("figcaption", {},
        el("p", {}, el("b", {}, curve.title), " ", el("code", { title: texts.training.field }, curve.field)),
        el("p", { class: "note" }, curve.about)),
      this.values, this.svg, this.summary);
    for (const type of ["pointermove", "pointerdown"]) this.svg.addEventListener(type, (event) => this.point(event));
    this.svg.addEventListener("pointerleave", (event) => {
      if (this.isPointed && event.pointerType === "mouse") onMark(null);
      this.isPointed = false;
    });
    this.svg.addEventListener("keydown", (event) => this.press(event));
  }

  /** Shows these series over a range of an axis. If there are `several` runs, each series has its run's name. */
  show(series, axis, range, several) {
    Object.assign(this, { series, axis, range, several, stops: stopsOf(series) });
    this.outputs = series.map(() => el("b"));
    this.values.replaceChildren(
      this.at,
      ...series.map((one, at) => el("li", {},
        ...(several ? [runSign(one.run), el("span", { class: "name" }, one.run.name)] : []), this.outputs[at],
        this.curve.large ? el("span", { class: "note" }, this.bestWords(one)) : null)));
    const told = series.map((one) => `${several ? `${one.run.letter}, ${one.run.name}: ` : ""}${this.words(one)}`);
    this.summary.textContent = `${told.join(" ")} ${texts.training.marks}`;
    this.draw();
  }

  /** Draws the chart in the width that it has. */
  draw() {
    const width = Math.max(LEAST_WIDTH, this.figure.clientWidth);
    this.drawing = drawCurve(this, width);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${this.drawing.height}`);
    this.svg.replaceChildren(...this.drawing.parts, this.marks);
    this.mark(this.place);
  }

  /** Shows the values at a place, or the latest ones. */
  mark(place) {
    this.place = place;
    const { axis, curve, series, stops, drawing } = this;
    const { x, y, top, foot } = drawing;
    const shown = place === null ? null : Math.min(Math.max(place, stops[0]), stops.at(-1));
    const points = series.map((one) => (shown === null ? one.last : pointAt(one, shown)));
    // Runs that are scored in different generations have their nearest scores at different places.
    const words = points.map((point, at) => {
      const elsewhere = shown !== null && point && point.x !== shown ? ` (${axis.words(point.x)})` : "";
      return `${point ? curve.text(point.value) : texts.training.noValue}${elsewhere}`;
    });
    words.forEach((text, at) => (this.outputs[at].textContent = text));
    const where = shown === null ? texts.training.latest : axis.words(shown);
    this.at.textContent = `${where.charAt(0).toUpperCase()}${where.slice(1)}`;
    this.marks.replaceChildren(
      shown === null ? "" : svg("line", { class: "here", x1: x(shown), x2: x(shown), y1: top, y2: foot }),
      ...points.map((point, at) => (point
        ? svg("circle", { class: `dot ${colorOf(series[at].run)}`, cx: x(point.x), cy: y(point.value), r: 4 }) : "")));
    const names = series.map(({ run }) => (this.several ? `${run.name}: ` : ""));
    this.svg.setAttribute("aria-valuemin", stops[0]);
    this.svg.setAttribute("aria-valuemax", stops.at(-1));
    this.svg.setAttribute("aria-valuenow", shown ?? stops.at(-1));
    this.svg.setAttribute("aria-valuetext",
      `${this.at.textContent}: ${words.map((text, at) => names[at] + text).join("; ")}`);
  }

  /** Marks the measurement that is nearest to the pointer. */
  point(event) {
    // A chart that scrolls below a resting pointer is not pointed at.
    if (event.type === "pointermove" && !event.movementX && !event.movementY) return;
    this.isPointed = true;
    const { left, width } = this.svg.getBoundingClientRect();
    const { drawing, range: [from, to], stops } = this;
    const at = ((event.clientX - left) * this.svg.viewBox.baseVal.width) / width;
    const share = (at - drawing.left) / (drawing.right - drawing.left);
    this.onMark(stops[nearest(stops, from + share * (to - from))]);
  }

  /** Moves the mark by a key. */
  press(event) {
    const { stops } = this;
    const at = this.place === null ? stops.length - 1 : nearest(stops, this.place);
    const to = { Home: 0, End: stops.length - 1 }[event.key] ?? at + STEPS[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey || !(Number.isInteger(to) || event.key === "Escape")) return;
    event.preventDefault();
    this.isPointed = false;
    this.onMark(event.key === "Escape" ? null : stops[Math.min(Math.max(to, 0), stops.length - 1)]);
  }

  bestWords({ best }) {
    return texts.training.best(this.curve.text(best.value), best.generation);
  }

  /** Describes a series as a whole. */
  words(one) {
    const { text, large } = this.curve;
    const [first] = one.points;
    return texts.training.curve({
      first: text(first.value), from: first.generation, last: text(one.last.value), to: one.last.generation,
      best: large ? this.bestWords(one) : null, trend: one.trend, over: one.over,
    });
  }
}
