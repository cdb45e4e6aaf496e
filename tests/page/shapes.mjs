// Checks the shapes of positions: `node shapes.mjs [URL]`. With the URL of a page they are also
// compared with those that its bots find.
import { botAt } from "./bot.mjs";
import { allBut } from "./page.mjs";
import { assert, Report } from "./report.mjs";
import { site } from "./site.mjs";
import { solver } from "./solve.mjs";
import { Values } from "./values.mjs";

const { Board, Game } = await site("doublecross/rules.js");
const { offerOf, offeredBoxes, safeEdges, shapesOf } = await site("analysis/shapes.js");

const [url] = process.argv.slice(2);
const report = new Report();

await report.check("values: those of the exhaustive search", () => {
  for (const name of ["1x4", "2x2", "2x3"]) {
    const board = Board.parse(name);
    assert.equal(new Values(board).table[0], solver(board)(new Game(board)), name);
  }
});

const boards = ["3x3", "2x4"].map((name) => new Values(Board.parse(name)));

await report.check("shapes: the boxes on offer and the price of control give the value", () => {
  const prices = { 4: 0, 8: 0, null: 0 };
  for (const values of boards) {
    for (let seed = 0; seed < 400; seed++) {
      for (const game of values.game(seed)) {
        const { boxes, rest, price } = offerOf(game);
        const mask = values.maskOf(game);
        const left = values.table[values.maskOf(rest)];
        const choice = price === null ? left : Math.max(left, -price - left);
        assert.equal(values.table[mask], boxes.length + choice, game.text);
        assert.deepEqual(values.takeAll(mask), { rest: values.maskOf(rest), boxes: boxes.length });
        assert.equal(price !== null, values.canKeepControl(mask));
        if (boxes.length) prices[price] += 1;
      }
    }
  }
  assert.ok(prices[4] > 500 && prices[8] > 50 && prices.null > 500, JSON.stringify(prices));
});

await report.check("shapes: safe edges neither take boxes nor give any away", () => {
  for (const values of boards) {
    for (let seed = 0; seed < 100; seed++) {
      for (const game of values.game(seed)) {
        const mask = values.maskOf(game);
        const isSafe = (edge) => !values.taken(mask, edge) && !values.given(mask, edge);
        // An edge of a box on offer that leaves it is not safe either.
        const sides = (edge) => game.board.boxesOf(edge).map((box) => values.sides(mask & values.around[box]));
        const safe = game.undrawn().filter((edge) => isSafe(edge) && !sides(edge).includes(3));
        assert.deepEqual(safeEdges(game), safe, game.text);
      }
    }
  }
});

await report.check("shapes: chains and loops", () => {
  const of = (rows, cols, open) => shapesOf(allBut(new Board(rows, cols), open));
  const shape = (...boxes) => ({ boxes, length: boxes.length });
  // The pictures of the strategy: a chain of three beside one of six, and a loop.
  const six = ["V1,0", "V1,1", "V1,2", "H2,2", "V2,2", "V2,1", "V2,0"];
  assert.deepEqual(of(3, 3, ["V0,0", "V0,1", "V0,2", "V0,3", ...six]),
    { chains: [shape(0, 1, 2), shape(3, 4, 5, 6, 7, 8)], loops: [] });
  assert.deepEqual(of(2, 2, ["H1,0", "H1,1", "V0,1", "V1,1"]), { chains: [], loops: [shape(0, 1, 2, 3)] });
  // With a third string, one box of the loop is a joint, at which both ends of a chain meet.
  const joined = ["H0,0", "H1,0", "H1,1", "V0,1", "V1,1"];
  assert.deepEqual(of(2, 2, joined), { chains: [shape(1, 2, 3)], loops: [] });
  assert.deepEqual(offeredBoxes(allBut(new Board(2, 2), joined.slice(0, 4))), [0, 1, 2, 3]);
  assert.deepEqual(shapesOf(new Game(new Board(3, 3))), { chains: [], loops: [] });
});

if (url) {
  await report.check("shapes: those that the bots find", async () => {
    for (const name of ["3x3", "4x4", "5x5"]) {
      const [bot, board] = [await botAt(url, name), Board.parse(name)];
      let found = 0;
      for (let stride = 1; stride < board.edges; stride++) {
        const mixed = (at) => (at * stride + Math.floor((at * stride) / 7)) % board.edges;
        const moves = new Set([...Array(board.edges).keys()].map(mixed));
        for (const game of Game.replay(board, [...moves])) {
          const question = { what: "analyze", game: game.text, simulations: 1, nodes: 1 };
          const { chains, loops, offered, safe } = bot.ask(question);
          const { boxes, rest } = offerOf(game);
          assert.deepEqual({ chains, loops, offered, safe },
            { ...shapesOf(rest), offered: boxes.length, safe: safeEdges(rest).length }, game.text);
          found += chains.length + loops.length;
        }
      }
      assert.ok(found > 300, `${name}: ${found}`);
    }
  });
}

report.end();
