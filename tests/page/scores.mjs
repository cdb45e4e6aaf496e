// Checks of what the page stores: games and their results, high scores, stars, export and import.
import { readdirSync, readFileSync } from "node:fs";
import { assert, Report, storageOf } from "./report.mjs";
import { site } from "./site.mjs";

const { exportAll, importAll, namesOfAll } = await site("scores/all-stored.js");
const { Progress } = await site("learn/course.js");
const { Diary } = await site("learn/daily.js");
const { dateWords, timeWords } = await site("scores/games-table.js");
const { LESSONS } = await site("learn/lessons.js");
const { addResult, nameIn, readResults, resultsIn, scoreOf, setComment, starsOf, tally } = await site("scores/results.js");
const { BestScores } = await site("learn/rush.js");
const { Table } = await site("play/table.js");
const { Board } = await site("doublecross/rules.js");

const report = new Report();

const base = { board: "3x3", strength: "level:1", seat: 0, margin: 3, date: "2026-01-01T00:00:00.000Z", helps: [] };
const MOVES = "00010203";

/** Returns a result with the date of the `at`th game. */
const game = (at, changes = {}) =>
  ({ ...base, date: new Date(Date.UTC(2026, 0, 1) + at * 60_000).toISOString(), moves: MOVES, seconds: 60, ...changes });

/** Makes a storage refuse texts once all of them together are longer than this, as a full one does. */
function limit(storage, most) {
  const { setItem } = storage;
  storage.setItem = (key, text) => {
    const others = textsOf(storage).filter(([name]) => name !== key);
    if ([...others, [key, text]].reduce((sum, [, { length }]) => sum + length, 0) > most) throw new Error("the quota is exceeded");
    setItem(key, text);
  };
}

const textsOf = (storage) =>
  Array.from({ length: storage.length }, (_, at) => [storage.key(at), storage.getItem(storage.key(at))]);

const stored = (storage, name) => JSON.parse(storage.getItem(`doublecross.${name}`));

/** Returns a storage with something of everything that the page stores. */
function full() {
  const storage = storageOf();
  addResult(game(1, { name: "Ada", comment: "close" }), storage);
  addResult(game(2, { margin: -1, helps: ["hint"] }), storage);
  nameIn(storage).update(() => "Ada");
  for (const lesson of LESSONS.slice(0, 2)) new Progress(storage).add(lesson);
  new Diary(storage).note("2026-01-02", { mistakes: 1, solved: true, onDay: true, shown: false });
  new BestScores(storage).add({ timed: false, score: 7 });
  storage.setItem("doublecross.settings", '{"opponent":"level:4"}');
  storage.setItem("doublecross.theme", "dark");
  storage.setItem("doublecross.sound", "true");
  storage.setItem("doublecross.later", "[1]");
  storage.setItem("other", "not of the page");
  return storage;
}

await report.check("results: moves, time, name and comment are kept, and older ones stay valid", () => {
  const storage = storageOf("results", JSON.stringify([base]));
  assert.equal(addResult(game(1, { name: "Ada" }), storage), null);
  assert.equal(addResult(game(2, { name: "", seconds: null }), storage), null);
  const [old, first, second] = readResults(storage).results;
  assert.deepEqual(old, base);
  assert.deepEqual([first.moves, first.seconds, first.name], [MOVES, 60, "Ada"]);
  assert.deepEqual([second.moves, second.seconds, second.name], [MOVES, undefined, undefined]);
  for (const result of [old, first]) assert.equal(setComment(result, "a".repeat(250), storage), null);
  assert.deepEqual(readResults(storage).results.map(({ comment }) => comment?.length), [200, 200, undefined]);
  setComment(old, "", storage);
  assert.deepEqual(readResults(storage).results[0], base);
});

await report.check("results: damaged parts of a result are left out, and impossible ones", () => {
  const damaged = { ...game(1), moves: "0", seconds: "long", name: 7, comment: ["x"] };
  const impossible = [{ margin: 11 }, { margin: 2 }, { board: "0x3" }, { helps: [{}] }, { seat: 2 }, { board: 3 }];
  const storage = storageOf("results", JSON.stringify([damaged, ...impossible.map((changes) => ({ ...base, ...changes }))]));
  const { results, fault } = readResults(storage);
  assert.deepEqual(results, [{ ...base, date: damaged.date }]);
  assert.match(fault, /damaged results are left out/);
});

