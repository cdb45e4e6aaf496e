// The package as a program that depends on it sees it. Run by `node --test` in an assembled package.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { Board, boardSvg, Bot, BotWorker, Game, gameSvg, levels, pretrained, pretrainedWorker } from "doublecross";

const CHEAP = { simulations: 20, nodes: 20_000 };

/** The margin of a game for the player to move with best play of both, by the rules alone. */
function bestMargin(game, known = new Map()) {
  const key = `${game.drawn.map(Number).join("")}`;
  if (!known.has(key)) {
    const gains = game.undrawn().map((edge) => {
      const after = game.play(edge);
      const rest = bestMargin(after, known);
      return after.captured.length + (after.captured.length ? rest : -rest);
    });
    known.set(key, gains.length ? Math.max(...gains) : 0);
  }
  return known.get(key);
}

test("a game is played from its text to its end", () => {
  let game = Game.parse("2x2 H0,0 V0,0 H1,0 V0,1");
  assert.deepEqual([game.scores, game.mover, game.captured, game.over], [[0, 1], 1, [0], false]);
  for (const edge of game.undrawn()) game = game.play(edge);
  assert.ok(game.over);
  assert.equal(game.scores[0] + game.scores[1], 4);
  assert.equal(Game.parse(game.text).text, game.text);
});

test("what is no board, edge or game is an error with the reason", () => {
  assert.throws(() => Board.parse("12x2"), /"12x2" is not a board/);
  assert.throws(() => Game.parse("3x3 H9,9"), /H9,9 is not an edge of the 3x3 board/);
  assert.throws(() => Game.parse("3x3 H0,0 H0,0"), /move 2: H0,0 is drawn already/);
  assert.throws(() => Game.replay("1x1", [0, 1, 2, 3, 0]), /move 5: the game is over/);
  assert.throws(() => new Game(), /expected a Board or its text/);
  const board = new Board(2, 2);
  for (const wrong of [12, -1, 1.5, NaN, undefined]) {
    for (const method of ["place", "nameOf", "boxesOf", "edgesOf"]) assert.throws(() => board[method](wrong), RangeError);
    assert.equal(new Game(board).legal(wrong), false);
  }
  assert.ok(new Game(board).legal("H0,0"));
  assert.throws(() => new Board(0, 3), RangeError);
  assert.throws(() => new Game("3x"), /"3x" is not a board/);
  assert.equal(new Game("3x4").board.boxes, 12);
});

test("a game is drawn, with names that are no markup", () => {
  const names = ["<script>", 'Ann & "Bob"'];
  const drawing = boardSvg("2x2 H0,0 V0,0", { names });
  assert.match(drawing, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  assert.ok(drawing.includes("&lt;script&gt;") && drawing.includes("Ann &amp; &quot;Bob&quot;") && !drawing.includes("<script>"));
  const states = Game.replay("2x2", ["H0,0", "V0,0"]);
  assert.equal(boardSvg(states.at(-1), { names }), drawing);
  assert.equal(gameSvg(states).match(/@keyframes/g).length, 2);
  assert.throws(() => boardSvg("2x2 H9,9"), /H9,9/);
});

test("each pretrained bot plays its board and others", async () => {
  for (const name of ["1x1", "3x3", "4x4", "5x5", "6x6", "9x9"]) {
    const bot = await pretrained(name);
    let game = new Game(Board.parse(name));
    for (let move = 0; move < 8 && !game.over; move++) game = game.play(bot.play(game, CHEAP).edge);
    assert.equal(game.moves.length, Math.min(8, game.board.edges), name);
  }
});

test("an analysis agrees with the rules alone", async () => {
  const bot = await pretrained("2x2");
  for (let seed = 1; seed <= 20; seed++) {
    let game = new Game(new Board(2, 2));
    for (let move = 0; move < 3; move++) {
      const edges = game.undrawn();
      game = game.play(edges[(seed * 7 + move * 5) % edges.length]);
    }
    const { lower, upper, edges } = bot.analyze(game, { simulations: 10, nodes: 100_000 });
    const sofar = game.margin(game.mover);
    const best = bestMargin(game) + sofar;
    assert.deepEqual([lower, upper], [best, best], game.text);
    for (const entry of edges) {
      const after = game.play(entry.edge);
      const value = after.captured.length ? bestMargin(after) : -bestMargin(after);
      const exact = sofar + after.captured.length + value;
      assert.ok(entry.lower <= exact && exact <= entry.upper, `${game.text}: ${entry.edge}`);
    }
  }
});

test("levels and rules of thumb play, and a nonce chooses among moves", async () => {
  const bot = await pretrained("3x3");
  const edges = new Set();
  for (let nonce = 0; nonce < 20; nonce++) edges.add(bot.play("3x3", { bot: "level:2", nonce }).edge);
  assert.ok(edges.size > 1);
  assert.deepEqual(bot.play("3x3 H0,0", { bot: "chains", nonce: 7 }), bot.play("3x3 H0,0", { bot: "chains", nonce: 7 }));
});

test("an arena's observation is answered, also one whose nonce no number holds", async () => {
  const bot = await pretrained("1x1");
  const observation = {
    you: 0, to_move: 0, rows: 1, cols: 1, h: [[true], [true]], v: [[true, false]], owner: [[-1]], scores: [0, 0], turn: 3, nonce: 1,
  };
  const action = { orient: "V", r: 0, c: 1 };
  assert.deepEqual(bot.act(observation), action);
  assert.deepEqual(bot.act(JSON.stringify(observation).replace('"nonce":1', '"nonce":18446744073709551615')), action);
});

test("a bot is loaded from bytes, a path, an address and a compiled module", async () => {
  const url = new URL("../bots/3x3.wasm", import.meta.url);
  const bytes = await readFile(url);
  const { href } = url;
  const sources = [bytes, new Uint8Array(bytes).buffer, url, href, { href }, fileURLToPath(url), new WebAssembly.Module(bytes)];
  for (const source of sources) assert.ok((await Bot.load(source)).play("3x3", { bot: "first" }).edge);
  await assert.rejects(Bot.load("no/such.wasm"), /such\.wasm/);
  await assert.rejects(Bot.load(new Uint8Array([1, 2, 3])), WebAssembly.CompileError);
  await assert.rejects(Bot.load(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])), /not an exported bot/);
});

