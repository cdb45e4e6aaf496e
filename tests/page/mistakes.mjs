// Checks the names of mistakes against exact values: `node mistakes.mjs [URL]`. With the URL of a
// page, analyses of its bots are named too. Prints how often each kind was found.
import { botAt } from "./bot.mjs";
import { CLAIMS, factsOf, holds } from "./claims.mjs";
import { allBut } from "./page.mjs";
import { assert, Report } from "./report.mjs";
import { site } from "./site.mjs";
import { Values } from "./values.mjs";

const { Board } = await site("doublecross/rules.js");
const { costsOf } = await site("analysis/analysis.js");
const { mistakeOf } = await site("analysis/mistakes.js");

const [url] = process.argv.slice(2);
const report = new Report();
const tables = new Map();

/** Returns the values of a board by its name. */
function valuesOf(name) {
  if (!tables.has(name)) tables.set(name, new Values(Board.parse(name)));
  return tables.get(name);
}

/** Returns the mistake of a move by exact analyses. */
function mistake(values, before, after) {
  const { cost } = factsOf(values, before, after.last);
  return mistakeOf(before, after, cost, { was: values.analyze(before), is: values.analyze(after) });
}

/** Positions by their undrawn edges, the edge drawn, and its cost and words. */
const EXAMPLES = {
  missed: [
    ["1x4", "H0,3 V0,3 V0,4", "V0,4", 2, "Left a box that could be taken."],
    ["1x4", "V0,2 V0,3 V0,4", "V0,3", 6, "Left 3 boxes that could be taken."],
    ["2x3", "H0,1 H1,0 H1,2 H2,1 V0,1 V0,2 V1,3", "H0,1", 8, "Left a box that could be taken for nothing."],
    ["2x3", "H0,0 V0,1 V0,2 V0,3 V1,1 V1,2 V1,3", "V1,2", 2, "Left 3 boxes for control where 2 are enough."],
  ],
  took: [
    ["1x5", "H0,2 H0,4 H1,0 V0,1 V0,2 V0,4", "V0,4", 2, "Took too much: declining the last two boxes keeps control."],
    ["2x4", "H0,0 H0,2 H0,3 H1,3 H2,2 V0,2 V1,3", "V0,2", 2,
      "Took too much: declining the last two boxes keeps control."],
    ["3x3", "H1,0 H1,2 H2,2 V0,1 V0,3 V1,1 V2,0 V2,1 V2,2", "V0,1", 2,
      "Took too much: declining the last four boxes keeps control."],
  ],
  left: [
    ["2x3", "V0,0 V0,1", "V0,0", 4, "Left 2 boxes for control, but taking all was better."],
    ["2x2", "H1,0 V0,1 V1,1", "H1,0", 8, "Left 4 boxes for control, but taking all was better."],
  ],
  control: [
    ["1x5", "H0,2 H1,1 H1,4 V0,1 V0,3 V0,4", "H0,2", 6,
      "Missed the line that declines the last two boxes and keeps control."],
    ["3x3", "H1,0 H1,1 H2,0 V0,0 V0,2 V1,2 V2,1 V2,2 V2,3", "H1,0", 10,
      "Missed the line that declines the last four boxes and keeps control."],
  ],
  gave: [
    ["1x4", "H0,2 H0,3 H1,2 V0,3", "V0,3", 2, "Gave away a box although a safe line was left."],
    ["1x5", "H1,0 H1,4 V0,0 V0,1 V0,2 V0,3 V0,4", "V0,1", 8, "Gave away a chain of 4 although a safe line was left."],
    ["2x2", "H1,0 H1,1 V0,1 V1,0 V1,1", "V1,1", 8, "Gave away 4 boxes although a safe line was left."],
    ["2x4", "H0,2 H1,0 H1,1 H1,2 H1,3 V0,1 V0,3 V1,1 V1,3 V1,4", "V1,1", 6,
      "Gave away a loop of 4 although a safe line was left."],
    ["1x5", "H0,2 H0,4 H1,0 V0,0 V0,1 V0,2 V0,3 V0,4", "H0,4", 2, "Gave away a chain of 2 where a box would do."],
  ],
  longer: [
    ["2x3", "H0,1 H0,2 H1,1 H1,2 H2,2 V1,0 V1,1", "H1,1", 2, "Opened the chain of 3 instead of the one of 2."],
    ["2x3", "H1,0 H1,1 H1,2 H2,2 V0,1 V0,3 V1,1", "H1,0", 4, "Opened the loop of 4 instead of the chain of 2."],
    ["1x4", "H0,0 H1,0 H1,1 V0,2 V0,3 V0,4", "V0,3", 4, "Gave away a chain of 3 where a box would do."],
  ],
  half: [
    ["1x5", "H0,2 H1,1 H1,4 V0,0 V0,1 V0,3 V0,4", "V0,0", 2],
    ["2x3", "H0,0 H0,1 H1,2 H2,0 V0,1 V0,3 V1,1 V1,2", "H0,0", 4],
  ],
  parity: [
    ["2x2", "H0,0 H1,0 H1,1 H2,1 V0,1 V1,1", "H2,1", 6],
    ["3x3", "H1,2 H2,0 H2,2 H3,0 H3,1 H3,2 V0,0 V0,1 V0,2 V1,0 V1,3 V2,0 V2,1 V2,3", "H3,0", 4],
  ],
  slip: [
    ["1x4", "H0,2 H0,3 H1,2 H1,3 V0,3", "H1,3", 2, "Another safe line was better, by a box."],
    ["1x4", "H0,1 H0,3 H1,1 V0,2 V0,3 V0,4", "H0,3", 2, "Giving away a box first was better, by a box."],
    ["3x3", "H0,2 H1,2 H2,0 H2,1 H2,2 H3,2 V1,1 V2,1", "H3,2", 2, "Giving away a loop of 4 was better, by a box."],
    ["1x4", "H0,3 H1,0 H1,1 V0,1 V0,2 V0,3 V0,4", "V0,1", 2, "Another opening was better, by a box."],
  ],
};

