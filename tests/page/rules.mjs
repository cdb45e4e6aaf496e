// Checks of the page's modules that need no browser: rules, notation, logs, results.
import { readFileSync } from "node:fs";
import { assert, Report, storageOf } from "./report.mjs";
import { site } from "./site.mjs";
import { solver } from "./solve.mjs";

const { Board, Game } = await site("doublecross/rules.js");
const notation = await site("share/notation.js");
const { readLog, writeGame } = await site("share/match-log.js");
const { addResult, clearResults, readResults, tally } = await site("scores/results.js");
const { Table } = await site("play/table.js");
const { neighbor } = await site("board/geometry.js");
const { allStrengths, budgetsOf } = await site("play/strengths.js");
const { costsOf } = await site("analysis/analysis.js");

const report = new Report();

/** Returns the states of a game of random moves, which the seed determines. */
function randomGame(board, seed) {
  let state = seed;
  const games = [new Game(board)];
  while (!games.at(-1).over) {
    const undrawn = games.at(-1).undrawn();
    state = (state * 1103515245 + 12345) % 2147483648;
    games.push(games.at(-1).play(undrawn[Math.floor((state / 2147483648) * undrawn.length)]));
  }
  return games;
}

const finished = (rows, cols, seed = 1) => randomGame(new Board(rows, cols), seed).at(-1);

await report.check("rules: edges and the boxes beside them", () => {
  for (const board of Board.all()) {
    assert.ok(board.edges <= 180);
    for (let edge = 0; edge < board.edges; edge++) {
      const { horizontal, row, col } = board.place(edge);
      assert.equal(horizontal ? board.horizontal(row, col) : board.vertical(row, col), edge);
      for (const box of board.boxesOf(edge)) assert.ok(board.edgesOf(box).includes(edge));
    }
    const sides = Array.from({ length: board.edges }, (_, edge) => board.boxesOf(edge).length);
    assert.equal(sides.reduce((sum, number) => sum + number), 4 * board.boxes);
  }
  assert.deepEqual(new Board(2, 3).edgesOf(4), [4, 7, 14, 15]);
});

await report.check("rules: the sizes of boards", () => {
  assert.ok(Board.fits(5, 5) && Board.fits(1, 9) && Board.fits(4, 6) && Board.fits(9, 9));
  for (const [rows, cols] of [[0, 3], [1, 10], [10, 1], [2.5, 2], [NaN, 2]]) {
    assert.ok(!Board.fits(rows, cols));
    assert.throws(() => new Board(rows, cols), RangeError);
  }
});

await report.check("rules: a capture scores and gives another move", () => {
  const games = Game.replay(new Board(1, 2), [0, 2, 4, 5, 6, 1, 3]);
  assert.deepEqual(games.map((game) => game.mover), [0, 1, 0, 1, 1, 0, 1, 1]);
  assert.deepEqual(games.at(-1).scores, [0, 2]);
  assert.deepEqual(games.at(-1).owners, [1, 1]);
  assert.ok(games.at(-1).over && !games.at(-2).over);
  const both = Game.replay(new Board(1, 2), [0, 1, 2, 3, 4, 6, 5]).at(-1);
  assert.deepEqual([both.captured, both.scores], [[0, 1], [2, 0]]);
});

await report.check("rules: states are immutable, and illegal moves throw", () => {
  const empty = new Game(new Board(2, 2));
  const next = empty.play(3);
  assert.equal(empty.undrawn().length, 12);
  assert.equal(next.undrawn().length, 11);
  for (const edge of [3, -1, 12, 1.5, null, undefined]) assert.throws(() => next.play(edge), RangeError);
  for (const edge of ["4", "H9,9", ""]) assert.throws(() => next.play(edge), Error);
});

await report.check("rules: random games end with every box owned", () => {
  for (const board of Board.all()) {
    const game = randomGame(board, board.edges).at(-1);
    assert.equal(game.scores[0] + game.scores[1], board.boxes);
    for (const seat of [0, 1]) assert.equal(game.owners.filter((owner) => owner === seat).length, game.scores[seat]);
  }
});