await report.check("results: two thousand games fit, and a full storage drops old moves before it refuses a result", () => {
  const storage = storageOf();
  const moves = MOVES.repeat(15);
  const many = Array.from({ length: 2000 }, (_, at) => game(at, { moves, name: "Ada", comment: "c".repeat(80) }));
  storage.setItem("doublecross.results", JSON.stringify(many));
  const { length } = storage.getItem("doublecross.results");
  assert.ok(length < 1_000_000, `${length} characters`);
  assert.equal(addResult(game(2000, { moves }), storage), null);
  limit(storage, storage.getItem("doublecross.results").length + 100);
  const words = addResult(game(2001, { moves }), storage);
  assert.match(words, /^The moves of \d+ old games were dropped: this browser has no room/);
  const { results } = readResults(storage);
  const without = results.filter((result) => !result.moves);
  assert.equal(results.length, 2002);
  assert.deepEqual(without, results.slice(0, without.length));
  assert.equal(without.length, Number(/\d+/.exec(words)[0]));
  assert.ok(without.length >= 16 && without.length < 400 && without[0].comment.length === 80);
  // Once no moves are left, a result that cannot be stored is shown as long as the page, and that is said.
  const small = storageOf("results", JSON.stringify([base]));
  limit(small, JSON.stringify([base]).length + 10);
  assert.match(addResult(game(1), small), /cannot be stored in this browser: the quota is exceeded/);
  assert.deepEqual(stored(small, "results"), [base]);
});

await report.check("results: long texts become lighter so that they leave room", () => {
  const storage = storageOf();
  const many = Array.from({ length: 6000 }, (_, at) => game(at, { moves: MOVES.repeat(45) }));
  storage.setItem("doublecross.results", JSON.stringify(many));
  assert.match(addResult(game(6000), storage), /old games were dropped/);
  assert.ok(storage.getItem("doublecross.results").length <= 2_000_000);
  assert.equal(readResults(storage).results.length, 6001);
});

await report.check("high scores: games, shares, means and the best games, without helped ones", () => {
  const results = [
    game(1, { margin: 5, seconds: 90 }), game(3, { margin: 5, seconds: 80 }), game(2, { margin: 5, seconds: 80 }),
    game(4, { margin: 9, helps: ["undo"] }), game(5, { margin: -3, seconds: undefined }), game(6, { board: "2x2", margin: 0 }),
  ];
  const [row, other] = tally(results);
  const { best, ...figures } = row;
  assert.deepEqual(figures, { strength: "level:1", board: "3x3", games: 4, won: 3, lost: 1, tied: 0, share: 0.75, mean: 3 });
  assert.deepEqual(best, [results[2], results[1], results[0]]);
  assert.deepEqual([other.board, other.tied, other.share, other.best], ["2x2", 1, 0, [results[5]]]);
  assert.deepEqual(tally([]), []);
  assert.deepEqual([scoreOf(results[0]), scoreOf(results[4])], [[7, 2], [3, 6]]);
});

await report.check("stars: one for each kind of board, by wins without help", () => {
  const stars = (...results) => starsOf(results.map((changes) => ({ ...base, ...changes })), "level:1");
  assert.equal(stars(), 0);
  assert.equal(stars({}), 1);
  assert.equal(stars({}, { board: "2x2", margin: 4 }), 1);
  assert.equal(stars({ board: "2x5", margin: 2 }), 1);
  assert.equal(stars({}, { board: "4x6", margin: 2 }, { board: "5x5", margin: 1 }), 3);
  assert.equal(stars({ board: "9x9", margin: 1 }, { board: "5x5", margin: 3 }), 1);
  for (const changes of [{ helps: ["hint"] }, { margin: -1 }, { board: "2x2", margin: 0 }, { strength: "level:2" }]) {
    assert.equal(stars(changes), 0);
  }
});

await report.check("words: times and dates", () => {
  const words = { 0: "0:00", 59.6: "1:00", 200: "3:20", 3599.7: "1:00:00", 3800: "1:03:20" };
  for (const [seconds, time] of Object.entries(words)) assert.equal(timeWords(Number(seconds)), time);
  assert.equal(timeWords(undefined), "");
  assert.equal(dateWords("2026-01-01T12:00:00Z"), "Jan 1, 2026");
  assert.equal(dateWords("?"), "?");
});

await report.check("table: the time of a game counts from its first move", () => {
  const table = new Table(new Board(1, 1), ["person", "level:1"]);
  assert.equal(table.duration, null);
  table.since -= 5000;
  table.play(0);
  assert.equal(table.duration, 0);
  table.since -= 2000;
  table.play(1);
  assert.ok(table.duration >= 2 && table.duration < 3);
  const later = new Table(table.board, ["person", "level:1"], table.games);
  later.play(2);
  assert.equal(later.duration, null);
});

await report.check("stored: every value that the page stores is listed", () => {
  const names = new Set();
  const folder = new URL("../../site/", import.meta.url);
  for (const file of readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".js"))) {
    const text = readFileSync(new URL(file, folder), "utf8");
    for (const [, name] of text.matchAll(/(?:new StoredValue|settingText)\(\s*"([^"]*)"/g)) names.add(name);
    assert.doesNotMatch(text, /"doublecross\.[a-z]/, file);
  }
  assert.ok(names.size >= 8);
  assert.deepEqual(namesOfAll().sort(), [...names].sort());
});

