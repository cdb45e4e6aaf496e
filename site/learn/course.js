// The tasks of the course: which edges are right, when a step is done, and which steps have been.
import { settled } from "../analysis/analysis.js";
import { bestEdges, boundsOf } from "./grader.js";
import { StoredValue } from "../scores/stored-value.js";
import { LESSONS } from "./lessons.js";
import { gamesOfFragment } from "../share/notation.js";
import { captures, isSafe, offeredBoxes } from "../analysis/shapes.js";
import { texts } from "../texts.js";

/**
 * The goals of tasks: whether an edge is right by the rules, or by its exact margin. An edge with
 * the best margin is right whatever the goal.
 */
export const GOALS = {
  best: () => false,
  take: (game, edge) => captures(game, edge),
  safe: (game, edge) => isSafe(game, edge),
  /** Takes what is on offer, and then gives nothing away. */
  careful: (game, edge) => (offeredBoxes(game).length ? captures(game, edge) : isSafe(game, edge)),
  win: (game, edge, margin) => margin > 0,
};

/** The goals whose wrong edges all give something away, which is reason enough. */
const BY_RULES = ["take", "safe", "careful"];

/** When a step is done, by the state after a right edge and the seat of the person. */
export const ENDS = {
  answer: () => true,
  taken: (game) => offeredBoxes(game).length === 0,
  turn: (game, person) => game.mover !== person,
  over: (game) => game.over,
};

/** Returns the states up to a lesson's position. */
export const gamesOf = (lesson) => gamesOfFragment(`#${lesson.game}`);

/** Returns the task of a lesson, for an exercise. */
export function taskOf(lesson) {
  const games = gamesOf(lesson);
  const person = games.at(-1).mover;
  return {
    games,
    byRules: BY_RULES.includes(lesson.goal),
    /** The final margin with best play, once it is known. */
    best: null,
    async grade(grader, game, edge) {
      const result = await grader.analyze(game);
      if (!settled(result)) throw new Error(texts.learn.unsolved);
      if (game === games.at(-1)) this.best = result.lower;
      const margin = boundsOf(game, result, edge).lower;
      return bestEdges(game, result).includes(edge) || GOALS[lesson.goal](game, edge, margin);
    },
    isOver: (game) => game.over || ENDS[lesson.ends](game, person),
  };
}

/** Says that a step is done, and if its game was won by less than it could be. */
export function doneWords({ done }, { best }, game, person) {
  const margin = game.margin(person);
  if (!game.over || best === null || margin >= best) return done;
  const boxes = (lead) => (game.board.boxes + lead) / 2;
  return texts.learn.couldWin(done, boxes(margin), boxes(-margin), boxes(best), boxes(-best));
}

/** Returns the stored list of the steps that are done. */
export function stepsIn(storage) {
  const merge = (mine, theirs, leaveOut) => {
    const steps = theirs.done.filter((id) => typeof id === "string" || leaveOut());
    return { done: [...new Set([...mine.done, ...steps])] };
  };
  return new StoredValue("course", (stored) => {
    if (stored !== null && !Array.isArray(stored.done)) throw new Error(texts.stored.noSteps);
    return stored ?? { done: [] };
  }, storage, { merge });
}

/** The steps that a person has done, kept in the browser. */
export class Progress {
  constructor(storage) {
    this.kept = stepsIn(storage);
    this.known = new Set(LESSONS.map(({ id }) => id));
  }

  get fault() {
    return this.kept.fault;
  }

  has(lesson) {
    return this.kept.value.done.includes(lesson.id);
  }

  get count() {
    return new Set(this.kept.value.done.filter((id) => this.known.has(id))).size;
  }

  /** The first step that is not done, or the first one. */
  get next() {
    return LESSONS.find((lesson) => !this.has(lesson)) ?? LESSONS[0];
  }

  add(lesson) {
    if (!this.has(lesson)) this.kept.update(({ done }) => ({ done: [...new Set([...done, lesson.id])] }));
  }
}
