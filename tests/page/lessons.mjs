// Checks of the course, which need no browser: each lesson's position, right answers and claims, by
// a search that knows the bare rules alone. `node lessons.mjs --draw` also draws the positions.
import { assert, Report, storageOf } from "./report.mjs";
import { site } from "./site.mjs";
import { solver } from "./solve.mjs";

const { LESSONS } = await site("learn/lessons.js");
const { doneWords, ENDS, gamesOf, GOALS, Progress, taskOf } = await site("learn/course.js");
const { Board, Game } = await site("doublecross/rules.js");
const { captures, isSafe, offeredBoxes } = await site("analysis/shapes.js");
const { Stopped } = await site("page/bots.js");
const { Grader, isBest } = await site("learn/grader.js");
const { demonstrated, giftReason, giftStates, reasonOf } = await site("analysis/refutations.js");

const report = new Report();

/**
 * What the texts claim: the `best` final margin, the `right` edges or the `wrong` ones, the number
 * of `safe` edges, the lengths of the `parts` of the position or of that `after` an edge.
 */
const FACTS = {
  close: { best: 4, right: "V0,1" },
  third: { best: -1, wrong: "H1,0 H2,2 V0,1 V2,2" },
  gift: { best: 1, right: "V0,1", offered: 1 },
  last: { best: 5, right: "V1,0", safe: 1 },
  chain: { best: 4, right: "V0,1", offered: 4, parts: [4] },
  opening: { best: 5, right: "H0,1", safe: 1, parts: [3, 6] },
  shortest: { best: 3, right: "H0,0 V0,0", safe: 0, parts: [1, 3, 5] },
  decline: { best: 5, right: "V0,3", offered: 2, parts: [2, 6] },
  control: { best: 5, right: "V0,1", offered: 4, parts: [4, 5] },
  enough: { best: 3, right: "V0,1", offered: 4, parts: [1, 4] },
  loop: { best: 4, right: "V2,1", offered: 4, parts: [4, 6] },
  middle: { best: 1, right: "V0,1", safe: 0, parts: [2, 3, 4] },
  count: { best: 5, right: "H2,2", safe: 3, after: { "H2,2": [3, 6], "H3,2": [9], "V1,3": [9] } },
  cut: { best: 1, right: "V2,2", safe: 3, after: { "V2,2": [1, 2, 3, 3] } },
  noloop: { best: 5, right: "V2,2", safe: 3, after: { "V2,2": [4, 5], "H3,1 H3,2": [4, 5], "H3,2 H3,1": [4, 5] } },
  sacrifice: { best: 3, right: "H1,2 V0,2", safe: 2 },
  ending: { best: 3, right: "V0,3" },
};

const solvers = new Map();

/** Returns the final margin of the player to move. */
function valueOf(game) {
  const { name } = game.board;
  if (!solvers.has(name)) solvers.set(name, solver(game.board));
  return solvers.get(name)(game);
}

/** Returns the final margin of the mover when each edge is drawn, as a map. */
function marginsOf(game) {
  return new Map(game.undrawn().map((edge) => {
    const after = game.play(edge);
    return [edge, after.mover === game.mover ? valueOf(after) : -valueOf(after)];
  }));
}

/** Returns the right edges of a lesson in a position. */
function rightEdges(lesson, game) {
  const margins = marginsOf(game);
  const best = Math.max(...margins.values());
  const { [lesson.goal]: isGoal } = GOALS;
  return game.undrawn().filter((edge) => margins.get(edge) === best || isGoal(game, edge, margins.get(edge)));
}

/** Returns the sets of open boxes that hang together, as arrays. */
function partsOf(game) {
  const seen = new Set();
  const reach = (box) => {
    if (seen.has(box)) return [];
    seen.add(box);
    const open = game.board.edgesOf(box).filter((edge) => !game.drawn[edge]);
    return [box, ...open.flatMap((edge) => game.board.boxesOf(edge)).flatMap(reach)];
  };
  return game.owners.flatMap((owner, box) => (owner === null && !seen.has(box) ? [reach(box)] : []));
}

const lengths = (game) => partsOf(game).map((part) => part.length).sort((a, b) => a - b);
const names = (game, edges) => edges.map((edge) => game.board.nameOf(edge)).sort().join(" ");

