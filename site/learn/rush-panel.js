// The puzzle rush: its start, its puzzles one after another, and the missed ones at its end.
import { el } from "../page/dom.js";
import { tableOf } from "./exercise.js";
import { timeWords } from "../scores/games-table.js";
import { PuzzlePart } from "./puzzle-part.js";
import { puzzleWords } from "./puzzles.js";
import { BestScores, MOST_MISTAKES, Rush, rushOrder, TIME_MS } from "./rush.js";
import { texts } from "../texts.js";

/** The time for which the verdict on an answer is shown, in milliseconds. */
const VERDICT_MS = 1100;

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
    this.choice = el("p", {}, el("label", { class: "check" }, this.timed, " ", texts.learn.timed));
    this.clock = el("span", { id: "rush-clock", role: "timer" });
    this.score = el("span", { id: "rush-score" });
    this.board = el("p", { class: "row" }, this.score, this.clock);
    this.best = el("p", { class: "note", id: "rush-best" });
    this.missed = el("ol", { id: "rush-missed" });
    this.missedPart = el("div", {}, el("h3", {}, texts.learn.missed), this.missed);
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
    return texts.learn.timeLeft(timeWords(Math.max(0, Math.ceil((this.rush.endsAt - Date.now()) / 1000))));
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
    }, texts.learn.missedItem(at + 1, puzzle.games.at(-1).mover, puzzle.level)))));
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
    if (!this.puzzles) return this.missing(texts.learn.rush);
    const goesOn = this.exercise !== null && this.review === null;
    this.board.hidden = !goesOn;
    this.choice.hidden = goesOn || this.review !== null;
    this.missedPart.hidden = goesOn || !this.rush?.missed.length;
    const best = texts.learn.bestScores(this.scores.of(false), this.scores.of(true));
    this.best.textContent = [best, this.scores.fault].join(" ").trim();
    if (this.review) return this.reviewView;
    return goesOn ? this.runningView : this.waitingView;
  }

  get waitingView() {
    const [words, ...again] = this.rush
      ? [texts.learn.rushOver(this.rush.score, this.record), texts.learn.playAgain] : [texts.learn.pressStart];
    return {
      title: texts.learn.rush, teach: texts.learn.rushRules(MOST_MISTAKES), words, buttons: [["start", ...again]], more: this.more,
    };
  }

  get runningView() {
    const { rush, exercise } = this;
    const isCounted = this.counted === exercise;
    const tone = isCounted ? (this.wasRight ? "right" : "wrong") : "";
    const words = { right: texts.learn.right, wrong: texts.learn.wrong }[tone] ?? (exercise.slow ? texts.learn.checking : "");
    this.score.textContent = texts.learn.rushScore(rush.score, rush.missed.length, MOST_MISTAKES);
    this.clock.textContent = rush.timed ? this.timeWords() : "";
    const number = isCounted ? rush.at : rush.at + 1;
    const failed = exercise.phase === "failed" ? this.answer : {};
    return {
      title: texts.learn.rushPuzzle(number), task: puzzleWords(this.puzzle), words, tone, more: this.more, ...failed,
    };
  }

  get reviewView() {
    const view = this.puzzleView;
    return { ...view, title: texts.learn.missedOne, buttons: [...(view.buttons ?? []), ["back"]], more: this.more };
  }
}
