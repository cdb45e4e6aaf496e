// Checks of the puzzles, which need no browser: the file, the choice of the day, the diary and the
// rush.
import { readFileSync } from "node:fs";
import { assert, Report, storageOf } from "./report.mjs";
import { site } from "./site.mjs";
import { solver } from "./solve.mjs";

const { puzzleTask, puzzleWords, readPuzzles, solutionWords } = await site("learn/puzzles.js");
const { dayOf, daysAfter, dayWords, Diary, hasPuzzle, indexOf, shareWords } = await site("learn/daily.js");
const { Progress } = await site("learn/course.js");
const { LESSONS } = await site("learn/lessons.js");
const { BestScores, MOST_MISTAKES, Rush, rushOrder, TIME_MS } = await site("learn/rush.js");

/** The most undrawn edges of the puzzles that are searched here. */
const MOST_UNDRAWN = 14;

const FILE = readFileSync(new URL("../../site/puzzles.json", import.meta.url), "utf8");
const report = new Report();

const refuse = () => {
  throw new Error("forbidden");
};

await report.check("puzzles: the file is sound", () => {
  const { puzzles, damaged } = readPuzzles(FILE);
  assert.equal(damaged, 0);
  assert.equal(new Set(puzzles.map(({ id }) => id)).size, puzzles.length);
  for (let at = 0; at < puzzles.length; at++) assert.ok(solutionWords(puzzles[at]).length > 0);
});

await report.check("puzzles: one move wins, with the margin that is listed", () => {
  let searched = 0;
  for (const { games, edges, margin, next } of readPuzzles(FILE).puzzles) {
    const game = games.at(-1);
    if (game.undrawn().length > MOST_UNDRAWN) continue;
    searched += 1;
    const value = solver(game.board);
    for (const edge of game.undrawn()) {
      const after = game.play(edge);
      const lead = after.mover === game.mover ? value(after) : -value(after);
      if (edges.includes(edge)) assert.equal(lead, margin);
      else assert.ok(lead <= next, `${game.board.nameOf(edge)} leads by ${lead}`);
    }
  }
  console.log(`ok ${searched} puzzles were searched`);
});

await report.check("puzzles: the words tell how many lines win", () => {
  const { puzzles } = readPuzzles(FILE);
  const having = (number) => ({ ...puzzles.find(({ edges }) => edges.length === number), margin: 3, next: -2 });
  assert.match(puzzleWords(having(1)), /^You are (Blue|Orange)\. Only one line wins\. Find it\.$/);
  assert.match(puzzleWords(having(2)), / Two lines win equally\. Find one\.$/);
  assert.match(puzzleWords(having(4)), / Four lines win equally\. Find one\.$/);
  assert.equal(solutionWords(having(1)), "With best play, it wins by 3 boxes. Every other line loses by 2 or more.");
  assert.equal(solutionWords(having(2)), "With best play, it wins by 3 boxes, like the other equivalent line. "
    + "All others lose by 2 or more.");
  assert.equal(solutionWords(having(4)), "With best play, it wins by 3 boxes, like the other three equivalent lines. "
    + "All others lose by 2 or more.");
  assert.match(solutionWords({ ...having(2), next: 0 }), /equivalent line\. No other line gets more than a tie\.$/);
  assert.match(solutionWords({ ...having(1), next: 0 }), /boxes\. No other line gets more than a tie\.$/);
});

await report.check("puzzles: what is damaged is left out or refused", () => {
  const [sound] = JSON.parse(FILE).puzzles;
  const bad = [null, 7, {}, { ...sound, game: "5x5/0" }, { ...sound, game: "../x" }, { ...sound, edges: [] },
    { ...sound, edges: ["H9,9"] }, { ...sound, edges: "H0,0" }, { ...sound, margin: 0 }, { ...sound, margin: "3" },
    { ...sound, next: 1 }, { ...sound, level: 0 }, { ...sound, level: 11 }, { ...sound, game: undefined }];
  const file = (puzzles) => JSON.stringify({ format: 1, puzzles });
  const { puzzles, damaged } = readPuzzles(file([...bad, sound]));
  assert.deepEqual([puzzles.length, damaged], [1, bad.length]);
  const torn = FILE.slice(0, 90);
  for (const text of ["", "[]", "null", file(bad), file([]), file({}), '{"format":2,"puzzles":[]}', torn]) {
    assert.throws(() => readPuzzles(text), Error);
  }
});

