// Checks of the arena's modules that need no browser: `node arena.mjs PROGRAM`. Ratings are compared with
// those of the program.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { botModule } from "./bot-module.mjs";
import { assert, Report } from "./report.mjs";
import { site } from "./site.mjs";

const { Board, Game } = await site("doublecross/rules.js");
const { distinctOf, ladderOf, pointsOf } = await site("arena/standings.js");
const { readLog, writeGame } = await site("share/match-log.js");
const { moduleOfFile } = await site("arena/own-bot.js");
const { observationOf, playGame, randomOpening, roundRobin } = await site("arena/referee.js");
const { isSafe } = await site("analysis/shapes.js");

const [program] = process.argv.slice(2);
if (!program) {
  console.error("usage: node arena.mjs PROGRAM");
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), "page-arena-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const report = new Report();

/** Returns a source of numbers from 0 to 1 that the seed determines. */
function randomOf(seed) {
  let state = seed;
  return () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
}

/** A player that takes boxes with a probability of its `skill`, and fails with one of 1/20 if it is `faulty`. */
const player = (skill, random, faulty = false) => ({
  choose: async (game) => {
    if (faulty && random() < 0.05) return null;
    const edges = game.undrawn();
    const taking = edges.filter((edge) => game.play(edge).captured.length);
    const choices = taking.length && random() < skill ? taking : edges;
    return choices[Math.floor(random() * choices.length)];
  },
});

const SKILLS = { one: 0, two: 0.5, three: 1, four: 0.8, five: 0.2, "six, ½": 0.9, seven: 0.4 };

/** Plays some games between each two bots of these meetings, and returns them as the arena keeps them. */
async function gamesOf(meetings, each, seed, { board = "2x2", repeats = 0, opening = 2 } = {}) {
  const random = randomOf(seed);
  const games = [];
  for (const names of meetings) {
    for (let number = 0; number < each; number++) {
      const seats = number % 2 ? [...names].reverse() : names;
      const players = seats.map((name) => player(SKILLS[name], random, name === "two"));
      const edges = randomOpening(Board.parse(board), opening, random);
      const { game, faults, ...times } = await playGame(Board.parse(board), players, 5, edges);
      const line = writeGame({ game, names: seats, nonce: 5, opening: edges.length, faults, ...times });
      games.push({ names: seats, moves: game.moves, scores: game.scores, faults, line });
    }
  }
  return [...games, ...games.slice(0, repeats)];
}

/** Returns what the program's leaderboard says of games: its table, and its rows. */
function leaderboard(games) {
  const log = join(folder, "arena.jsonl");
  writeFileSync(log, games.map(({ line }) => line).join(""));
  const options = { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] };
  const run = (...more) => execFileSync(program, ["leaderboard", log, ...more], options);
  const words = (line) => line.trim().replace(/ +[\d.]+ %/, "").split(/ {2,}/).join("  ");
  return { table: run().trim().split("\n").slice(1).map(words), rows: JSON.parse(run("--json")).bots };
}

/** Returns the rows of a ladder as the program prints them, without the share of points. */
function printed(rows) {
  const elo = (value) => `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(0)}`;
  return rows.map((row, at) => [at + 1, row.name, elo(row.elo), row.half.toFixed(0), row.games, row.faults].join("  "));
}

const all = (...names) => names.flatMap((a, at) => names.slice(at + 1).map((b) => [a, b]));

const LOGS = {
  "two bots": [all("one", "three"), 20, 1],
  "two bots, all games won": [[["one", "three"]], 6, 3, { board: "1x1", opening: 0 }],
  "three bots with ties and faults": [all("one", "two", "three"), 30, 7],
  "five bots": [all("one", "two", "three", "four", "five"), 12, 11, { board: "3x3", opening: 6 }],
  "five bots, not all of whom met": [[["one", "two"], ["two", "three"], ["three", "four"], ["four", "five"]], 16, 5],
  "groups that never met": [[["four", "one"], ["six, ½", "two"], ["two", "five"], ["seven", "three"]], 10, 13],
  "a bot against itself, and repeated games": [[["one", "one"], ["one", "two"], ["two", "three"]], 10, 17, { repeats: 12 }],
};

for (const [name, meetings] of Object.entries(LOGS)) {
  await report.check(`ratings are those of the program: ${name}`, async () => {
    const games = await gamesOf(...meetings);
    const ladder = ladderOf(distinctOf(games));
    const { table, rows } = leaderboard(games);
    assert.deepEqual(printed(ladder), table);
    ladder.forEach((row, at) => {
      const { elo, half, ...counts } = row;
      const { bot, board, score, elo: itsElo, half: itsHalf, ...itsCounts } = rows[at];
      assert.deepEqual(counts, { name: bot, ...itsCounts, lost: itsCounts.games - itsCounts.won - itsCounts.tied });
      // The exponential function of another machine may differ in its last digit.
      assert.ok(Math.abs(elo - itsElo) < 1e-9 && Math.abs(half - itsHalf) < 1e-9, `${bot}: ${elo} and ${itsElo}`);
    });
  });
}

