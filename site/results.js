// The results of finished games in the browser's storage, which may be missing, full, forbidden or
// damaged.

const KEY = "doublecross.results";
const MAX_RESULTS = 2000;

const isValid = (result) =>
  typeof result?.board === "string" && typeof result.strength === "string" && (result.seat === 0 || result.seat === 1)
  && Number.isInteger(result.margin) && typeof result.date === "string" && Array.isArray(result.helps);

/** Reads the results, the oldest first, and the message of an error, or null. */
export function readResults(storage = browserStorage()) {
  try {
    const kept = JSON.parse(storage.getItem(KEY) ?? "[]");
    if (!Array.isArray(kept)) throw new Error("not a list");
    const results = kept.filter(isValid);
    return { results, fault: results.length < kept.length ? "Some damaged results were left out." : null };
  } catch (error) {
    return { results: [], fault: `The results in this browser cannot be read: ${error.message}` };
  }
}

/** Adds a result. Returns the message of an error, or null. */
export function addResult(result, storage = browserStorage()) {
  try {
    const { results } = readResults(storage);
    storage.setItem(KEY, JSON.stringify([...results, result].slice(-MAX_RESULTS)));
    return null;
  } catch (error) {
    return `This result could not be saved: ${error.message}`;
  }
}

/** Deletes all results. */
export function clearResults(storage = browserStorage()) {
  try {
    storage.removeItem(KEY);
  } catch {
    // A storage that cannot be written is empty.
  }
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

/** Returns the browser's storage. Access to `localStorage` throws if cookies are blocked. */
export function browserStorage() {
  try {
    return localStorage;
  } catch {
    const refuse = () => {
      throw new Error("this browser blocks storage");
    };
    return { getItem: refuse, setItem: refuse, removeItem: refuse };
  }
}