await report.check("export and import: all of it comes to another browser, and twice changes nothing", () => {
  const [from, to] = [full(), storageOf()];
  const file = exportAll(from);
  const { added, left } = importAll(file, to);
  assert.deepEqual(left, []);
  assert.deepEqual(added.sort(), ["best scores", "daily puzzles", "games", "later", "settings", "settings of the name", "sound",
    "steps done", "theme"]);
  const own = ([key]) => key.startsWith("doublecross.");
  const sorted = (storage) => textsOf(storage).filter(own).sort();
  assert.deepEqual(sorted(to), sorted(from));
  assert.deepEqual(importAll(file, to), { added: [], left: [] });
  assert.deepEqual(sorted(to), sorted(from));
  assert.deepEqual(importAll(exportAll(to), from), { added: [], left: [] });
  assert.equal(to.getItem("other"), null);
});

await report.check("import: a game under way is taken where there is none", () => {
  const game = '{"whole":"3x3/00","seats":["person","greedy"],"helps":[],"duration":1}';
  const [from, to] = [storageOf("game", game), storageOf("game", "")];
  // An empty text, as earlier versions stored it, is no game.
  assert.deepEqual(importAll(exportAll(to), storageOf()), { added: [], left: [] });
  assert.deepEqual(importAll(exportAll(from), to), { added: ["the game under way"], left: [] });
  assert.equal(to.getItem("doublecross.game"), game);
});

await report.check("import: what is stored is merged, and never replaced", () => {
  const [from, to] = [full(), storageOf()];
  addResult(game(0), to);
  addResult(game(1, { comment: "mine" }), to);
  addResult({ ...game(2, { margin: -1, helps: ["hint"] }), moves: undefined }, to);
  addResult(game(3), to);
  nameIn(to).update(() => "Grace");
  new Progress(to).add(LESSONS[5]);
  const diary = new Diary(to);
  diary.note("2026-01-01", { mistakes: 0, solved: true, onDay: true, shown: false });
  diary.note("2026-01-02", { mistakes: 0, solved: false, onDay: true, shown: true });
  new BestScores(to).add({ timed: false, score: 3 });
  new BestScores(to).add({ timed: true, score: 9 });
  to.setItem("doublecross.theme", "light");
  assert.deepEqual(importAll(exportAll(from), to).left, []);
  const { results } = readResults(to);
  assert.deepEqual(results.map(({ date }) => date), [0, 1, 2, 3].map((at) => game(at).date));
  assert.deepEqual([results[1].comment, results[1].name, results[2].moves], ["mine", "Ada", MOVES]);
  assert.equal(nameIn(to).value, "Grace");
  assert.equal(new Progress(to).count, 3);
  assert.deepEqual(stored(to, "rush"), { free: 7, timed: 9 });
  assert.equal(new Diary(to).streak("2026-01-02"), 2);
  assert.equal(to.getItem("doublecross.theme"), "light");
  assert.equal(to.getItem("doublecross.settings"), '{"opponent":"level:4"}');
});

await report.check("import: days of both, whichever came first", () => {
  const day = "2026-01-02";
  const entries = {
    tried: { mistakes: 2, solved: false, onDay: false, shown: false }, wrong: { mistakes: 1, solved: false, onDay: false, shown: false },
    seen: { mistakes: 0, solved: false, onDay: true, shown: true }, late: { mistakes: 3, solved: true, onDay: false, shown: false },
    solved: { mistakes: 1, solved: true, onDay: true, shown: false },
  };
  const merged = (mine, theirs) => {
    const to = storageOf("daily", JSON.stringify({ days: { [day]: entries[mine] } }));
    importAll(exportAll(storageOf("daily", JSON.stringify({ days: { [day]: entries[theirs] } }))), to);
    return stored(to, "daily").days[day];
  };
  assert.deepEqual(merged("wrong", "tried"), entries.tried);
  assert.deepEqual(merged("tried", "seen"), entries.seen);
  assert.deepEqual(merged("seen", "tried"), entries.seen);
  assert.deepEqual(merged("seen", "late"), entries.late);
  assert.deepEqual(merged("late", "seen"), entries.late);
  assert.deepEqual(merged("late", "solved"), { ...entries.late, onDay: true });
  assert.deepEqual(merged("solved", "late"), entries.solved);
});