/** Returns the position as text. */
function drawing(game) {
  const { rows, cols } = game.board;
  const list = (length, text) => Array.from({ length }, (_, at) => text(at)).join("");
  const line = (row) => list(cols, (col) => (game.drawn[game.board.horizontal(row, col)] ? "+---" : "+   "));
  const boxes = (row) => list(cols + 1, (col) => {
    const owner = col < cols ? game.owners[row * cols + col] : null;
    return `${game.drawn[game.board.vertical(row, col)] ? "|" : " "} ${owner === null ? " " : "BO"[owner]} `;
  });
  return list(rows + 1, (row) => `${line(row)}+\n${row < rows ? `${boxes(row)}\n` : ""}`);
}

await report.check("lessons: every lesson has facts, and a name of its own", () => {
  assert.deepEqual(LESSONS.map(({ id }) => id), Object.keys(FACTS));
  assert.equal(new Set(LESSONS.map(({ title }) => title)).size, LESSONS.length);
  for (const lesson of LESSONS) for (const text of ["title", "teach", "task", "hint", "done"]) assert.ok(lesson[text]);
});

for (const lesson of LESSONS) {
  await report.check(`lesson ${lesson.id}: what it says is so`, () => {
    // The states of a game from the empty board, so that the position is legal and reachable.
    const game = gamesOf(lesson).at(-1);
    if (process.argv.includes("--draw")) console.log(drawing(game));
    const facts = FACTS[lesson.id];
    assert.equal(game.mover, 0, "the person is Blue");
    assert.equal(valueOf(game), facts.best);
    const right = rightEdges(lesson, game);
    const wrong = game.undrawn().filter((edge) => !right.includes(edge));
    assert.ok(right.length > 0 && wrong.length > 0);
    if (facts.right) assert.equal(names(game, right), facts.right);
    if (facts.wrong) assert.equal(names(game, wrong), facts.wrong);
    if (facts.safe !== undefined) assert.equal(game.undrawn().filter((edge) => isSafe(game, edge)).length, facts.safe);
    assert.equal(offeredBoxes(game).length, facts.offered ?? (lesson.id === "close" ? 2 : 0));
    if (facts.parts) assert.deepEqual(lengths(game), facts.parts);
    for (const [edges, parts] of Object.entries(facts.after ?? {})) {
      const after = edges.split(" ").reduce((state, name) => state.play(game.board.edge(name)), game);
      assert.deepEqual(lengths(after), parts, edges);
    }
  });

  await report.check(`lesson ${lesson.id}: it ends, whichever right edges are drawn`, () => {
    const start = gamesOf(lesson).at(-1);
    const isDone = (game) => game.over || ENDS[lesson.ends](game, start.mover);
    const seen = new Set();
    const follow = (game) => {
      const key = game.drawn.map(Number).join("");
      if (seen.has(key)) return;
      seen.add(key);
      const person = game.mover === start.mover;
      const edges = person ? rightEdges(lesson, game) : rightEdges({ goal: "best" }, game);
      assert.ok(edges.length > 0);
      for (const edge of edges) {
        const next = game.play(edge);
        const done = person && isDone(next);
        if (done && lesson.goal === "win" && next.over) assert.ok(next.margin(start.mover) > 0);
        if (!done && !next.over) follow(next);
      }
    };
    follow(start);
  });
}

await report.check("lessons: the further claims", () => {
  const after = (id, ...edges) => edges.reduce((state, name) => state.play(state.board.edge(name)), start(id));
  const start = (id) => gamesOf(LESSONS.find((lesson) => lesson.id === id)).at(-1);
  const safe = (game) => game.undrawn().filter((edge) => isSafe(game, edge)).length;
  // No safe edge is left after the last one.
  const last = { last: "V1,0", opening: "H0,1", count: "H2,2", noloop: "V2,2" };
  for (const [id, edge] of Object.entries(last)) assert.equal(safe(after(id, edge)), 0);
  // Both safe edges of the other way lead to a loop of four: as many undrawn edges as boxes.
  const looped = after("noloop", "H3,1", "H3,2");
  const [loop] = partsOf(looped).filter((part) => part.length === 4);
  const around = loop.flatMap((box) => looped.board.edgesOf(box));
  assert.equal(new Set(around.filter((edge) => !looped.drawn[edge])).size, 4);
  // The sacrifice wins 6 to 3, and every safe edge loses 3 to 6.
  const sacrifice = start("sacrifice");
  for (const [edge, margin] of marginsOf(sacrifice)) if (isSafe(sacrifice, edge)) assert.equal(margin, -3);
  // The chain of two, opened in the middle, offers two boxes that no single edge closes.
  const middle = after("middle", "V0,1");
  assert.equal(offeredBoxes(middle).length, 2);
  assert.ok(middle.undrawn().every((edge) => middle.play(edge).captured.length < 2));
  // 7 to 2, and 8 to 4 with a loop left.
  assert.deepEqual([valueOf(start("control")), valueOf(start("loop"))], [7 - 2, 8 - 4]);
  assert.ok([...marginsOf(start("control"))].some(([edge]) => captures(start("control"), edge)));
});