test("a worker of node answers as the bot does, and can be ended while it searches", async () => {
  const [bot, worker] = await Promise.all([pretrained("3x3"), pretrainedWorker("3x3")]);
  const game = Game.parse("3x3 H0,0 V1,2");
  assert.deepEqual(await worker.analyze(game, CHEAP), bot.analyze(game, CHEAP));
  await assert.rejects(worker.play("3x3 H9,9"), /H9,9/);
  const observation = { you: 0, to_move: 0, h: [[true], [true]], v: [[true, false]], owner: [[-1]] };
  assert.deepEqual(await worker.act(observation), bot.act(observation));
  assert.deepEqual(await Promise.all(["level:2", "chains"].map((name) => worker.play(game, { bot: name }))),
    ["level:2", "chains"].map((name) => bot.play(game, { bot: name })));
  const long = worker.play(new Game("5x5"), { simulations: 100_000, nodes: 100_000_000 });
  setTimeout(() => worker.end(), 200);
  await assert.rejects(long, /the worker was ended/);
  await assert.rejects(worker.play(game), /the worker was ended/);
  await assert.rejects(BotWorker.load(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])), /not an exported bot/);
});

test("answers that arrive after a worker of node was ended are not looked at", async () => {
  const worker = await pretrainedWorker("2x2");
  const answered = worker.play("2x2", { bot: "first" });
  // The answer arrives while this thread is busy.
  const busy = new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(busy, 0, 0, 300);
  worker.end();
  await assert.rejects(answered, /the worker was ended/);
  await new Promise((resolve) => setTimeout(resolve, 100));
});

test("the small bot plays levels and finds exact values", async () => {
  const bot = await levels();
  assert.ok(bot.play("4x4 H0,0", { bot: "level:8" }).edge);
  assert.throws(() => bot.play("4x4 H0,0", { bot: "level:9" }), /plays with a network, and this bot has none for 4x4/);
  const { lower, upper } = bot.analyze("2x2 H0,0 V0,0", { simulations: 0, nodes: 100_000 });
  const game = Game.parse("2x2 H0,0 V0,0");
  assert.deepEqual([lower, upper], [bestMargin(game), bestMargin(game)]);
});

test("a game is its text in strings, in JSON and on the console", () => {
  const game = Game.parse("2x2 H0,0 V0,0 H1,0 V0,1");
  assert.equal(`${game}`, game.text);
  assert.equal(JSON.stringify({ game, board: game.board }), '{"game":"2x2 H0,0 V0,0 H1,0 V0,1","board":"2x2"}');
  assert.equal(inspect(game), "Game { 2x2 H0,0 V0,0 H1,0 V0,1; 0 - 1, seat 1 to move }");
});

test("a bot is made by loading it", () => {
  assert.throws(() => new Bot({}), /made by Bot\.load/);
  assert.throws(() => new BotWorker({}), /made by BotWorker\.load/);
});

test("a budget that is no count is an error, and one that is not given has its default", async () => {
  const bot = await pretrained("2x2");
  for (const simulations of [-1, 1.5, NaN, Infinity, "9", null]) assert.throws(() => bot.play("2x2", { simulations }), RangeError);
  for (const name of [5, null]) assert.throws(() => bot.play("2x2", { bot: name }), RangeError);
  assert.throws(() => bot.play("2x2", { nodes: 1e12 }), /nodes is 1000000000000; expected a whole number from 0 to 100000000$/);
  assert.throws(() => bot.analyze("2x2", { simulations: 100_001 }), RangeError);
  assert.throws(() => bot.play("2x2", { sims: 3 }), /no option sims: the options are simulations/);
  assert.throws(() => bot.analyze(), /expected a Game or its text/);
  const game = "3x3 H0,0";
  assert.deepEqual(bot.analyze(game, { simulations: undefined }), bot.analyze(game));
});

test("a question that cannot be answered is an error, and the bot plays on", async () => {
  const bot = await pretrained("2x2");
  assert.throws(() => bot.analyze("2x2 H9,9"), /H9,9/);
  assert.throws(() => bot.play("2x2", { bot: "nobody" }), /nobody/);
  const over = Game.replay(new Board(1, 1), [0, 1, 2, 3]).at(-1);
  assert.throws(() => bot.play(over), Error);
  assert.equal(typeof bot.ask({ what: "dance" }).error, "string");
  assert.ok(bot.play("2x2").edge);
});
