// What the puzzle of the day and the rush have in common: the file of puzzles, and one puzzle to
// solve.
import { el } from "../page/dom.js";
import { Board, Game } from "../doublecross/rules.js";
import { tableOf } from "./exercise.js";
import { LearnPart } from "./learn-part.js";
import { edgeWords } from "../share/notation.js";
import { puzzleTask, puzzleWords, solutionWords } from "./puzzles.js";
import { texts } from "../texts.js";

export class PuzzlePart extends LearnPart {
  constructor(grader, file, onChange) {
    super(grader, onChange);
    this.file = file;
    this.puzzles = null;
    this.fault = null;
    this.empty = tableOf([new Game(new Board(5, 5))]);
    this.nothing = el("div");
  }

  get table() {
    return this.exercise?.table ?? this.empty;
  }

  /** Loads the puzzles, unless they are there. */
  async load() {
    if (this.puzzles) return;
    this.fault = null;
    this.onChange();
    try {
      const { puzzles, damaged } = await this.file.load();
      this.puzzles = puzzles;
      this.damaged = damaged;
    } catch (error) {
      this.fault = error.message;
      this.onChange();
    }
  }

  /** Begins a puzzle. */
  start(puzzle, silent = false) {
    this.puzzle = puzzle;
    this.gaveUp = false;
    this.begin(puzzleTask(puzzle, silent));
  }

  get hint() {
    return texts.learn.themes[this.puzzle.theme] ?? texts.learn.themes.other;
  }

  async rightEdge() {
    return this.puzzle.edges[0];
  }

  act(name) {
    if (name === "load") {
      this.open();
      return null;
    }
    if (name !== "solve") return super.act(name);
    this.gaveUp = true;
    this.exercise.solve(this.puzzle.edges[0]);
    return null;
  }

  /** The view while there are no puzzles. */
  missing(title) {
    const words = this.fault ? texts.learn.noPuzzles(this.fault) : texts.learn.loadingPuzzles;
    const buttons = this.fault ? [["load"]] : [];
    return { title, words, tone: this.fault ? "wrong" : "", buttons, more: this.nothing };
  }

  /** The texts and buttons of the puzzle. */
  get puzzleView() {
    const view = { teach: texts.learn.difficulty(this.puzzle.level), task: puzzleWords(this.puzzle) };
    if (this.exercise.phase === "solved") return { ...view, ...this.solvedAnswer };
    const { buttons = [], ...answer } = this.answer;
    const help = this.exercise.phase === "asking" && !this.lit.length ? [["solve"]] : [];
    return { ...view, ...answer, buttons: [...buttons, ...help].filter(([name]) => name !== "light") };
  }

  get solvedAnswer() {
    const { games } = this.exercise;
    const line = edgeWords(this.puzzle.games[0].board, games[this.puzzle.games.length].last);
    const worth = solutionWords(this.puzzle);
    const words = this.gaveUp ? texts.learn.solution(line, worth) : texts.learn.rightIs(worth);
    return { words, tone: this.gaveUp ? "" : "right", buttons: [["play-out"]] };
  }
}
