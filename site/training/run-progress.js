// The progress of a training run, a JSON object on each line for each generation.

/** The largest number that is drawn. Beyond it, differences and squares lose their sense. */
const LARGEST = 1e15;

/** Returns true for a number that can be drawn. */
export const isUsable = (value) => Number.isFinite(value) && Math.abs(value) <= LARGEST;

/** Returns a row in which the scores of a run of several boards, if it has any, are fields of their own. */
function spread({ suite_boards: boards, ...row }) {
  const scores = Object.entries(boards ?? {}).filter(([board]) => /^\d+x\d+$/.test(board));
  return { ...row, ...Object.fromEntries(scores.map(([board, score]) => [`suite_${board}_search_optimal`, score])) };
}

/**
 * Returns the rows of a progress file by generation, and the numbers of the lines that cannot be
 * read. `torn` is true if the file ends within a line, as one does that is being written.
 *
 * Of several rows of a generation the last is taken.
 */
export function readProgress(text) {
  const rows = new Map();
  const faults = [];
  const lines = text.split("\n");
  lines.forEach((line, at) => {
    if (!line.trim()) return;
    try {
      const row = JSON.parse(line);
      if (!Number.isSafeInteger(row?.generation) || row.generation < 0) throw new Error();
      rows.set(row.generation, spread(row));
    } catch {
      faults.push(at + 1);
    }
  });
  const torn = faults.at(-1) === lines.length;
  if (torn) faults.pop();
  return { rows: [...rows.values()].sort((a, b) => a.generation - b.generation), faults, torn };
}