const rivalOf = (game) => ["Orange", "Blue"][game.mover];
const rivalWords = {
  half: (game) => `Opened a chain of 2 at its end: the middle line keeps ${rivalOf(game)} from control.`,
  parity: (game) => `Lost parity: now ${rivalOf(game)} will be in control.`,
};

/** Returns the states before and after the move of an example, with the values of its board. */
function exampleOf([name, open, edge]) {
  const values = valuesOf(name);
  const before = allBut(values.board, open.split(" "));
  return { values, before, after: before.play(values.board.edge(edge)) };
}

await report.check("mistakes: examples of each kind", () => {
  assert.deepEqual(Object.keys(EXAMPLES).sort(), Object.keys(CLAIMS).sort());
  for (const [kind, examples] of Object.entries(EXAMPLES)) {
    for (const example of examples) {
      const { values, before, after } = exampleOf(example);
      const facts = factsOf(values, before, after.last);
      const found = mistake(values, before, after);
      const [, , , cost, words = rivalWords[kind](before)] = example;
      assert.deepEqual({ cost: facts.cost, ...found }, { cost, kind, words }, after.text);
      assert.ok(holds(found, facts), after.text);
    }
  }
  const rivals = EXAMPLES.parity.map((example) => rivalOf(exampleOf(example).before));
  assert.deepEqual(new Set(rivals), new Set(["Blue", "Orange"]), "both colors");
});

/** Returns an analysis as a search leaves it, with open bounds. */
function estimated(analysis) {
  const edges = analysis.edges.map((edge) => ({ ...edge, lower: -30, upper: 30 }));
  return { ...analysis, lower: -30, upper: 30, controls: null, edges };
}