await report.check("puzzles: an answer that is proved to win counts, and one that is not does not", async () => {
  const [puzzle] = readPuzzles(FILE).puzzles;
  const game = puzzle.games.at(-1);
  const [other] = game.undrawn().filter((edge) => !puzzle.edges.includes(edge));
  const judging = (lower, upper) => ({
    analyze: async () => ({ edges: [{ edge: game.board.nameOf(other), lower, upper }] }),
  });
  const isRight = (edge, grader) => puzzleTask(puzzle).grade(grader, game, edge);
  assert.equal(await isRight(puzzle.edges[0], { analyze: refuse }), true);
  assert.equal(await isRight(other, judging(1, 9)), true);
  assert.equal(await isRight(other, judging(-1, 9)), false);
  assert.equal(await isRight(other, judging(-9, 0)), false);
});

await report.check("daily: each day has its puzzle, and all come before one comes again", () => {
  assert.equal(dayOf(Date.UTC(2025, 10, 25, 23, 59)), "2025-11-25");
  assert.equal(daysAfter("2024-02-28", 1), "2024-02-29");
  for (const number of [1, 2, 12, 97, 300]) {
    const days = Array.from({ length: number }, (_, at) => indexOf(daysAfter("2025-12-30", at), number));
    assert.deepEqual([...days].sort((a, b) => a - b), Array.from({ length: number }, (_, at) => at));
  }
  const today = "2025-11-25";
  for (const day of [today, "2025-11-24", "2025-01-01"]) assert.ok(hasPuzzle(day, today), day);
  const others = ["2025-11-26", "2023-01-01", "2025-02-30", "2025-13-01", "x"];
  for (const day of others) assert.ok(!hasPuzzle(day, today), day);
  assert.equal(dayWords("2025-11-05", today), "November 5");
  assert.equal(dayWords("2024-12-31", today), "December 31, 2024");
});

await report.check("daily: the text to share", () => {
  const text = (mistakes) => shareWords("2025-11-25", "2025-11-25", { mistakes });
  assert.equal(text(0), "doublecross puzzle, November 25: solved on the first try");
  assert.equal(text(1), "doublecross puzzle, November 25: solved on the second try");
  assert.equal(text(7), "doublecross puzzle, November 25: solved after 7 mistakes");
});

await report.check("daily: the streak counts days that were solved on the day", () => {
  const storage = storageOf();
  const diary = new Diary(storage);
  const today = "2025-03-02";
  for (const day of ["2025-02-26", "2025-02-28", "2025-03-01"]) diary.note(day, { solved: true, onDay: true });
  assert.equal(diary.streak(today), 2);
  diary.note(today, { solved: true, onDay: true, mistakes: 2 });
  diary.note("2025-02-27", { solved: true, onDay: false });
  assert.equal(new Diary(storage).streak(today), 3);
  assert.equal(diary.of(today).mistakes, 2);
  assert.equal(diary.streak("2025-03-04"), 0);
  for (const text of ["{{", "7", '{"days":7}', '{"days":{"2025-03-02":7,"x":{}}}']) {
    assert.equal(new Diary(storageOf("daily", text)).streak(today), 0);
  }
  assert.match(new Diary({ getItem: refuse, setItem: refuse }).fault, /forbidden/);
});

