// The progress of a training run, a JSON object on each line for each generation, as curves.

/** The fields that every row has. */
const ALWAYS = ["policy_loss", "margin_loss", "margin_error", "games_per_second"];
/** The fields of rows that were scored. */
const MEASURED = /^suite_/;

/** Returns the rows of a progress file, in order, and the number of lines that cannot be read. */
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

/**
 * Returns the curves of the rows, as `{name, points}` with a point `[generation, value]` for each
 * row with a value.
 */
export function curvesOf(rows) {
  const measured = new Set(rows.flatMap((row) => Object.keys(row).filter((name) => MEASURED.test(name))));
  return [...ALWAYS, ...[...measured].sort()]
    .map((name) => ({
      name,
      points: rows.filter((row) => Number.isFinite(row[name])).map((row) => [row.generation, row[name]]),
    }))
    .filter((curve) => curve.points.length > 0);
}
