// The curves of a training run, read every few seconds from the run that is followed, or once from
// a file.
import { lineChart, WIDTH } from "./chart.js";
import { byId, el, svg } from "./dom.js";
import { curvesOf, readProgress } from "./progress.js";

const INTERVAL_MS = 5000;

export class TrainingPanel {
  /** `run` is the address of a run's progress, or null. */
  constructor(run) {
    this.run = run;
    this.timer = null;
    this.text = null;
    this.marker = null;
    byId("progress-note").textContent = run ? "" : "No training run is being followed. Open its progress.jsonl.";
    byId("progress-file").addEventListener("change", (event) => this.open(event.target));
  }

  /** Follows the run while the panel is visible. */
  show(visible) {
    if (visible && this.run && !this.timer) {
      this.fetch();
      this.timer = setInterval(() => this.fetch(), INTERVAL_MS);
    } else if (!visible) {
      clearInterval(this.timer);
      this.timer = null;
    }
  }

  /** Reads the progress of the run. */
  async fetch() {
    const { run } = this;
    try {
      const response = await fetch(run, { cache: "no-cache" });
      const text = await response.text();
      if (!response.ok) throw new Error(response.status === 500 ? text.trim() : `${response.status}`);
      if (this.run) this.draw(text, this.run);
    } catch (error) {
      // A file may have been opened in the meantime.
      if (!this.run) return;
      this.text = null;
      byId("progress-note").textContent = `${run} cannot be read: ${error.message}`;
    }
  }

  /** Reads a file that a person has chosen. */
  async open(input) {
    const file = input.files[0];
    if (!file) return;
    this.run = null;
    this.show(false);
    try {
      this.draw(await file.text(), file.name);
    } catch (error) {
      this.text = null;
      byId("progress-note").textContent = `${file.name} cannot be read: ${error.message}`;
    }
    // Without this, choosing the same file again would not be a change.
    input.value = "";
  }

  /** Shows the curves of a progress file. */
  draw(text, name) {
    if (text === this.text) return;
    this.text = text;
    const { rows, faults } = readProgress(text);
    const curves = curvesOf(rows);
    const damaged = faults ? `; ${faults === 1 ? "one line" : `${faults} lines`} could not be read` : "";
    byId("progress-note").textContent = `${name}: ${rows.length} generations${damaged}.`;
    byId("progress-at").textContent = latestWords(rows);
    const generations = rows.map((row) => row.generation);
    byId("curves").replaceChildren(...curves.map((curve) => figure(curve, generations)));
  }
}

/** Describes the last generation. */
function latestWords(rows) {
  const last = rows[rows.length - 1];
  if (!last) return "";
  const parts = [`Generation ${last.generation}`];
  if (Number.isFinite(last.games)) parts.push(`${last.games.toLocaleString("en")} games`);
  if (Number.isFinite(last.steps)) parts.push(`${last.steps.toLocaleString("en")} steps`);
  if (Number.isFinite(last.seconds)) parts.push(`${Math.round(last.seconds / 60).toLocaleString("en")} minutes`);
  return `${parts.join(", ")}. Each tick on an axis is a checkpoint.`;
}

/** Returns the figure of a curve, which shows the value at the pointer. */
function figure({ name, points }, generations) {
  const words = name.replaceAll("_", " ");
  const [from, to] = [Math.min(...generations), Math.max(...generations)];
  const label = `${words} against generation`;
  const { chart, x, y } = lineChart(points, { label, from, to, marks: generations });
  const dot = svg("circle", { class: "point exact", r: 3.5 });
  const value = el("span", { class: "note" });
  const mark = ([generation, number]) => {
    dot.setAttribute("cx", x(generation));
    dot.setAttribute("cy", y(number));
    value.textContent = `${number.toPrecision(4)} at generation ${generation}`;
  };
  chart.append(dot);
  chart.addEventListener("pointermove", (event) => {
    const { left, width } = chart.getBoundingClientRect();
    const at = ((event.clientX - left) / width) * WIDTH;
    mark(points.reduce((near, point) => (Math.abs(x(point[0]) - at) < Math.abs(x(near[0]) - at) ? point : near)));
  });
  chart.addEventListener("pointerleave", () => mark(points[points.length - 1]));
  mark(points[points.length - 1]);
  return el("figure", { "data-curve": name }, el("figcaption", {}, el("b", {}, words), " ", value), chart);
}
