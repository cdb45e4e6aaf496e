// A puzzle rush: puzzles of rising difficulty, until three mistakes, the end of the puzzles, or the
// end of the time.
import { StoredValue } from "../scores/stored-value.js";
import { texts } from "../texts.js";

export const MOST_MISTAKES = 3;

/** The length of a rush with a clock, in milliseconds. */
export const TIME_MS = 3 * 60_000;

/** The puzzles of each level, before the rest comes. */
const OF_EACH_LEVEL = 3;

/**
 * Returns the puzzles in the order of a rush: some of each level, the easiest first, and then the
 * rest, the hardest first. `random` returns numbers from 0 to 1.
 */
export function rushOrder(puzzles, random = Math.random) {
  const shuffled = puzzles.map((puzzle) => [random(), puzzle]).sort(([a], [b]) => a - b).map(([, puzzle]) => puzzle);
  const taken = new Map();
  const isEarly = ({ level }) => {
    taken.set(level, (taken.get(level) ?? 0) + 1);
    return taken.get(level) <= OF_EACH_LEVEL;
  };
  const first = shuffled.filter(isEarly);
  const rest = shuffled.filter((puzzle) => !first.includes(puzzle));
  const rising = (one, other) => one.level - other.level;
  return [...first.sort(rising), ...rest.sort(rising).reverse()];
}

/** A rush. `endsAt` is the time at which it ends, or null. */
export class Rush {
  constructor(order, endsAt = null) {
    this.order = order;
    this.endsAt = endsAt;
    this.at = 0;
    this.score = 0;
    this.missed = [];
  }

  get timed() {
    return this.endsAt !== null;
  }

  /** The puzzle to solve, or null if there is none left. */
  get puzzle() {
    return this.order[this.at] ?? null;
  }

  isOver(now) {
    return this.missed.length >= MOST_MISTAKES || this.puzzle === null || (this.timed && now >= this.endsAt);
  }

  /** Counts an answer, and goes on to the next puzzle. */
  answer(right) {
    if (right) this.score += 1;
    else this.missed.push(this.puzzle);
    this.at += 1;
  }
}

/** Returns the stored best scores. */
export function bestIn(storage) {
  const isSound = (score) => Number.isInteger(score) && score >= 0;
  const merge = (mine, { free, timed }) => ({ ...mine, free: Math.max(mine.free, free), timed: Math.max(mine.timed, timed) });
  return new StoredValue("rush", (stored) => {
    const scores = { free: 0, timed: 0, ...stored };
    if (typeof stored !== "object") throw new Error(texts.stored.noScores);
    if (!isSound(scores.free) || !isSound(scores.timed)) throw new Error(texts.stored.badScore);
    return scores;
  }, storage, { merge });
}

/** The best scores with and without a clock, kept in the browser. */
export class BestScores {
  constructor(storage) {
    this.kept = bestIn(storage);
  }

  get fault() {
    return this.kept.fault;
  }

  of(timed) {
    return this.kept.value[timed ? "timed" : "free"];
  }

  /** Keeps the score of a rush. Returns true if it is a new best one. */
  add({ timed, score }) {
    if (score <= this.of(timed)) return false;
    const name = timed ? "timed" : "free";
    this.kept.update((scores) => ({ ...scores, [name]: Math.max(scores[name], score) }));
    return true;
  }
}
