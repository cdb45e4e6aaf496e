// The arena tab: the bots and the rules of a match, its progress, and the results so far.
import { Arena } from "./arena.js";
import { ArenaForm } from "./arena-form.js";
import { CrossTable, LadderTable } from "./arena-tables.js";
import { byId, el, save } from "../page/dom.js";
import { distinctOf, ladderOf } from "./standings.js";
import { readLog } from "../share/match-log.js";
import { texts } from "../texts.js";

/** The least time between two updates of the results, in milliseconds, and in times of the last one's length. */
const LEAST_MS = 250;
const LEAST_TIMES = 30;

export class ArenaPanel {
  /** `onWatch` is called with a name and games as `readLog` returns them, to show them. */
  constructor(bots, onWatch) {
    this.onWatch = onWatch;
    this.arena = new Arena(bots, () => this.update());
    this.form = new ArenaForm(bots, (settings) => this.run(settings), () => this.showResults());
    this.ladder = new LadderTable();
    this.cross = new CrossTable((...names) => this.watch(names));
    this.visible = false;
    this.timer = null;
    /** How long the last update of the results took, in milliseconds. */
    this.took = 0;
    this.progress = el("progress", { id: "arena-progress", "aria-label": texts.arena.progress });
    this.done = el("span", { id: "arena-done" });
    this.title = el("h3");
    this.notes = el("div", { class: "note", id: "arena-notes" });
    const button = (id, text, onclick) => el("button", { id, type: "button", onclick }, text);
    this.results = el("section", { id: "arena-results", "aria-label": texts.arena.results }, this.title,
      el("div", { class: "tables" }, this.ladder.element, this.cross.element), this.notes,
      el("p", { class: "row" },
        button("arena-save", texts.arena.save, () => this.save()), button("arena-clear", texts.arena.clear, () => this.clear())),
      el("p", { class: "note" }, texts.arena.elo));
    byId("arena").append(el("h2", {}, texts.arena.title), el("p", { class: "note" }, texts.arena.rules), this.form.element,
      el("p", { class: "row", id: "arena-running" }, this.progress, this.done), this.results);
    this.update();
  }

  /** Shows the results from now on, or no longer. */
  show(visible) {
    if (visible && !this.visible) this.showResults();
    this.visible = visible;
  }

  /** Starts a match, or stops the one that is played. */
  run(settings) {
    if (this.arena.running) this.arena.stop();
    else this.arena.start(settings);
  }

  /** Shows the state of the match at once, and the results soon. */
  update() {
    const { match, running } = this.arena;
    this.form.show(running);
    byId("arena-running").hidden = !running;
    if (match) {
      this.progress.max = match.total;
      this.progress.value = match.done;
      this.done.textContent = texts.arena.done(match.done, match.total);
    }
    this.form.say(match ? matchWords(match) : "");
    const delay = Math.max(LEAST_MS, LEAST_TIMES * this.took);
    if (!running) this.showResults();
    else this.timer ??= setTimeout(() => this.showResults(), delay);
  }

  /** Shows the results on the chosen board. */
  showResults() {
    clearTimeout(this.timer);
    this.timer = null;
    if (byId("arena").hidden) return;
    const began = performance.now();
    const { board } = this.form;
    const all = this.arena.games.filter((game) => game.board === board.name);
    this.results.hidden = this.arena.games.length === 0;
    const games = distinctOf(all);
    const rows = ladderOf(games);
    this.title.textContent = texts.arena.resultsOn(`${board.rows} × ${board.cols}`, games.length);
    for (const { element } of [this.ladder, this.cross]) element.hidden = rows.length === 0;
    this.ladder.show(rows);
    this.cross.show(rows, games);
    this.notes.replaceChildren(...notesOf(all, games, rows).map((text) => el("p", {}, text)));
    this.took = performance.now() - began;
  }

  /** Opens the games between two bots on the chosen board. */
  watch(names) {
    const isBetween = (game) => game.board === this.form.board.name && names.every((name) => game.names.includes(name));
    this.onWatch(names.join(" – "), readLog(this.arena.games.filter(isBetween).map(({ line }) => line).join("")));
  }

  /** Saves all games as a match log. */
  save() {
    save("arena.jsonl", this.arena.games.map(({ line }) => line).join(""), "application/jsonl");
  }

  clear() {
    if (!confirm(texts.arena.sureToClear)) return;
    this.arena.clear();
    this.form.button.focus();
  }
}

/** Says how a match is going. The number of games is said elsewhere while it changes. */
function matchWords({ done, total, isOver, fault }) {
  if (!isOver) return texts.arena.toPlay(total);
  if (fault !== null) return texts.arena.broken(fault);
  return done === total ? texts.arena.isOver(total) : texts.arena.stopped(done, total);
}

/** Returns sentences about games on a board: what does not count, what cannot be compared, and what failed. */
function notesOf(all, distinct, rows) {
  const notes = [];
  const repeated = all.length - distinct.length;
  if (repeated) notes.push(texts.arena.repeated(repeated, all.length));
  const groups = [];
  for (const { name, group } of rows) (groups[group] ??= []).push(name);
  if (groups.length > 1) notes.push(texts.arena.strangers(groups));
  const troubles = new Map();
  for (const { names, troubles: found } of all) {
    found.forEach((trouble, seat) => trouble !== null && !troubles.has(names[seat]) && troubles.set(names[seat], trouble));
  }
  for (const [name, trouble] of troubles) notes.push(texts.arena.trouble(name, trouble));
  return notes;
}