await report.check("rules: the values of small boards", () => {
  const values = { "1x1": -1, "1x2": 0, "1x3": -1, "2x2": 2, "1x4": 0, "2x3": -2 };
  for (const [name, value] of Object.entries(values)) {
    const board = Board.parse(name);
    assert.equal(solver(board)(new Game(board)), value, name);
  }
});

await report.check("notation: names and texts are read back", () => {
  for (const board of Board.all()) {
    for (let edge = 0; edge < board.edges; edge++) {
      assert.equal(board.edge(board.nameOf(edge)), edge);
    }
  }
  const board = new Board(5, 5);
  assert.equal(Game.replay(board, [0, board.vertical(1, 2)]).at(-1).text, "5x5 H0,0 V1,2");
  assert.equal(notation.edgeWords(board, board.horizontal(0, 1)), "horizontal line, row 0, column 1");
  for (const name of ["H6,0", "H0,5", "V5,0", "V0,6", "X0,0", "H0", "", "H0,0 "]) {
    assert.throws(() => board.edge(name), Error, name);
  }
});

await report.check("notation: games of players are read and written", () => {
  for (const line of readFileSync(new URL("../../crates/core/tests/data/players-games.tsv", import.meta.url), "utf8").trim().split("\n")) {
    if (line.startsWith("#")) continue;
    const [name, cells, moves, score] = line.split("\t");
    const expected = Game.parse(`${name} ${moves}`);
    assert.equal(expected.scores.join("-"), score);
    assert.equal(expected.cells, `${name} ${cells}`);
    for (const text of [`${name} ${cells}`, `https://example.org/dnb/board#${name[0]},${cells}`]) {
      assert.equal(notation.gamesOfText(text).at(-1).text, expected.text);
    }
  }
  for (const [text, expected] of [
    ["2x2 1.b5 2. a4, c2", "2x2 H0,0 V0,0 V1,1"],
    ["2x2 1. a3-b3 2. a2-a3,b1-b2 3. c1-b1", "2x2 H0,0 V0,0 V1,1 H2,1"],
    ["https://example.org/page/#2x2/0006", "2x2 H0,0 V0,0"],
    ["2x2", "2x2"],
  ]) assert.equal(notation.gamesOfText(text).at(-1).text, expected);
  for (const text of ["", "2x2 b2", "2x2 b05", "2x2 b5b5", "2x2 -", "x#,b5", "#0,", "2x2 a1b1-b1", "2x2 é1"]) {
    assert.throws(() => notation.gamesOfText(text), Error, text);
  }
  for (const board of Board.all()) {
    const game = randomGame(board, 3).at(-1);
    assert.equal(Game.parse(game.cells).text, game.text);
  }
});

await report.check("fragment: games are read back", () => {
  for (const board of Board.all()) {
    for (const game of randomGame(board, 7)) {
      const fragment = notation.fragmentOf(game);
      assert.deepEqual(notation.gamesOfFragment(fragment).at(-1), game);
      assert.equal(encodeURI(fragment), fragment);
    }
  }
});

await report.check("fragment: invalid ones are refused", () => {
  const bad = ["", "#", "#5x5/0", "#5x5/0000", "#5x5/zz", "#5x5/0A", "#6x10/", "#0x3/", "#x/", "#3x3/é0", "#3x3/00/01",
    "#__proto__/", "#3x3/0-", "5x5/00"];
  for (const fragment of bad) assert.throws(() => notation.gamesOfFragment(fragment), Error, fragment);
  assert.equal(notation.gamesOfFragment("#3x3").length, 1);
});

await report.check("log: a game is read back", () => {
  const game = finished(3, 4);
  const line = writeGame({ game, names: ["person", "strong"], nonce: 5, seconds: [1.23456, 2], longest: [0.5, 1] });
  assert.ok(line.endsWith("}\n") && line.indexOf("\n") === line.length - 1);
  const { records, count, faults } = readLog(line + line);
  assert.equal(faults.length, 0);
  assert.deepEqual([records.length, count], [2, 2]);
  const first = readLog(line + line + line, 2);
  assert.deepEqual([first.records.length, first.count], [2, 3]);
  assert.deepEqual(records[1].names, ["person", "strong"]);
  assert.deepEqual(records[1].games().pop(), game);
  assert.equal(`${records[1].record}\n`, line);
  const keys = ["board", "bots", "nonce", "opening", "moves", "scores", "faults", "seconds", "longest"];
  assert.deepEqual(Object.keys(JSON.parse(line)), keys);
});

