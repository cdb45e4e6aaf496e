// The results of finished games against bots, with their moves, which are kept in the browser.
import { Board } from "../doublecross/rules.js";
import { browserStorage, StoredValue } from "./stored-value.js";
import { texts } from "../texts.js";

const LONGEST_NAME = 40;
export const LONGEST_COMMENT = 200;

/** The fewest games, and the least share of them, whose moves are dropped at once to make room. */
const DROPPED = 16;
const DROPPED_SHARE = 1 / 8;

/** The number of best games in a row of the high scores. */
const BEST = 3;

/** The fewest boxes of a board that gives each star. */
const STARS = [1, 10, 25];

const MOVES = /^([0-9a-z]{2}){1,180}$/;

const isText = (value) => typeof value === "string" && value !== "";

function isValid(result) {
  const { board, strength, seat, margin, date, helps } = result ?? {};
  return isBoard(board) && typeof strength === "string" && (seat === 0 || seat === 1) && typeof date === "string"
    && Number.isInteger(margin) && scoreOf(result).every((score) => score >= 0 && Number.isInteger(score))
    && Array.isArray(helps) && helps.every(isText);
}

const isBoard = (name) => typeof name === "string" && /^\dx\d$/.test(name) && Board.fits(...name.split("x").map(Number));

/** Returns a valid result without damaged or empty ones of the parts that older pages did not store. */
function tidy({ moves, seconds, name, comment, ...result }) {
  return {
    ...result,
    ...(isText(moves) && MOVES.test(moves) && { moves }),
    ...(Number.isFinite(seconds) && seconds >= 0 && { seconds }),
    ...(isText(name) && { name: name.slice(0, LONGEST_NAME) }),
    ...(isText(comment) && { comment: comment.slice(0, LONGEST_COMMENT) }),
  };
}

/** Returns what distinguishes a game from others. */
export const keyOf = ({ date, board, strength, seat, margin }) => [date, board, strength, seat, margin].join(" ");

/** Returns the lists in one, by date, each game once. What is damaged in `mine` stays in it. */
function merge(mine, theirs, leaveOut) {
  const others = new Map();
  for (const result of theirs) {
    if (isValid(result)) others.set(keyOf(result), tidy(result));
    else leaveOut();
  }
  const merged = mine.map((result) => {
    if (!isValid(result)) return result;
    const other = others.get(keyOf(result));
    others.delete(keyOf(result));
    const missing = Object.entries(other ?? {}).filter(([part]) => !Object.hasOwn(tidy(result), part));
    return missing.length ? { ...result, ...Object.fromEntries(missing) } : result;
  });
  const dateOf = (result) => (isValid(result) ? result.date : "");
  const byDate = (one, other) => (dateOf(one) < dateOf(other) ? -1 : Number(dateOf(one) > dateOf(other)));
  return others.size ? [...merged, ...others.values()].sort(byDate) : merged;
}

/** Drops the moves of the oldest games, except of those in `sacred`. */
function lighten(results, sacred = []) {
  const kept = new Set(sacred.filter((result) => result?.moves).map(keyOf));
  const games = results.filter((result) => result?.moves && !kept.has(keyOf(result)));
  const dropped = new Set(games.slice(0, Math.max(DROPPED, Math.ceil(games.length * DROPPED_SHARE))));
  if (!dropped.size) return null;
  const value = results.map((result) => (dropped.has(result) ? { ...result, moves: undefined } : result));
  return { value, dropped: dropped.size };
}

let own = null;

/** Returns the stored list of results, in which single ones may be damaged. That of the browser is one for the page. */
export function resultsIn(storage) {
  const make = () => new StoredValue("results", (stored) => {
    if (stored !== null && !Array.isArray(stored)) throw new Error(texts.stored.notList);
    return stored ?? [];
  }, storage ?? browserStorage(), { merge, lighten });
  return storage ? make() : (own ??= make());
}

/** Returns the stored name of the person, which may be empty. */
export function nameIn(storage) {
  return new StoredValue("name", (stored) => {
    if (stored !== null && typeof stored !== "string") throw new Error(texts.stored.notText);
    return (stored ?? "").slice(0, LONGEST_NAME);
  }, storage, { merge: (mine, theirs) => mine || theirs });
}

/**
 * Reads the results, the oldest first, with the texts that could not be read and are kept aside, and
 * the message of an error, or null.
 */
export function readResults(storage) {
  const kept = resultsIn(storage);
  const stored = kept.value;
  const results = stored.filter(isValid).map(tidy);
  const { aside } = kept;
  const left = results.length < stored.length ? texts.stored.someLeft : null;
  const old = aside.length ? texts.stored.someAside : null;
  return { results, aside, fault: kept.fault ?? left ?? old };
}

/** Adds a result. Returns the message of an error, or of what was dropped to make room for it, or null. */
export function addResult(result, storage) {
  return change((results) => [...results, tidy(result)], storage);
}

/** Changes the comment on a game. Returns a message as `addResult` does. */
export function setComment(game, comment, storage) {
  const isIt = (result) => isValid(result) && keyOf(result) === keyOf(game);
  return change((results) => results.map((result) => (isIt(result) ? tidy({ ...result, comment: comment.trim() }) : result)), storage);
}

/** Changes the stored results by a function. */
function change(changed, storage) {
  const kept = resultsIn(storage);
  kept.update(changed);
  const { unstored, damage } = kept;
  // From now on, readResults says what is kept aside.
  if (unstored === null) kept.damage = null;
  return unstored ?? damage ?? (kept.dropped ? texts.stored.dropped(kept.dropped) : null);
}

/** Deletes all results. Returns the message of an error, or null. */
export function clearResults(storage) {
  const kept = resultsIn(storage);
  kept.clear();
  return kept.fault;
}

/** Returns the boxes of the person and of the bot. */
export function scoreOf({ board, margin }) {
  const { boxes } = Board.parse(board);
  return [(boxes + margin) / 2, (boxes - margin) / 2];
}

/** Returns how many of three stars a person has won against a bot: one for each kind of board, by a win without help. */
export function starsOf(results, strengthId) {
  const wins = results.filter(({ strength, margin, helps }) => strength === strengthId && margin > 0 && !helps.length);
  return new Set(wins.map(({ board }) => STARS.findLastIndex((least) => Board.parse(board).boxes >= least))).size;
}

/**
 * Returns a row for each strength and board: the games, those won, lost and tied, the share won, the mean
 * margin, and the best games. Helped games do not count.
 */
export function tally(results) {
  const rows = new Map();
  for (const result of results.filter(({ helps }) => !helps.length)) {
    const key = `${result.strength} ${result.board}`;
    if (!rows.has(key)) rows.set(key, []);
    rows.get(key).push(result);
  }
  return [...rows.values()].map((games) => {
    const { strength, board } = games[0];
    const [won, lost, tied] = [1, -1, 0].map((sign) => games.filter(({ margin }) => Math.sign(margin) === sign).length);
    return {
      strength, board, games: games.length, won, lost, tied, share: won / games.length,
      mean: games.reduce((sum, { margin }) => sum + margin, 0) / games.length, best: games.sort(better).slice(0, BEST),
    };
  });
}

/** Compares games: the larger margin first, then the shorter game, then the older one. */
function better(one, other) {
  const seconds = (result) => result.seconds ?? Infinity;
  return other.margin - one.margin || seconds(one) - seconds(other) || (one.date < other.date ? -1 : 1);
}