/** Returns what a bot answers about a position, by search. */
function analysisOf(game) {
  const line = [];
  let state = game;
  while (!state.over) {
    const margins = marginsOf(state);
    const best = Math.max(...margins.values());
    const edge = [...margins].find(([, margin]) => margin === best)[0];
    line.push(edge);
    state = state.play(edge);
  }
  const value = valueOf(game);
  const chains = partsOf(game).map((boxes) => ({ boxes, length: boxes.length }));
  return { lower: value, upper: value, line, chains, loops: [], controls: null };
}

await report.check("reasons: what is given away, what is taken, how many boxes it costs", () => {
  const reason = (id, name) => {
    const before = gamesOf(LESSONS.find((lesson) => lesson.id === id)).at(-1);
    const after = before.play(before.board.edge(name));
    const result = analysisOf(after);
    const states = [];
    for (const edge of result.line) states.push((states.at(-1) ?? after).play(edge));
    assert.ok(demonstrated(after, states, before.mover).length > 0);
    return reasonOf({ before, after, states, known: analysisOf(before), result });
  };
  assert.equal(reason("shortest", "V1,1"), "This opens the chain of 5. Orange takes all 5. "
    + "From here, with best play, Orange wins 8 to 1. That costs you 5 boxes.");
  assert.equal(reason("decline", "V0,2"), "That takes too much: you can no longer keep control. "
    + "Orange takes 6 boxes. From here, with best play, Orange wins 6 to 3. That costs you 4 boxes.");
  assert.match(reason("middle", "V0,0"), /^This opens the chain of 2\. Orange declines the last 2 and keeps control\./);
});

await report.check("reasons: where a gift is reason enough, each wrong edge gives one", () => {
  const gamesReached = (lesson) => {
    const [start] = gamesOf(lesson).slice(-1);
    const games = [start];
    for (const game of games) {
      for (const edge of rightEdges(lesson, game)) {
        const next = game.play(edge);
        if (next.mover === start.mover && !next.over && !ENDS[lesson.ends](next, start.mover)) games.push(next);
      }
    }
    return games;
  };
  const lessons = LESSONS.filter((lesson) => taskOf(lesson).byRules);
  assert.deepEqual(lessons.map(({ id }) => id), ["close", "third", "gift"]);
  for (const lesson of lessons) {
    for (const game of gamesReached(lesson)) {
      const right = rightEdges(lesson, game);
      for (const edge of right) assert.ok(GOALS[lesson.goal](game, edge), "a best line reaches the goal, too");
      for (const edge of game.undrawn().filter((candidate) => !right.includes(candidate))) {
        const after = game.play(edge);
        const states = giftStates(after);
        assert.ok(states.length > 0 && states.every((state) => state.captured.length));
        // One line closes two boxes at most.
        const takes = states.length > 1 ? /takes (both|all \d) in a row/ : /closes (it|the box|both with one line)/;
        assert.match(giftReason(game, after), takes);
        assert.match(giftReason(game, after), /( and moves again)?\.$/);
        assert.doesNotMatch(giftReason(game, after), /cost|best play/);
      }
    }
  }
  const reason = (id, name) => {
    const game = gamesOf(LESSONS.find((lesson) => lesson.id === id)).at(-1);
    return giftReason(game, game.play(game.board.edge(name)));
  };
  assert.equal(reason("third", "V0,1"),
    "This is the third side of a box. Orange closes the box and moves again.");
  assert.equal(reason("gift", "H3,0"), "You leave 1 box to Orange. Orange closes it and moves again.");
});

