// A training run's progress: one JSON object for each generation, read into columns of numbers.

const ALWAYS = ["policy_loss", "margin_loss", "margin_error", "games_per_second"];
const MEASURED = /^suite_/;

/** The rows of a progress file, in order, and how many lines could not be read. */
export function readProgress(text) {
  const rows = [];
  let faults = 0;
  for (const line of text.split("\n")) {
    if (!line.trim()) continue;
    try {
      const row = JSON.parse(line);
      if (!Number.isFinite(row?.generation)) throw new Error("no generation");
      rows.push(row);
    } catch {
      faults++;
    }
  }
  return { rows, faults };
}

/** The curves that the rows hold: `{name, points}` with a point `[generation, value]` for every row that has one. */
export function curvesOf(rows) {
  const measured = new Set(rows.flatMap((row) => Object.keys(row).filter((name) => MEASURED.test(name))));
  return [...ALWAYS, ...[...measured].sort()]
    .map((name) => ({
      name,
      points: rows.filter((row) => Number.isFinite(row[name])).map((row) => [row.generation, row[name]]),
    }))
    .filter((curve) => curve.points.length > 0);
}