await report.check("log: damaged lines are reported and left out", () => {
  const good = writeGame({ game: finished(2, 2), names: ["a", "b"], nonce: 1, seconds: [0, 0], longest: [0, 0] });
  const bad = [
    "nonsense", "null", "[]", "7", '{"board":"2x2"}', '{"board":"9x10","moves":[]}', '{"board":"2x2","moves":[0,0]}',
    '{"board":"2x2","moves":[99]}', '{"board":"2x2","moves":["0"]}', '{"board":null,"moves":[]}',
    '{"board":"2x2","moves":{}}',
  ];
  const { records, faults } = readLog(`${good}\n${bad.join("\r\n")}\n${good.slice(0, 40)}`);
  assert.equal(records.length, 1);
  assert.equal(faults.length, bad.length + 1);
  assert.equal(faults.at(-1).line, bad.length + 3);
  assert.deepEqual(readLog('{"board":"2x2","moves":[1],"bots":7}').records[0].names, ["unknown", "unknown"]);
});

await report.check("results: kept and tallied without games with help", () => {
  const storage = storageOf();
  const result = { board: "2x3", strength: "easy", seat: 0, date: "2020-01-01", helps: [] };
  for (const margin of [2, -2, 0]) assert.equal(addResult({ ...result, margin }, storage), null);
  assert.equal(addResult({ ...result, margin: 4, helps: ["hint"] }, storage), null);
  const { results, fault } = readResults(storage);
  assert.equal(results.length, 4);
  assert.equal(fault, null);
  const best = [2, 0, -2].map((margin) => ({ ...result, margin }));
  assert.deepEqual(tally(results), [
    { strength: "easy", board: "2x3", games: 3, won: 1, lost: 1, tied: 1, share: 1 / 3, mean: 0, best },
  ]);
});

await report.check("results: a storage that fails or is damaged is reported, not thrown", () => {
  const refuse = () => {
    throw new Error("forbidden");
  };
  assert.deepEqual(readResults({ getItem: refuse, setItem: refuse }).results, []);
  assert.match(readResults({ getItem: refuse, setItem: refuse }).fault, /forbidden/);
  assert.match(addResult({}, { getItem: () => null, setItem: refuse }), /forbidden/);
  const sound = { board: "3x3", strength: "easy", seat: 1, margin: 1, date: "", helps: [] };
  const partly = storageOf("results", JSON.stringify([null, 7, { board: "3x3" }, sound]));
  assert.equal(readResults(partly).results.length, 1);
  assert.match(readResults(partly).fault, /damaged results are left out/);
  // What is damaged among them stays.
  assert.equal(addResult(sound, partly), null);
  assert.equal(JSON.parse(partly.getItem("doublecross.results")).length, 5);
});

await report.check("results: those that cannot be read are kept aside", () => {
  const sound = { board: "3x3", strength: "easy", seat: 1, margin: 1, date: "", helps: [] };
  for (const damaged of ["{{", "7", '{"a":1}', `[${JSON.stringify(sound)},`]) {
    const storage = storageOf("results", damaged);
    assert.match(addResult(sound, storage), /cannot be read.*kept aside as "doublecross\.results\.damaged"/);
    const { results, aside, fault } = readResults(storage);
    assert.deepEqual([results, aside], [[sound], [damaged]]);
    assert.match(fault, /kept aside: export them/);
    // Another damage is kept beside it.
    storage.setItem("doublecross.results", "{{{");
    assert.deepEqual(readResults(storage).aside, [damaged, "{{{"]);
    clearResults(storage);
    assert.deepEqual(readResults(storage), { results: [], aside: [], fault: null });
  }
  // Where nothing can be kept aside, nothing is overwritten.
  const full = storageOf("results", "{{");
  full.setItem = () => {
    throw new Error("quota");
  };
  assert.match(addResult(sound, full), /quota/);
  assert.equal(full.getItem("doublecross.results"), "{{");
});