await report.check("grader: a position is asked about anew after a stop, before the old question is rejected", async () => {
  const game = gamesOf(LESSONS[0]).at(-1);
  const asked = [];
  const client = {
    ask: () => new Promise((resolve, reject) => asked.push({ resolve, reject })),
    stop: () => {},
  };
  const grader = new Grader(client);
  const ahead = grader.prepare(game);
  grader.stop();
  const answer = grader.analyze(game, () => true);
  asked[0].reject(new Stopped());
  await ahead;
  assert.equal(asked.length, 2);
  asked[1].resolve({ lower: 1, upper: 1, edges: [] });
  assert.equal((await answer).lower, 1);
  // A question about another position cancels the last one, too.
  const [other, third] = [game.play(game.undrawn()[0]), game.play(game.undrawn()[1])];
  const first = grader.analyze(other, () => true).catch((error) => error);
  const second = grader.analyze(third, () => true).catch((error) => error);
  const again = grader.analyze(other, () => true);
  for (const canceled of [2, 3]) asked[canceled].reject(new Stopped());
  asked[4].resolve({ lower: 2, upper: 2, edges: [] });
  assert.equal((await again).lower, 2);
  for (const error of await Promise.all([first, second])) assert.ok(error instanceof Stopped);
});

await report.check("grader: an edge is the best only where that is proved", () => {
  const game = new Game(new Board(1, 1));
  const verdicts = (bounds, [least, most] = [-1, 1]) => {
    const edges = bounds.map(([lower, upper], at) => ({ edge: game.board.nameOf(at), lower, upper }));
    return edges.map((_, at) => isBest(game, { lower: least, upper: most, edges }, at));
  };
  assert.deepEqual(verdicts([[1, 1], [-1, -1], [1, 1], [-1, -1]]), [true, false, true, false]);
  assert.deepEqual(verdicts([[-1, 1], [-1, 1], [-1, 1], [-1, 1]]), [null, null, null, null]);
  assert.deepEqual(verdicts([[1, 1], [-1, 1], [-1, -1], [-1, 1]]), [true, null, false, null]);
  // Where the value is known, an edge that is open does not matter to others.
  assert.deepEqual(verdicts([[-1, -1], [-1, 1], [-1, -1], [-1, -1]], [-1, -1]), [true, true, true, true]);
  assert.deepEqual(verdicts([[-1, -1], [-1, 1], [-1, 1], [-1, -1]], [1, 1]), [false, null, null, false]);
});

await report.check("done: a game that is won by less than it could be is not called best", () => {
  const lesson = LESSONS.at(-1);
  const won = (margin) => doneWords(lesson, { best: 3 }, { over: true, board: { boxes: 9 }, margin: () => margin }, 0);
  assert.equal(won(3), lesson.done);
  assert.equal(won(1), `${lesson.done} You won 5 to 4. The best lines win 6 to 3.`);
});

await report.check("words: the course says control, parity and line, as the review does", () => {
  const texts = (id) => Object.values(LESSONS.find((lesson) => lesson.id === id)).join(" ");
  assert.match(texts("decline"), /in control/);
  assert.match(texts("count"), /has the parity/);
  for (const { id } of LESSONS) assert.doesNotMatch(texts(id), /\bedges?\b/);
});

await report.check("progress: kept, without what is not a step", () => {
  const storage = storageOf("course", JSON.stringify({ done: ["close", "no such step", 7] }));
  const progress = new Progress(storage);
  assert.deepEqual([progress.count, progress.next.id], [1, "third"]);
  progress.add(progress.next);
  assert.deepEqual([new Progress(storage).count, new Progress(storage).next.id], [2, "gift"]);
  for (const damaged of ["{{", "7", '{"done":7}']) {
    const other = storageOf("course", damaged);
    const anew = new Progress(other);
    assert.equal(anew.count, 0);
    anew.add(LESSONS[0]);
    assert.match(anew.fault, /cannot be read.*kept aside as "doublecross\.course\.damaged"/);
    assert.deepEqual([new Progress(other).count, other.getItem("doublecross.course.damaged")], [1, damaged]);
  }
  const refuse = () => {
    throw new Error("forbidden");
  };
  const refused = new Progress({ getItem: refuse, setItem: refuse });
  refused.add(LESSONS[0]);
  assert.match(refused.fault, /forbidden/);
  assert.ok(refused.has(LESSONS[0]));
});

report.end();
