// What the parts of the learn tab have in common: an exercise, and the buttons that work on it.
import { Exercise } from "./exercise.js";
import { bestEdges, isBest } from "./grader.js";
import { edgeWords } from "../share/notation.js";
import { texts } from "../texts.js";

export class LearnPart {
  /** `onChange` is called after each change. */
  constructor(grader, onChange) {
    this.grader = grader;
    this.onChange = onChange;
    this.exercise = null;
    this.forget();
  }

  /** The table on show. */
  get table() {
    return this.exercise.table;
  }

  /** Begins a task. */
  begin(task) {
    this.exercise?.stop();
    this.forget();
    this.exercise = new Exercise(this.grader, task, () => this.changed());
    this.onChange();
  }

  /** Forgets the help with the current answer. */
  forget() {
    this.hinted = false;
    /** The edges that are lit up as help. */
    this.lit = [];
  }

  changed() {
    this.onChange();
  }

  draw(edge) {
    this.lit = [];
    this.exercise?.draw(edge);
  }

  /** Ends what is going on when the tab is left. */
  leave() {
    this.exercise?.stop();
  }

  /** Continues where the tab was left. */
  resume() {
    if (!this.exercise || ["asking", "wrong", "solved"].includes(this.exercise.phase)) return;
    this.exercise.retry();
  }

  /** Handles a button. Returns where the focus goes: "title", "board" or nothing. */
  act(name) {
    const { exercise } = this;
    if (name === "retry") exercise.retry();
    if (name === "restart") exercise.restart();
    if (name === "again") exercise.again();
    if (name === "play-out") exercise.playOut();
    if (name === "hint") this.hinted = true;
    if (name === "light") this.light();
    this.onChange();
    return name === "retry" || name === "restart" ? "board" : null;
  }

  /** Lights up a right edge. */
  async light() {
    const { exercise } = this;
    const { game } = exercise.table;
    try {
      const edge = await this.rightEdge(game);
      if (this.exercise !== exercise || exercise.table.game !== game) return;
      this.lit = [edge];
    } catch (error) {
      exercise.phase = "failed";
      exercise.fault = error.message;
    }
    this.onChange();
  }

  /** Returns a promise of a right edge, or of an error where none is proved. */
  async rightEdge(game) {
    const result = await this.grader.analyze(game);
    const [edge] = bestEdges(game, result);
    if (!isBest(game, result, edge)) throw new Error(texts.learn.unsolved);
    return edge;
  }

  /** True if a hint is offered. */
  get offersHint() {
    return this.exercise.mistakes > 0;
  }

  /** The words for the state of the exercise, with their tone, and the buttons for it. */
  get answer() {
    const { phase, reason, fault, slow, progress } = this.exercise;
    if (phase === "failed") return { words: texts.learn.unchecked(fault), tone: "wrong", buttons: [["retry"]] };
    if (phase === "checking") return { words: slow ? texts.learn.checking : "" };
    if (phase === "replying") return { words: texts.learn.right, tone: "right" };
    if (phase === "refuting" && reason === null) return { buttons: [["retry"]] };
    if (phase === "refuting") return { words: reason, tone: "wrong", buttons: [["retry"]] };
    if (phase === "wrong") return { words: reason, tone: "wrong", buttons: [["retry"], ["again"]] };
    if (this.lit.length) return { words: texts.learn.lit(edgeWords(this.table.board, this.lit[0])) };
    const help = this.offersHint ? [this.hinted ? ["light"] : ["hint"]] : [];
    const buttons = progress > 0 ? [...help, ["restart"]] : help;
    if (this.hinted) return { words: this.hint, buttons };
    return progress > 0 ? { words: texts.learn.goOn, tone: "right", buttons } : { buttons };
  }
}
