// A position with a task. Each edge that a person draws is graded; a right one is answered with the
// best reply, and a wrong one by showing on the board what comes of it.
import { bestEdges } from "./grader.js";
import { Stopped } from "../page/bots.js";
import { statesOfLine } from "../share/notation.js";
import { demonstrated, giftReason, giftStates, reasonOf } from "../analysis/refutations.js";
import { PERSON, Table } from "../play/table.js";
import { texts } from "../texts.js";

/** The time between two moves that are shown, in milliseconds. */
const PAUSE = 700;

/** The time after which "Checking" is shown, in milliseconds. */
const SLOW_MS = 400;

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/** Returns a table with a person in this seat, who cannot draw unless the id is PERSON. */
export function tableOf(games, seat = games.at(-1).mover, id = texts.play.you) {
  return new Table(games[0].board, seat === 0 ? [id, texts.learn.solver] : [texts.learn.solver, id], games);
}

export class Exercise {
  /**
   * `task` has the `games` up to the position; `grade(grader, game, edge)`, a promise of whether the
   * edge is right; `isOver(game)`, whether the task is done after the right edges so far;
   * `silent`, true if no wrong answer is explained; and `byRules`, true if what a wrong one gives
   * away explains it. `onChange` is called after each change.
   */
  constructor(grader, task, onChange) {
    this.grader = grader;
    this.task = task;
    this.onChange = onChange;
    /** The wrong answers so far. */
    this.mistakes = 0;
    /** True if the check of an answer takes a while. */
    this.slow = false;
    /** The token of what is going on, so that it ends when something else begins. */
    this.turn = null;
    this.begin(task.games);
  }

  /** Begins with these states, the last of which a person is to answer. */
  begin(games) {
    this.turn = null;
    this.games = games;
    this.person = games.at(-1).mover;
    this.table = tableOf(games, this.person, PERSON);
    this.phase = "asking";
    this.reason = null;
    this.fault = null;
    /** The edge to draw next, or null. */
    this.waiting = null;
    this.grader.prepare(games.at(-1));
  }

  /** Returns a table at which no line can be drawn, with what is said of it. */
  closed(games, caption) {
    return Object.assign(tableOf(games, this.person), { caption });
  }

  /** The number of right edges so far. */
  get progress() {
    return this.games.length - this.task.games.length;
  }

  /** Draws a person's edge. One that comes while the last one is checked is drawn after that. */
  async draw(edge) {
    if (this.phase === "checking") this.waiting = edge;
    if (this.phase !== "asking" || !this.table.personsTurn) return;
    const before = this.table.game;
    this.table.play(edge);
    this.phase = "checking";
    await this.during(async (goesOn) => {
      const right = await this.task.grade(this.grader, before, edge);
      if (!goesOn()) return;
      if (right) return this.goOn(goesOn);
      this.mistakes += 1;
      this.phase = "wrong";
      if (this.task.silent) this.table = this.closed(this.table.games, texts.learn.wrong);
      else await this.refute(goesOn, before);
    });
    const next = this.waiting;
    this.waiting = null;
    if (next !== null && this.phase === "asking" && this.table.game.legal(next)) await this.draw(next);
  }

  /** Runs a function until another one begins, and reports its error. */
  async during(body) {
    const turn = {};
    this.turn = turn;
    const goesOn = () => this.turn === turn;
    this.slow = false;
    this.onChange();
    setTimeout(() => {
      if (!goesOn() || this.phase !== "checking") return;
      this.slow = true;
      this.onChange();
    }, SLOW_MS);
    try {
      await body(goesOn);
    } catch (error) {
      if (!goesOn() || error instanceof Stopped) return;
      this.phase = "failed";
      this.fault = error.message;
    }
    if (goesOn()) this.onChange();
  }

  /** Continues after a right edge: with the replies, until a person is to answer or the task is done. */
  async goOn(goesOn) {
    const { table } = this;
    while (!this.task.isOver(table.game) && !table.game.over && !table.personsTurn) {
      this.phase = "replying";
      this.onChange();
      const [result] = await Promise.all([this.grader.analyze(table.game), wait(PAUSE)]);
      if (!goesOn()) return;
      table.play(bestEdges(table.game, result)[0]);
    }
    this.games = table.games;
    if (this.task.isOver(table.game) || table.game.over) {
      this.phase = "solved";
      this.table = this.closed(table.games, this.gaveUp ? null : texts.learn.solved);
    } else {
      this.phase = "asking";
      this.grader.prepare(table.game);
    }
  }

  /** Shows why the last edge was wrong. */
  async refute(goesOn, before) {
    const after = this.table.game;
    this.phase = "refuting";
    if (this.task.byRules) {
      this.reason = giftReason(before, after);
      this.shown = [...this.table.games, ...giftStates(after)];
    } else if (!await this.refuteByValue(goesOn, before, after)) {
      return;
    }
    await this.demonstrate(goesOn, this.table.games.length, texts.learn.refuted);
    if (goesOn()) this.phase = "wrong";
  }

  /** Finds out what the last edge costs. Returns a promise of false if something else has begun. */
  async refuteByValue(goesOn, before, after) {
    const known = await this.grader.analyze(before, () => true);
    const result = after.over ? null : await this.grader.analyze(after, isExact);
    if (!goesOn()) return false;
    const states = result ? statesOfLine(after, result.line) : [];
    this.reason = reasonOf({ before, after, states, known, result });
    this.shown = [...this.table.games, ...demonstrated(after, states, before.mover)];
    return true;
  }

  /** Shows the moves of `shown` from an index on, under a caption. */
  async demonstrate(goesOn, from, caption) {
    for (let length = from; length <= this.shown.length; length++) {
      this.table = this.closed(this.shown.slice(0, length), caption);
      this.onChange();
      if (length < this.shown.length) await wait(PAUSE);
      if (!goesOn()) return;
    }
  }

  /** Shows again why the last edge was wrong. */
  async again() {
    if (!this.shown) return;
    this.phase = "refuting";
    await this.during(async (goesOn) => {
      await this.demonstrate(goesOn, this.games.length, texts.learn.refuted);
      if (goesOn()) this.phase = "wrong";
    });
  }

  /** Shows how the game goes on from a solved position. */
  async playOut() {
    const game = this.games.at(-1);
    this.phase = "solved";
    await this.during(async (goesOn) => {
      const result = await this.grader.analyze(game, isExact);
      if (!goesOn()) return;
      this.shown = [...this.games, ...statesOfLine(game, result.line)];
      await this.demonstrate(goesOn, this.games.length, texts.learn.playedOut);
    });
  }

  /** Goes back to where the wrong edge was drawn. */
  retry() {
    this.begin(this.games);
    this.onChange();
  }

  /** Goes back to the first position. */
  restart() {
    this.begin(this.task.games);
    this.onChange();
  }

  /** Plays the solution's first edge for the person, who has given up. */
  async solve(edge) {
    this.gaveUp = true;
    this.begin(this.games);
    this.table.play(edge);
    await this.during((goesOn) => this.goOn(goesOn));
  }

  /** Ends whatever is going on. */
  stop() {
    this.turn = null;
    this.grader.stop();
  }
}

/** Returns true if the value of a position is exact, though perhaps not that of each edge. */
const isExact = (result) => result.lower === result.upper;
