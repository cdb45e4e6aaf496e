// The puzzle of each day, which is the same for everybody, and what a person has done with it.
import { StoredValue } from "../scores/stored-value.js";
import { texts } from "../texts.js";

const DAY_MS = 86_400_000;

/** The most days that can be gone back. */
const MOST_DAYS_BACK = 365;

/** Returns the day of a time in UTC, as in `2025-11-25`. */
export const dayOf = (time) => new Date(time).toISOString().slice(0, 10);

/** Returns the number of a day, counted from 1970. */
const numberOf = (day) => Math.round(Date.parse(`${day}T00:00:00Z`) / DAY_MS);

/** Returns the day so many days after another one. */
export const daysAfter = (day, days) => dayOf((numberOf(day) + days) * DAY_MS);

/** Returns true if the text is a day. */
const isDay = (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(numberOf(text)) && daysAfter(text, 0) === text;

/** Returns true if the text is a day that has a puzzle. */
export function hasPuzzle(day, today) {
  return isDay(day) && day <= today && day >= daysAfter(today, -MOST_DAYS_BACK);
}

/** Returns the index of a day's puzzle. It takes all puzzles in turn before one comes again. */
export function indexOf(day, number) {
  return (numberOf(day) * strideOf(number)) % number;
}

/** Returns a number that is coprime to another one and about 0.6 of it, so that neighbors lie apart. */
function strideOf(number) {
  const divisor = (a, b) => (b === 0 ? a : divisor(b, a % b));
  let stride = Math.max(1, Math.floor(number * 0.618));
  while (divisor(stride, number) > 1) stride += 1;
  return stride;
}

/** Describes a day: "November 25", with the year if it is not this one. */
export function dayWords(day, today) {
  return texts.learn.day(new Date(`${day}T00:00:00Z`), day.slice(0, 4) !== today.slice(0, 4));
}

/** Returns the text with which a result is shared. */
export const shareWords = (day, today, { mistakes }) => texts.learn.shared(dayWords(day, today), mistakes);

/** Returns the stored days, each with what a person has done on it, as `{mistakes, solved, onDay, shown}`. */
export function daysIn(storage) {
  return new StoredValue("daily", (stored) => {
    if (stored !== null && (typeof stored.days !== "object" || stored.days === null)) throw new Error(texts.stored.noDays);
    return stored ?? { days: {} };
  }, storage, { merge: mergeDays });
}

/** Returns the days of both. */
function mergeDays(mine, theirs, leaveOut) {
  const days = { ...mine.days };
  for (const [day, entry] of Object.entries(theirs.days)) {
    if (isDay(day) && isSound(entry)) days[day] = moreOf(entryOf(mine, day), entry);
    else leaveOut();
  }
  return { days };
}

/** Returns the entry of a day on which more was done: the puzzle was solved, or else its solution was shown. */
function moreOf(mine, theirs) {
  const rank = ({ solved, shown }) => (solved ? 2 : Number(shown));
  if (rank(mine) !== rank(theirs)) return rank(mine) > rank(theirs) ? mine : theirs;
  const mistakes = rank(mine) ? mine.mistakes : Math.max(mine.mistakes, theirs.mistakes);
  return { ...mine, mistakes, onDay: mine.onDay || theirs.onDay };
}

/** What a person has done on each day, kept in the browser. */
export class Diary {
  constructor(storage) {
    this.kept = daysIn(storage);
  }

  get fault() {
    return this.kept.fault;
  }

  /** Returns what is known of a day. */
  of(day) {
    return entryOf(this.kept.value, day);
  }

  /** Changes what is known of a day, unless it is solved or shown. */
  note(day, changes) {
    this.kept.update((value) => {
      const known = entryOf(value, day);
      if (known.solved || known.shown) return value;
      const mistakes = Math.max(known.mistakes, changes.mistakes ?? 0);
      return { days: { ...value.days, [day]: { ...known, ...changes, mistakes } } };
    });
  }

  /** Returns on how many days in a row, up to today or yesterday, the day's puzzle was solved. */
  streak(today) {
    const counts = (day) => this.of(day).solved && this.of(day).onDay;
    let day = counts(today) ? today : daysAfter(today, -1);
    let days = 0;
    for (; counts(day); day = daysAfter(day, -1)) days += 1;
    return days;
  }
}

/** Returns what is stored of a day, without what is damaged. */
function entryOf({ days }, day) {
  const entry = Object.hasOwn(days, day) ? days[day] : null;
  return isSound(entry) ? entry : { mistakes: 0, solved: false, onDay: false, shown: false };
}

const isSound = (entry) => Number.isInteger(entry?.mistakes) && entry.mistakes >= 0
  && [entry.solved, entry.onDay, entry.shown].every((is) => typeof is === "boolean");
