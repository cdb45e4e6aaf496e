// Checks of the training view that need no browser: reading, smoothing, trends, axes, words.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { assert, Report } from "./report.mjs";
import { site } from "./site.mjs";

const { axisOf, nearest, pointAt, stopsOf } = await site("training/axes.js");
const { groupsOf, scoreOf, scoresOf } = await site("training/curves.js");
const { readProgress } = await site("training/run-progress.js");
const { faultWords, headline, timeWords } = await site("training/run-words.js");
const { freeSlot, listedRuns, Run, textOf } = await site("training/runs.js");
const { seriesOf } = await site("training/series.js");
const { bestOf, smoothed, trendOf } = await site("training/smoothing.js");

const report = new Report();

const lines = (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const count = (length) => Array.from({ length }, (_, at) => at + 1);
/** Returns numbers from -1 to 1 that look like chance. */
const noise = (length) => count(length).map((at) => Math.sin(12.9898 * at * at));

/** Returns a run with these rows, or this text. */
function runOf(rows, slot = 0) {
  const run = new Run("mine", slot);
  run.take(typeof rows === "string" ? rows : lines(rows));
  return run;
}

const checkpoint = (name) =>
  runOf(readFileSync(fileURLToPath(new URL(`../../checkpoints/${name}/progress.jsonl`, import.meta.url)), "utf8"));

await report.check("progress: what can be read is kept, by generation", () => {
  const rows = [3, 1, 2].map((generation) => ({ generation, policy_loss: generation }));
  assert.deepEqual(readProgress(lines(rows)).rows.map(({ generation }) => generation), [1, 2, 3]);
  const bad = ["nonsense", "null", "[]", "7", "{}", '{"generation":"1"}', '{"generation":-1}', '{"generation":1.5}',
    '{"generation":1e300}', "\u0000"];
  const read = readProgress(`${lines(rows.slice(0, 1))}\r\n${bad.join("\r\n")}\n\n${lines(rows.slice(1))}`);
  assert.equal(read.rows.length, 3);
  assert.deepEqual(read.faults, bad.map((_, at) => at + 3));
  assert.equal(read.torn, false);
  assert.deepEqual(readProgress(""), { rows: [], faults: [], torn: false });
});

await report.check("progress: a line that is being written is no damage", () => {
  const whole = lines([{ generation: 1 }, { generation: 2 }]);
  const { rows, faults, torn } = readProgress(whole.slice(0, -6));
  assert.deepEqual([rows.length, faults, torn], [1, [], true]);
  assert.equal(readProgress(whole.slice(0, -1)).rows.length, 2);
  assert.deepEqual(readProgress(`${whole}{"gen\n`).faults, [3]);
});

await report.check("progress: the later row of a generation counts", () => {
  const { rows } = readProgress(lines([{ generation: 1, games: 1 }, { generation: 1, games: 2 }]));
  assert.deepEqual(rows, [{ generation: 1, games: 2 }]);
});

await report.check("progress: the scores of several boards are curves of their own", () => {
  const { rows, faults } = readProgress(lines([
    { generation: 1, suite_search_optimal: 0.7, suite_boards: { "3x3": 0.8, "5x5": 0.6, "<b>": 1 } },
    { generation: 2, suite_boards: null }, { generation: 3, suite_boards: 7 }, { generation: 4, suite_boards: "3x3" },
  ]));
  assert.deepEqual(faults, []);
  assert.deepEqual(rows[0], { generation: 1, suite_search_optimal: 0.7, suite_3x3_search_optimal: 0.8,
    suite_5x5_search_optimal: 0.6 });
  assert.deepEqual(rows.slice(1), [{ generation: 2 }, { generation: 3 }, { generation: 4 }]);
  assert.deepEqual(groupsOf(rows).map(({ title }) => title),
    ["Scores: all positions", "Scores: 3x3", "Scores: 5x5", "Losses", "Speed"]);
});

await report.check("scores: direction, part and order", () => {
  const row = { suite_sign_agreement: 1, suite_opening_margin_error: 1, suite_margin_error: 1, suite_policy_optimal: 1,
    suite_search_optimal: 1, suite_regret: 1, suite_top3: 1, policy_loss: 1 };
  const scores = scoresOf([{}, row]);
  assert.deepEqual(scores.map(({ field }) => field), ["suite_search_optimal", "suite_policy_optimal",
    "suite_sign_agreement", "suite_margin_error", "suite_opening_margin_error", "suite_regret", "suite_top3"]);
  assert.deepEqual(scores.map(({ better }) => better), [1, 1, 1, -1, -1, -1, 1]);
  assert.equal(scoreOf("suite_opening_margin_error").part, "opening");
  assert.equal(scoreOf("suite_margin_error").part, "all positions");
  assert.deepEqual(groupsOf([row]).map(({ title }) => title),
    ["Scores: all positions", "Scores: opening", "Scores: others", "Losses", "Speed"]);
  assert.deepEqual(groupsOf([{}]).map(({ id }) => id), ["losses", "speed"]);
  assert.equal(scoreOf("suite_search_optimal").text(0.925), "92.5\u00a0%");
});

await report.check("scores: a file with any number of fields has a limited number of curves", () => {
  const row = Object.fromEntries(count(500).map((at) => [`suite_x${at}`, at]));
  assert.equal(scoresOf([row]).length, 12);
});

await report.check("smoothing: a straight line stays as it is, to its ends", () => {
  for (const length of [1, 2, 3, 5, 11, 95, 250]) {
    const places = count(length).map((at) => at * 10);
    const line = smoothed(places, places.map((place) => 3 - place / 100));
    assert.deepEqual([line[0][0], line.at(-1)[0]], [0, length - 1]);
    for (const [at, height] of line) assert.ok(Math.abs(height - (3 - places[at] / 100)) < 1e-9, `${length}: ${at}`);
  }
});

await report.check("smoothing: chance is taken out, and the line stays among the measurements", () => {
  const values = noise(250);
  const roughness = (numbers) => numbers.slice(1).reduce((sum, value, at) => sum + Math.abs(value - numbers[at]), 0);
  const heights = smoothed(count(250), values).map(([, height]) => height);
  assert.ok(roughness(heights) < roughness(values) / 5);
  assert.ok(heights.every((height) => Math.abs(height) <= 1));
  assert.equal(smoothed(count(20_000), noise(20_000)).length, 240);
});

await report.check("best so far: the earliest of equals, by direction", () => {
  assert.equal(bestOf([1, 3, 2, 3], 1), 1);
  assert.equal(bestOf([2, 1, 3, 1], -1), 1);
  assert.equal(bestOf([5], -1), 0);
});

await report.check("trend: better, worse, or perhaps chance", () => {
  const rising = count(20).map((at) => at + noise(20)[at - 1]);
  assert.deepEqual(trendOf(count(20), rising, 1), { trend: 1, over: 10 });
  assert.equal(trendOf(count(20), rising, -1).trend, -1);
  assert.equal(trendOf(count(20), noise(20), 1).trend, 0);
  assert.equal(trendOf(count(20), count(20).map(() => 0.5), 1).trend, 0);
  // A rise that has ended is none.
  assert.equal(trendOf(count(40), count(40).map((at) => Math.min(at, 18) + noise(40)[at - 1]), 1).trend, 0);
  assert.deepEqual(trendOf(count(4), [1, 2, 3, 4], 1), { trend: null, over: 5 });
  assert.equal(trendOf([], [], 1).trend, null);
});

await report.check("trend: of measurements by chance alone one in twenty is called a change", () => {
  // Sums of twelve numbers of a generator, which are nearly normal.
  let state = 1;
  const next = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
  const normal = () => count(12).reduce((sum) => sum + next(), -6);
  for (const length of [10, 24, 100]) {
    const called = count(2000).filter(() => trendOf(count(length), count(length).map(normal), 1).trend !== 0).length;
    assert.ok(called > 50 && called < 170, `${called} of 2000 for ${length} measurements`);
  }
});

await report.check("axes: generations, games and time", () => {
  const row = { generation: 7, games: 2800, seconds: 5400 };
  assert.equal(axisOf("generation", [row]).place(row), 7);
  assert.equal(axisOf("games", [row]).place(row), 2800);
  assert.deepEqual([axisOf("time", [row]).unit, axisOf("time", [row]).place(row)], ["minutes", 90]);
  const long = { generation: 9, games: 3000, seconds: 9000 };
  const axis = axisOf("time", [row, long]);
  assert.deepEqual([axis.unit, axis.place(row), axis.place(long)], ["hours", 1.5, 2.5]);
  assert.equal(axis.words(1.5), "after 1.5 hours");
  assert.equal(axisOf("games", [row]).words(12_000), "after 12,000 games");
});

await report.check("axes: the places of several runs are merged", () => {
  const of = (...places) => ({ points: places.map((x) => ({ x })) });
  const [first, second] = [of(10, 20, 30), of(4, 8, 12, 20)];
  assert.deepEqual(stopsOf([first, second]), [4, 8, 10, 12, 20, 30]);
  assert.equal(pointAt(first, 16).x, 20);
  assert.equal(pointAt(second, 10).x, 8);
  // A run has no value where it has ended or not begun.
  assert.equal(pointAt(second, 30), null);
  assert.equal(pointAt(first, 4), null);
  assert.equal(pointAt(first, 34).x, 30);
  assert.equal(pointAt(of(), 1), null);
  const numbers = [1, 2, 4, 8];
  for (const [to, at] of [[0, 0], [1, 0], [1.6, 1], [3.1, 2], [6, 2], [7, 3], [99, 3]]) {
    assert.equal(nearest(numbers, to), at, to);
  }
  assert.equal(nearest([5], 9), 0);
});

await report.check("series: unusable values are left out", () => {
  const rows = count(6).map((generation) => ({ generation, games: 10 * generation, loss: generation }));
  rows[1].loss = "broken";
  rows[2].loss = 1e300;
  rows[3].loss = null;
  delete rows[4].games;
  const run = runOf(rows);
  const curve = { field: "loss", better: -1 };
  assert.deepEqual(seriesOf(run, curve, axisOf("generation", rows)).points.map(({ x }) => x), [1, 5, 6]);
  assert.deepEqual(seriesOf(run, curve, axisOf("games", rows)).points.map(({ x }) => x), [10, 60]);
  assert.equal(seriesOf(run, { field: "other", better: 1 }, axisOf("games", rows)), null);
});

await report.check("runs: lists that a server sends, damaged ones included", () => {
  const runs = [{ name: "a", progress: "runs/1/progress.jsonl" }];
  assert.deepEqual(listedRuns({ runs: [...runs, null, 7, { name: "b" }, { progress: "c" }] }), runs);
  for (const list of [null, undefined, {}, { run: "run/progress.jsonl" }, { runs: 7 }, { runs: {} }]) {
    assert.deepEqual(listedRuns(list), []);
  }
});

await report.check("runs: a free sign is taken again, and files are limited", async () => {
  assert.equal(freeSlot([{ slot: 0 }, { slot: 2 }]), 1);
  assert.deepEqual([0, 25, 26].map((slot) => new Run("", slot).letter), ["A", "Z", "27"]);
  await assert.rejects(textOf({ size: 2 ** 30, text: () => assert.fail() }), /16 MB/);
});

await report.check("headline: runs with and without scores", () => {
  assert.equal(headline(checkpoint("4x4")), "Generation 190 after 28,500 games and 3 h 11 min. Latest score 97.0\u00a0% "
    + "(best edges after searching), best so far 98.5\u00a0% at generation 155. No clear change in its last 20 scores, "
    + "but still improving: best edges at first sight, the expected result.");
  assert.match(headline(checkpoint("5x5-small")),
    /^Generation 250 after 100,000 games and 2 h 25 min\. It has no suite scores\. In its own/);
  assert.match(headline(checkpoint("3x3")), /, but still improving: best edges at first sight, the expected result\.$/);
  const scored = (scores) =>
    headline(runOf(scores.map((score, at) => ({ generation: at + 1, suite_margin_error: score }))));
  assert.match(scored([3, 2.5, 2.1, 1.5, 1, 0.6]),
    /score 0.60\u00a0boxes \(the expected result\), its best so far\. It is still improving\.$/);
  assert.match(scored([1, 2, 3.1, 4, 5]),
    /best so far 1.00\u00a0boxes at generation 1\. It got worse over its last 5 scores\.$/);
  assert.match(scored([1, 2]), /Too few scores/);
  assert.equal(headline(runOf([{ generation: 1 }])), "Generation 1. It has no suite scores.");
  assert.match(headline(runOf("")), /^Waiting for the first generation/);
  assert.deepEqual([45, 700, 8728, 273_600].map(timeWords), ["45 s", "12 min", "2 h 25 min", "3 d 4 h"]);
});

await report.check("faults: damage is told, with what is kept", () => {
  const good = lines([{ generation: 1 }, { generation: 2 }]);
  assert.equal(faultWords(runOf(good)), "");
  assert.match(faultWords(runOf(`x\n${good}`)),
    /^Line 1 is damaged and left out; the 2 generations of the other lines are shown\.$/);
  assert.match(faultWords(runOf(`${"x\n".repeat(7)}${good}`)),
    /^7 lines are damaged and left out \(1, 2, 3, 4, 5 …\)/);
  assert.match(faultWords(runOf(`${good}{"gen`)), /ends within a line/);
  assert.equal(faultWords(Object.assign(runOf(`${good}{"gen`), { address: "a" })), "");
  assert.match(faultWords(Object.assign(runOf(good), { error: "404" })), /can no longer be read: 404.*still shown/);
});

report.end();