await report.check("import: files that are damaged or of another program are refused, and nothing changes", () => {
  const storage = full();
  const before = textsOf(storage);
  const file = exportAll(storage);
  const other = (changes) => JSON.stringify({ ...JSON.parse(file), ...changes });
  const bad = {
    "": /not JSON/, "{": /not JSON/, [file.slice(0, -20)]: /a part of it is missing/,
    null: /not exported/, 7: /not exported/, "[]": /not exported/, '{"results":[]}': /not exported/, [other({ program: "other" })]: /not exported/, [other({ version: 2 })]: /newer page/,
    [other({ stored: [] })]: /no list/, [other({ stored: null })]: /no list/, [other({ texts: 7 })]: /no list/,
  };
  for (const [text, reason] of Object.entries(bad)) assert.throws(() => importAll(text, storage), reason, text.slice(0, 30));
  assert.deepEqual(textsOf(storage), before);
});

await report.check("import: a file that is partly damaged is read in part, and nothing stored is lost", () => {
  const storage = full();
  const before = textsOf(storage);
  const solved = { mistakes: 0, solved: true, onDay: true, shown: false };
  const file = (stored, texts = {}) => JSON.stringify({ program: "doublecross page", version: 1, stored, texts });
  const { added, left } = importAll(file({
    results: [null, { board: "3x3" }, game(9, { name: 7, comment: "c".repeat(300) })], course: { done: 7 }, rush: { free: "x" },
    daily: { days: { "2026-02-30": {}, "2026-02-03": { mistakes: -1 }, "2026-02-04": solved } }, name: 7, "../x": 1,
  }, { "results.damaged": 7, theme: "light" }), storage);
  assert.deepEqual(added, ["games", "daily puzzles"]);
  assert.deepEqual(left, [
    "games: 2 damaged parts", "steps done: it has no list of steps", "best scores: a score is not a number",
    "daily puzzles: 2 damaged parts", "settings of the name: it is not a text", "../x: it is damaged", "games: it is damaged",
  ]);
  const { results } = readResults(storage);
  assert.deepEqual([results.length, results[2].name, results[2].comment.length], [3, undefined, 200]);
  assert.equal(new Diary(storage).of("2026-02-04").solved, true);
  for (const [key, text] of before) if (!/results|daily/.test(key)) assert.equal(storage.getItem(key), text, key);
});

await report.check("export and import: damaged texts stay aside, and come along", () => {
  const from = storageOf("results", "{{damaged");
  from.setItem("doublecross.rush", "7");
  const file = exportAll(from);
  assert.deepEqual(JSON.parse(file).texts, { results: "{{damaged", "results.damaged": "{{damaged", "rush.damaged": "7" });
  const to = full();
  const before = readResults(to).results;
  const { added, left } = importAll(file, to);
  assert.deepEqual(added.sort(), ["best scores", "games"]);
  assert.deepEqual(left, ["best scores: it has no scores", "games: it is not JSON"]);
  assert.deepEqual([readResults(to).results, readResults(to).aside], [before, ["{{damaged"]]);
  assert.deepEqual(importAll(file, to).added, []);
  assert.equal(to.getItem("doublecross.results.damaged2"), null);
});

await report.check("import: in a full storage, moves of the file are dropped and those that are stored stay", () => {
  const from = storageOf("results", JSON.stringify(Array.from({ length: 200 }, (_, at) => game(1000 + at, { moves: MOVES.repeat(15) }))));
  const to = storageOf("results", JSON.stringify([game(1), game(2)]));
  limit(to, 35_000);
  const { added, left } = importAll(exportAll(from), to);
  assert.deepEqual(added, ["games"]);
  assert.match(left.join(), /^games: the moves of \d+ old games, for which this browser has no room$/);
  const { results } = readResults(to);
  assert.equal(results.length, 202);
  assert.ok(results[0].moves && results[1].moves && !results[2].moves && results.at(-1).moves);
  // Where not even their results fit, all is left as it was, and later results can be stored.
  const small = storageOf("results", JSON.stringify([game(1), game(2)]));
  limit(small, 2000);
  assert.match(importAll(exportAll(from), small).left.join(), /^games: The games cannot be stored .*quota is exceeded/);
  assert.equal(addResult(game(3), small), null);
  assert.equal(readResults(small).results.length, 3);
  const kept = resultsIn(small);
  assert.throws(() => kept.take(JSON.parse(exportAll(from)).stored.results), /quota is exceeded/);
  kept.update((results) => [...results, game(4)]);
  assert.deepEqual([kept.fault, readResults(small).results.length], [null, 4]);
});

await report.check("export and import: without a storage, that is said", () => {
  const refuse = () => {
    throw new Error("forbidden");
  };
  const blocked = { length: 0, key: () => null, getItem: refuse, setItem: refuse, removeItem: refuse };
  assert.deepEqual(JSON.parse(exportAll(blocked)).stored, {});
  const { added, left } = importAll(exportAll(full()), blocked);
  assert.deepEqual(added, []);
  assert.ok(left.length === 9 && left.every((words) => words.includes("forbidden")), left.join());
});

report.end();