await report.check("the ladder: a rating of every bot has a finite interval", async () => {
  assert.deepEqual(ladderOf([]), []);
  const won = { names: ["a", "b"], scores: [3, 1], faults: [0, 2], moves: [] };
  const [a, b] = ladderOf(Array.from({ length: 50 }, () => won));
  assert.ok(a.elo > 100 && Number.isFinite(a.elo) && Number.isFinite(a.half));
  assert.deepEqual([b.lost, b.faults, a.faults], [50, 100, 0]);
});

await report.check("points: both seats count, and a tie is half a point", () => {
  const game = (names, scores) => ({ names, scores });
  const points = pointsOf([game(["a", "b"], [3, 1]), game(["b", "a"], [2, 2]), game(["c", "a"], [4, 0])]);
  assert.deepEqual(points.get("a").get("b"), { points: 1.5, games: 2 });
  assert.deepEqual(points.get("b").get("a"), { points: 0.5, games: 2 });
  assert.deepEqual([points.get("a").get("c").points, points.get("b").get("c")], [0, undefined]);
});

await report.check("games: repeated ones are those with the same bots, seats and moves", () => {
  const game = (names, moves) => ({ names, moves });
  const games = [game(["a", "b"], [1, 2]), game(["b", "a"], [1, 2]), game(["a", "b"], [1, 2]), game(["a", "b"], [12])];
  assert.deepEqual(distinctOf(games), [games[0], games[1], games[3]]);
});

await report.check("referee: every two meet in both seats from each opening, one pair of games after another", () => {
  const games = roundRobin(4, 6);
  assert.equal(games.length, 6 * 6);
  assert.deepEqual(games.slice(0, 3), [{ pair: 0, seats: [0, 1] }, { pair: 0, seats: [1, 0] }, { pair: 0, seats: [0, 2] }]);
  assert.equal(new Set(games.map((game) => JSON.stringify(game))).size, games.length);
});

await report.check("referee: openings put no box on offer", () => {
  const random = randomOf(3);
  for (const [name, count] of [["5x5", 6], ["2x2", 12], ["1x1", 4], ["9x9", 40], ["3x3", 0]]) {
    const board = Board.parse(name);
    const edges = randomOpening(board, count, random);
    const games = Game.replay(board, edges);
    edges.forEach((edge, at) => assert.ok(isSafe(games[at], edge), name));
    assert.ok(edges.length === count || !games.at(-1).undrawn().some((edge) => isSafe(games.at(-1), edge)), name);
  }
  assert.notDeepEqual(randomOpening(new Board(5, 5), 6, random), randomOpening(new Board(5, 5), 6, random));
});

await report.check("referee: the first undrawn edge is drawn for a player who fails", async () => {
  const fails = { choose: async () => null };
  const last = { choose: async (game) => game.undrawn().at(-1) };
  const { game, faults, seconds, longest } = await playGame(new Board(1, 2), [fails, last], 1, [0]);
  assert.deepEqual([game.moves, faults], [[0, 6, 1, 5, 2, 4, 3], [2, 0]]);
  assert.ok(seconds.every((time, seat) => time >= longest[seat]) && longest[1] >= 0);
});

await report.check("observations are read by the program", async () => {
  const random = randomOf(9);
  const { game } = await playGame(new Board(2, 3), [player(1, random), player(0, random)], 1, []);
  for (const before of Game.replay(game.board, game.moves).slice(0, -1)) {
    const observation = observationOf(before, 2 ** 31 - 1);
    const input = `${JSON.stringify(observation)}\n`;
    const answer = JSON.parse(execFileSync(program, ["bot", "first"], { input, encoding: "utf8" }));
    assert.equal(before.board.edge(`${answer.orient}${answer.r},${answer.c}`), before.drawn.indexOf(false));
    assert.deepEqual([observation.you, observation.to_move, observation.turn], [before.mover, before.mover, before.moves.length]);
    assert.deepEqual([0, 1].map((seat) => observation.owner.flat().filter((owner) => owner === seat).length), before.scores);
  }
});

await report.check("the log: games of the arena are replayed by the program, and read back", async () => {
  const games = await gamesOf(...LOGS["three bots with ties and faults"]);
  const log = join(folder, "replayed.jsonl");
  writeFileSync(log, games.map(({ line }) => line).join(""));
  assert.match(execFileSync(program, ["replay", log], { encoding: "utf8" }), /^90 games: 90 correct, /);
  assert.deepEqual(readLog(games.map(({ line }) => line).join("")).records.map((logged) => logged.games().pop().moves), games.map(({ moves }) => moves));
});

await report.check("a file that is no bot is refused with the reason", async () => {
  const reason = async (...parts) => moduleOfFile(new Blob(parts)).then(() => "none", (error) => error.message);
  assert.equal(await reason(botModule("{}")), "none");
  assert.equal(await reason("no module"), "it is not a WebAssembly module");
  assert.equal(await reason(""), "it is not a WebAssembly module");
  assert.equal(await reason(botModule("{}").slice(0, 40)), "it is not a WebAssembly module");
  assert.match(await reason(botModule("{}", { imported: ["env", "log"] })), /^it needs "env.log", and a bot gets nothing/);
  assert.match(await reason(botModule("{}", { exports: ["memory", "alloc", "ask"] })), /^it exports no "act"/);
  await assert.rejects(moduleOfFile({ size: 2 ** 30, arrayBuffer: () => assert.fail() }), /256 MB/);
});

report.end();