await report.check("rush: the order rises, and has every puzzle once", () => {
  const puzzles = Array.from({ length: 60 }, (_, at) => ({ id: at, level: 1 + (at % 8) }));
  const order = rushOrder(puzzles);
  assert.equal(new Set(order).size, puzzles.length);
  const levels = order.map(({ level }) => level);
  assert.deepEqual(levels.slice(0, 24), [1, 2, 3, 4, 5, 6, 7, 8].flatMap((level) => [level, level, level]));
  assert.deepEqual(levels.slice(24), levels.slice(24).sort((a, b) => b - a));
  assert.notDeepEqual(rushOrder(puzzles, () => 0.5).map(({ id }) => id), order.map(({ id }) => id));
});

await report.check("rush: three mistakes, the last puzzle or the clock end it", () => {
  const puzzles = Array.from({ length: 6 }, (_, at) => ({ id: at, level: 1 }));
  const answered = (rush, answers) => {
    for (const right of answers) rush.answer(right);
    return rush;
  };
  const lost = answered(new Rush(puzzles), [true, false, true, false]);
  assert.ok(!lost.isOver(0));
  lost.answer(false);
  assert.ok(lost.isOver(0));
  assert.deepEqual([lost.score, lost.missed.map(({ id }) => id)], [2, [1, 3, 4]]);
  assert.equal(lost.missed.length, MOST_MISTAKES);
  assert.ok(answered(new Rush(puzzles), [true, true, true, true, true, true]).isOver(0));
  const timed = new Rush(puzzles, TIME_MS);
  assert.deepEqual([timed.isOver(TIME_MS - 1), timed.isOver(TIME_MS)], [false, true]);
});

await report.check("rush: the best scores are kept", () => {
  const storage = storageOf();
  const scores = new BestScores(storage);
  assert.deepEqual([3, 2, 5].map((score) => scores.add({ timed: false, score })), [true, false, true]);
  assert.ok(scores.add({ timed: true, score: 1 }));
  assert.deepEqual([new BestScores(storage).of(false), new BestScores(storage).of(true)], [5, 1]);
  const damaged = new BestScores(storageOf("rush", '{"free":"x","timed":-1}'));
  assert.equal(damaged.of(false), 0);
  assert.match(damaged.fault, /best scores in this browser cannot be read.*kept aside/);
});

await report.check("storage: two tabs keep what both have earned", () => {
  const storage = storageOf();
  const solved = { mistakes: 0, solved: true, onDay: true };
  const [diary, other] = [new Diary(storage), new Diary(storage)];
  for (const day of ["2026-11-26", "2026-11-27"]) other.note(day, solved);
  diary.note("2026-11-28", solved);
  for (const one of [diary, other, new Diary(storage)]) assert.equal(one.streak("2026-11-28"), 3);
  // What is solved stays so, and mistakes of both are the most of one.
  other.note("2026-11-28", { mistakes: 3 });
  diary.note("2026-11-25", { mistakes: 2 });
  other.note("2026-11-25", { mistakes: 1 });
  assert.deepEqual(["2026-11-28", "2026-11-25"].map((day) => diary.of(day).mistakes), [0, 2]);
  const [scores, others] = [new BestScores(storage), new BestScores(storage)];
  assert.ok(others.add({ timed: false, score: 50 }));
  assert.ok(!scores.add({ timed: false, score: 3 }));
  assert.equal(scores.of(false), 50);
  const [progress, another] = [new Progress(storage), new Progress(storage)];
  another.add(LESSONS[0]);
  progress.add(LESSONS[1]);
  assert.deepEqual([progress.count, another.count], [2, 2]);
});

await report.check("storage: what cannot be stored now is stored with the next change", () => {
  const storage = storageOf();
  const scores = new BestScores(storage);
  const { setItem } = storage;
  storage.setItem = refuse;
  scores.add({ timed: false, score: 3 });
  assert.match(scores.fault, /cannot be stored in this browser: forbidden/);
  assert.equal(scores.of(false), 3);
  storage.setItem = setItem;
  new BestScores(storage).add({ timed: false, score: 2 });
  scores.add({ timed: true, score: 1 });
  assert.equal(scores.fault, null);
  assert.deepEqual([new BestScores(storage).of(false), new BestScores(storage).of(true)], [3, 1]);
});

report.end();
