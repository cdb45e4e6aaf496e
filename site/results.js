// The results of finished games, which are kept in the browser.
import { Board } from "./doublecross/rules.js";
import { StoredValue } from "./stored-value.js";

const MAX_RESULTS = 2000;

const isValid = (result) =>
  typeof result?.board === "string" && typeof result.strength === "string" && (result.seat === 0 || result.seat === 1)
  && Number.isInteger(result.margin) && typeof result.date === "string" && Array.isArray(result.helps);

/** Returns the stored list of results, in which single ones may be damaged. */
function resultsIn(storage) {
  return new StoredValue("results", "results", (stored) => {
    if (stored !== null && !Array.isArray(stored)) throw new Error("it is not a list");
    return stored ?? [];
  }, storage);
}

/**
 * Reads the results, the oldest first, with the texts that could not be read and are kept aside, and
 * the message of an error, or null.
 */
export function readResults(storage) {
  const kept = resultsIn(storage);
  const results = kept.value.filter(isValid);
  const { aside } = kept;
  const left = results.length < kept.value.length ? "Some damaged results are left out." : null;
  const old = aside.length ? "Results that could not be read are kept aside: export them as a file, or clear them." : null;
  return { results, aside, fault: kept.fault ?? left ?? old };
}

/** Adds a result. Returns the message of an error, or null. */
export function addResult(result, storage) {
  const kept = resultsIn(storage);
  kept.update((results) => [...results, result].slice(-MAX_RESULTS));
  return kept.fault;
}

/** Deletes all results. */
export function clearResults(storage) {
  resultsIn(storage).clear();
}

/** Calls a function when another tab has changed the results. */
export function listenToResults(onChange) {
  resultsIn().listen(onChange);
}

/**
 * Returns a row for each strength and board: games won, lost and tied, and the best margin. Helped
 * games do not count.
 */
export function tally(results) {
  const rows = new Map();
  for (const { strength, board, margin, helps } of results) {
    if (helps.length) continue;
    const key = `${strength} ${board}`;
    const row = rows.get(key) ?? { strength, board, won: 0, lost: 0, tied: 0, best: -Infinity };
    row[margin > 0 ? "won" : margin < 0 ? "lost" : "tied"] += 1;
    row.best = Math.max(row.best, margin);
    rows.set(key, row);
  }
  return [...rows.values()];
}

/** Boards of so many boxes, at least, give their own star. */
const STARS_FROM = [1, 10, 25];

/** Returns how many stars unhelped wins against a bot gave: one for each size of board. */
export function starsOf(results, strength) {
  const won = results.filter((result) => result.strength === strength && result.margin > 0 && !result.helps.length);
  const stars = won.map(({ board }) => STARS_FROM.findLastIndex((least) => Board.parse(board).boxes >= least));
  return new Set(stars).size;
}
