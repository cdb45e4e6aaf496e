// The puzzle rush: its start, its puzzles one after another, and the missed ones at its end.
import { count, el } from "../page/dom.js";
import { tableOf } from "./exercise.js";
import { PuzzlePart } from "./puzzle-part.js";
import { levelWords, puzzleWords } from "./puzzles.js";
import { BestScores, MOST_MISTAKES, Rush, rushOrder, TIME_MS } from "./rush.js";
import { COLORS } from "../play/table.js";

/** The time for which the verdict on an answer is shown, in milliseconds. */
const VERDICT_MS = 1100;

const RULES = "Puzzles come one after another: a few of each level, from easy to hard, then the rest. "
  + `Find a line that wins each of them. The rush ends after ${MOST_MISTAKES} mistakes.`;

export class RushPanel extends PuzzlePart {
  /** `onChosen` is called after a missed puzzle was chosen. */
  constructor(grader, file, onChange, onChosen) {
    super(grader, file, onChange);
    this.onChosen = onChosen;
    this.scores = new BestScores();
    this.scores.kept.listen(() => this.onChange());
    this.rush = null;
    /** The puzzles of the next rush, whose first one is on show before it. */
    this.order = null;
    /** The table to show while no puzzle is to be solved, or null. */
    this.closed = null;
    /** The missed puzzle that is looked at again, or null. */
    this.review = null;
    this.timed = el("input", { type: "checkbox", id: "rush-timed" });
    this.choice = el("p", {}, el("label", { class: "check" }, this.timed, " Against the clock: 3 minutes"));
    this.clock = el("span", { id: "rush-clock", role: "timer" });
    this.score = el("span", { id: "rush-score" });
    this.board = el("p", { class: "row" }, this.score, this.clock);
    this.best = el("p", { class: "note", id: "rush-best" });
    this.missed = el("ol", { id: "rush-missed" });
    this.missedPart = el("div", {}, el("h3", {}, "Missed puzzles"), this.missed);
    this.more = el("div", {}, this.board, this.choice, this.missedPart, this.best);
  }

  get table() {
    return this.exercise?.table ?? this.closed ?? this.empty;
  }

  async open() {
    await this.load();
    if (this.puzzles && !this.order) this.prepare();
    if (this.runs) this.resume();
    this.onChange();
  }

  /** True while a rush goes on. */
  get runs() {
    return this.rush !== null && !this.rush.isOver(Date.now());
  }

  /** Shows the first puzzle of the next rush, at which no line can be drawn yet. */
  prepare() {
    this.order = rushOrder(this.puzzles);
    this.closed = tableOf(this.order[0].games);
  }

  /** Starts a rush. Against the clock, the first puzzle is none that was on show before. */
  run() {
    const order = this.rush || this.timed.checked ? rushOrder(this.puzzles) : this.order;
    this.review = null;
    this.record = false;
    this.counted = null;
    this.rush = new Rush(order, this.timed.checked ? Date.now() + TIME_MS : null);
    clearInterval(this.ticking);
    if (this.rush.timed) this.ticking = setInterval(() => this.tick(), 250);
    this.start(this.rush.puzzle, true);
  }

  /** Shows the time that is left, and ends the rush with it. */
  tick() {
    if (this.runs) this.clock.textContent = this.timeWords();
    else this.finish();
  }

  timeWords() {
    const seconds = Math.max(0, Math.ceil((this.rush.endsAt - Date.now()) / 1000));
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} left`;
  }

  changed() {
    const { exercise } = this;
    const answered = exercise.phase === "solved" || exercise.phase === "wrong";
    if (!this.review && answered && this.counted !== exercise && this.rush) this.count(exercise);
    super.changed();
  }

  /** Counts an answer, and goes on after a moment. */
  count(exercise) {
    this.counted = exercise;
    this.wasRight = exercise.phase === "solved";
    if (this.rush.isOver(Date.now())) return;
    this.rush.answer(this.wasRight);
    setTimeout(() => {
      if (this.exercise !== exercise) return;
      if (this.runs) this.start(this.rush.puzzle, true);
      else this.finish();
    }, VERDICT_MS);
  }

  /** Ends the rush. */
  finish() {
    clearInterval(this.ticking);
    if (this.ended === this.rush) return;
    this.ended = this.rush;
    this.record = this.scores.add(this.rush);
    this.leaveBoard();
    this.missed.replaceChildren(...this.rush.missed.map((puzzle, at) => el("li", {}, el("button", {
      type: "button", onclick: () => this.lookAgain(puzzle),
    }, `${at + 1}. ${COLORS[puzzle.games.at(-1).mover]} to move, ${levelWords(puzzle)}`))));
    this.onChange();
  }

  /** Ends the exercise, and leaves its last position on show. */
  leaveBoard() {
    this.exercise.stop();
    this.closed = this.exercise.closed(this.exercise.table.games, this.exercise.table.caption);
    this.exercise = null;
    this.lit = [];
  }

  /** Opens a missed puzzle without counting it. */
  lookAgain(puzzle) {
    this.review = puzzle;
    this.start(puzzle);
    this.onChosen();
  }

  act(name) {
    if (name === "start") {
      this.run();
      return "board";
    }
    if (name === "back") {
      this.leaveBoard();
      this.review = null;
      this.onChange();
      return "title";
    }
    return super.act(name);
  }

  get view() {
    if (!this.puzzles) return this.missing("Puzzle rush");
    const goesOn = this.exercise !== null && this.review === null;
    this.board.hidden = !goesOn;
    this.choice.hidden = goesOn || this.review !== null;
    this.missedPart.hidden = goesOn || !this.rush?.missed.length;
    const best = `Best score: ${this.scores.of(false)}. Against the clock: ${this.scores.of(true)}.`;
    this.best.textContent = [best, this.scores.fault].join(" ").trim();
    if (this.review) return this.reviewView;
    return goesOn ? this.runningView : this.waitingView;
  }

  get waitingView() {
    const again = this.rush ? [["start", "Play again"]] : [["start"]];
    const solved = this.rush && `The rush is over: ${count(this.rush.score, "puzzle")} solved.`;
    const words = this.rush ? `${solved}${this.record ? " Your best so far!" : ""}` : "Press Start to begin.";
    return { title: "Puzzle rush", teach: RULES, words, buttons: again, more: this.more };
  }

  get runningView() {
    const { rush, exercise } = this;
    const isCounted = this.counted === exercise;
    const tone = isCounted ? (this.wasRight ? "right" : "wrong") : "";
    const words = { right: "Right.", wrong: "Wrong." }[tone] ?? (exercise.slow ? "Checking …" : "");
    this.score.textContent = `${rush.score} solved, ${count(rush.missed.length, "mistake")} of ${MOST_MISTAKES}`;
    this.clock.textContent = rush.timed ? this.timeWords() : "";
    const number = isCounted ? rush.at : rush.at + 1;
    const failed = exercise.phase === "failed" ? this.answer : {};
    return {
      title: `Puzzle ${number}`, task: puzzleWords(this.puzzle), words, tone, more: this.more, ...failed,
    };
  }

  get reviewView() {
    const view = this.puzzleView;
    return { ...view, title: "A missed puzzle", buttons: [...(view.buttons ?? []), ["back"]], more: this.more };
  }
}