await report.check("table: undo and redo move by the person's turns", () => {
  const table = new Table(new Board(2, 2), ["greedy", "person"]);
  assert.equal(table.botsTurn?.id, "greedy");
  table.play(0);
  assert.ok(table.personsTurn && table.undoTo === null);
  table.play(1);
  table.play(2);
  table.undo();
  assert.equal(table.at, 1);
  assert.equal(table.botsTurn, null);
  assert.ok(table.helps.has("undo"));
  table.redo();
  assert.equal(table.at, 3);
  table.undo();
  table.play(5);
  assert.deepEqual(table.game.moves, [0, 5]);
  assert.equal(table.botsTurn?.id, "greedy");
  table.goTo(0);
  assert.equal(table.botsTurn, null);
  // Whoever only looked back goes on with the game.
  table.goTo(2);
  assert.equal(table.botsTurn?.id, "greedy");
  for (const pauseAt of [2, 1]) {
    table.held = false;
    table.goTo(pauseAt);
    table.held = true;
    table.goTo(1);
    table.goTo(2);
    assert.equal(table.botsTurn, null);
  }
  table.goTo(0);
  table.playOn();
  assert.equal(table.botsTurn?.id, "greedy");
});

await report.check("keyboard: arrows reach every undrawn edge", () => {
  const board = new Board(3, 4);
  const games = randomGame(board, 3);
  for (const game of [games[0], games[8], games[16]]) {
    const seen = new Set([game.undrawn()[0]]);
    for (const edge of seen) {
      for (const [x, y] of [[0, 1], [0, -1], [1, 0], [-1, 0]]) {
        const next = neighbor(game, edge, { x, y });
        if (next !== null) seen.add(next);
      }
    }
    assert.deepEqual([...seen].sort((a, b) => a - b), game.undrawn());
  }
});

await report.check("keyboard: an arrow goes to the nearest edge straight ahead", () => {
  const empty = new Game(new Board(3, 3));
  const edge = (name) => empty.board.edge(name);
  const from = (name, x, y) => empty.board.nameOf(neighbor(empty, edge(name), { x, y }));
  assert.equal(from("H1,1", 0, 1), "H2,1");
  assert.equal(from("H1,1", 1, 0), "H1,2");
  assert.equal(from("V1,1", 0, -1), "V0,1");
  assert.equal(from("V1,1", -1, 0), "V1,0");
  assert.equal(neighbor(empty, edge("H0,1"), { x: 0, y: -1 }), null);
  const gone = empty.play(edge("H2,1"));
  assert.equal(empty.board.nameOf(neighbor(gone, edge("H1,1"), { x: 0, y: 1 })), "V1,1");
});

await report.check("strengths: budgets grow up to the strength's own", () => {
  for (const strength of allStrengths().filter(({ bot }) => bot === "net")) {
    const budgets = budgetsOf(strength, 25);
    assert.deepEqual(budgets.at(-1), { simulations: strength.simulations, nodes: strength.nodes });
    const large = budgetsOf(strength, 81);
    assert.ok(large.at(-1).simulations <= strength.simulations / 3 + 1 && large.at(-1).nodes === strength.nodes);
    for (const [at, { simulations }] of large.slice(1).entries()) assert.ok(simulations > large[at].simulations);
    for (let at = 1; at < budgets.length; at++) assert.ok(budgets[at].simulations > budgets[at - 1].simulations);
  }
});

await report.check("review: the cost of a move, for either seat", () => {
  const board = new Board(2, 2);
  const value = solver(board);
  const games = randomGame(board, 11);
  const margins = games.map((game) => ({ margin: value(game) * (game.mover === 0 ? 1 : -1), exact: true }));
  const costs = costsOf(games, margins);
  assert.equal(costs.length, board.edges);
  for (const { at, seat, edge, cost, exact } of costs) {
    const best = Math.max(...games[at].undrawn().map((other) => {
      const after = games[at].play(other);
      return after.mover === seat ? value(after) : -value(after);
    }));
    const after = games[at].play(edge);
    assert.equal(2 * cost, best - (after.mover === seat ? value(after) : -value(after)));
    assert.ok(exact);
  }
  assert.ok(costs.some(({ cost }) => cost > 0));
  margins[3].exact = false;
  assert.deepEqual(costsOf(games, margins).filter(({ exact }) => !exact).map(({ at }) => at), [2, 3]);
});

report.end();