await report.check("mistakes: estimates show less", () => {
  const { values, before, after } = exampleOf(EXAMPLES.parity[1]);
  const [was, is] = [values.analyze(before), values.analyze(after)];
  const of = (cost, analyses) => mistakeOf(before, after, cost, analyses);
  const guess = { was: estimated(was), is: estimated(is) };
  assert.equal(of(0.4, guess), null);
  assert.deepEqual(of(1.2, guess), { kind: "slip", words: "Another safe line was better, by about 0.6 boxes." });
  assert.deepEqual(of(2.25, guess), { kind: "parity", words: "Probably lost parity: another safe line was better." });
  assert.deepEqual(of(2.25, { was: guess.was, is }),
    { kind: "parity", words: `Probably lost parity: now ${rivalOf(before)} will be in control.` });
  assert.equal(of(2.25, { was: guess.was, is: { ...is, controls: before.mover } }).kind, "slip");
  assert.equal(of(4, { was: { ...was, controls: null }, is }).kind, "slip");
  // A move that was proposed itself, a choice that is still open, and an analysis without a line.
  const own = { ...guess.was, line: [values.board.nameOf(after.last)] };
  assert.equal(of(2.25, { was: own, is: guess.is }), null);
  const chain = allBut(Board.parse("1x5"), ["V0,1", "V0,2", "V0,3", "V0,4", "V0,5"]);
  const taken = chain.play(chain.board.edge("V0,1"));
  const open = estimated(valuesOf("1x5").analyze(chain));
  assert.equal(mistakeOf(chain, taken, 2.25, { was: { ...open, line: ["V0,5"] }, is: null }), null);
  // Another edge of the chain that was proposed has the same value.
  const bare = exampleOf(["1x5", "V0,0 V0,1 V0,2 V0,3 V0,4 V0,5", "V0,3"]);
  const even = { ...estimated(bare.values.analyze(bare.before)), line: ["V0,1"] };
  assert.equal(mistakeOf(bare.before, bare.after, 2.25, { was: even }), null);
  assert.equal(of(2.25, { was: { ...guess.was, line: [] } }).words, "Cost about 1.1 boxes.");
});

await report.check("mistakes: a kind for every cost, and what it claims is true", () => {
  const seen = new Map();
  for (const name of ["3x3", "2x4"]) {
    const values = valuesOf(name);
    const told = {};
    for (let seed = 1; seed <= 2000; seed++) {
      const games = values.game(seed);
      for (let at = 0; at + 1 < games.length; at++) {
        const [before, after] = [games[at], games[at + 1]];
        const facts = factsOf(values, before, after.last);
        // Most moves cost nothing, and an analysis takes time.
        if (facts.cost === 0 && (at + seed) % 5) continue;
        const found = mistake(values, before, after);
        if (facts.cost === 0) assert.equal(found, null, after.text);
        else assert.ok(found && holds(found, facts), `${after.text}: ${JSON.stringify(found)}`);
        if (found) told[found.kind] = (told[found.kind] ?? 0) + 1;
        if (found) seen.set(found.kind, found.words);
      }
    }
    const counts = Object.entries(told).sort((a, b) => b[1] - a[1]);
    console.log(`${name}: ${counts.map((pair) => pair.join(" ")).join(", ")}`);
  }
  assert.deepEqual([...seen.keys()].sort(), Object.keys(CLAIMS).sort());
});

if (url) {
  await report.check("mistakes: those of a review by a bot", async () => {
    const [values, bot] = [valuesOf("3x3"), await botAt(url, "3x3")];
    let named = 0;
    for (let seed = 1; seed <= 12; seed++) {
      const games = values.game(seed);
      const ask = (game) => bot.ask({ what: "analyze", game: game.text, simulations: 50, nodes: 100_000 });
      const answers = games.map((game) => (game.over ? null : ask(game)));
      const margins = games.map((game, at) => {
        if (game.over) return { margin: game.margin(0), exact: true };
        const { lower, upper, expected } = answers[at];
        return { margin: game.mover === 0 ? expected : -expected, exact: lower === upper };
      });
      for (const { at, edge, cost: boxes, exact } of costsOf(games, margins)) {
        const cost = 2 * boxes;
        const found = mistakeOf(games[at], games[at + 1], cost, { was: answers[at], is: answers[at + 1] });
        const facts = factsOf(values, games[at], edge);
        if (!exact) continue;
        assert.equal(cost, facts.cost);
        const isTrue = cost === 0 ? found === null : found && holds(found, facts);
        assert.ok(isTrue, `${games[at + 1].text} ${found?.words}`);
        named += cost > 0;
      }
    }
    assert.ok(named > 30, `${named}`);
  });
}

report.end();
