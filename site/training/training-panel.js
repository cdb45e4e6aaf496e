// The training view: the runs that are followed or opened, in words and as curves.
import { axisOf } from "./axes.js";
import { groupsOf } from "./curves.js";
import { byId, el, fit } from "../page/dom.js";
import { isUsable } from "./run-progress.js";
import { RunChart } from "./run-chart.js";
import { RunItem } from "./run-item.js";
import { freeSlot, Run, textOf } from "./runs.js";
import { seriesOf } from "./series.js";
import { texts } from "../texts.js";

const INTERVAL_MS = 5000;

export class TrainingPanel {
  /** `listed` are the runs to follow, as `{name, progress}` with the address of their progress. */
  constructor(listed) {
    this.runs = listed.map(({ name, progress }, slot) => new Run(name, slot, progress));
    this.items = new Map();
    this.charts = new Map();
    this.place = null;
    this.timer = null;
    byId("training-axis").append(...Object.entries(texts.training.axes).map(([value, text]) => el("option", { value }, text)));
    byId("training-axis").addEventListener("change", () => {
      this.place = null;
      this.draw();
    });
    byId("progress-file").addEventListener("change", (event) => this.open(event.target));
    new ResizeObserver(() => this.resize()).observe(byId("curves"));
    this.draw();
  }

  /** Follows the runs while the panel is visible. */
  show(visible) {
    if (visible && !this.timer) {
      this.fetch();
      this.timer = setInterval(() => this.fetch(), INTERVAL_MS);
    } else if (!visible) {
      clearInterval(this.timer);
      this.timer = null;
    }
  }

  /** Reads the runs that are followed. */
  async fetch() {
    const changed = await Promise.all(this.runs.filter(({ address }) => address).map((run) => run.fetch()));
    if (changed.includes(true)) this.draw();
  }

  /** Adds files that a person has chosen. */
  async open(input) {
    const refused = [];
    for (const file of [...input.files]) {
      const alike = this.runs.filter(({ fileName }) => fileName === file.name).length;
      const run = new Run(alike ? `${file.name} ${alike + 1}` : file.name, freeSlot(this.runs));
      run.fileName = file.name;
      try {
        run.take(await textOf(file));
        if (run.rows.length === 0) throw new Error(texts.training.noGeneration);
        this.runs.push(run);
      } catch (error) {
        refused.push(texts.training.notShown(file.name, error.message));
      }
    }
    // Without this, choosing the same file again would not be a change.
    input.value = "";
    byId("progress-note").textContent = refused.join(" ");
    this.draw();
  }

  /** Takes a run off the page. */
  remove(run) {
    this.runs = this.runs.filter((other) => other !== run);
    byId("progress-note").textContent = texts.training.removed(run.name);
    this.draw();
    (byId("runs").querySelector("button") ?? byId("progress-file")).focus();
  }

  /** Updates the panel to its runs. */
  draw() {
    const rows = this.runs.flatMap((run) => run.rows);
    byId("training-empty").hidden = this.runs.length > 0;
    byId("training-method").hidden = rows.length === 0;
    byId("training-axis").parentElement.hidden = rows.length === 0;
    const several = this.runs.length > 1;
    const itemOf = (run) => this.items.get(run) ?? new RunItem(run, () => this.draw(), () => this.remove(run));
    const kept = this.runs.map(itemOf);
    this.items = new Map(this.runs.map((run, at) => [run, kept[at]]));
    for (const item of kept) item.show(several);
    fit(byId("runs"), kept.map(({ element }) => element));
    this.drawCurves(rows);
  }

  /** Shows the curves of all runs. Charts that are there already stay, with the focus that they may have. */
  drawCurves(rows) {
    const axis = axisOf(byId("training-axis").value, rows);
    const places = rows.map(axis.place).filter(isUsable);
    const range = places.reduce(([a, b], place) => [Math.min(a, place), Math.max(b, place)], [Infinity, -Infinity]);
    const shown = new Map();
    const sections = groupsOf(rows).flatMap((group) => {
      const curves = group.curves.map((curve) => {
        const series = this.runs.map((run) => seriesOf(run, curve, axis)).filter(Boolean);
        return { curve: { ...curve, large: group.large }, series };
      }).filter(({ series }) => series.length > 0);
      if (curves.length === 0) return [];
      const charts = curves.map(({ curve, series }) => {
        const chart = this.charts.get(curve.field) ?? new RunChart(curve, (place) => this.mark(place));
        shown.set(curve.field, { chart, series });
        return chart.figure;
      });
      return [this.section(group, charts)];
    });
    const hasScores = sections.some(({ dataset }) => dataset.group.startsWith("scores"));
    byId("no-scores").hidden = rows.length === 0 || hasScores;
    fit(byId("curves"), sections);
    this.charts = new Map([...shown].map(([field, { chart }]) => [field, chart]));
    // Once all are in their places, since they are drawn in the width that they have.
    for (const { chart, series } of shown.values()) chart.show(series, axis, range, this.runs.length > 1);
    this.mark(this.place);
  }

  /** Returns the section of a group, the same one each time. */
  section({ id, title, about, large }, charts) {
    const section = [...byId("curves").children].find(({ dataset }) => dataset.group === id)
      ?? el("section", { "data-group": id }, el("h3"), el("p", { class: "note" }, about),
        el("div", { class: large ? "charts large" : "charts" }));
    section.querySelector("h3").textContent = title;
    fit(section.querySelector(".charts"), charts);
    return section;
  }

  /** Shows the values at a place in all charts, or the latest ones. */
  mark(place) {
    this.place = place;
    for (const chart of this.charts.values()) chart.mark(place);
  }

  /** Draws the charts anew if their width has changed. */
  resize() {
    const { clientWidth } = byId("curves");
    if (clientWidth === 0 || clientWidth === this.width) return;
    this.width = clientWidth;
    for (const chart of this.charts.values()) chart.draw();
  }
}
