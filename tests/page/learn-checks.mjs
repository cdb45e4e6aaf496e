// Checks of the tab to learn the game: the course, the puzzle of the day and the puzzle rush.
import { sleep } from "./browser.mjs";
import { clickEdge, each, open, openTab, shown, text } from "./page.mjs";
import { assert } from "./report.mjs";
import { site } from "./site.mjs";

const { LESSONS } = await site("learn/lessons.js");
const { readPuzzles } = await site("learn/puzzles.js");
const { dayOf, daysAfter, indexOf } = await site("learn/daily.js");
const { fragmentOf } = await site("share/notation.js");

const words = (browser) => text(browser, "learn-words");
const says = (browser, pattern) =>
  browser.until(`${pattern}.test(document.getElementById("learn-words").textContent)`, 20_000);
const button = (browser, name) => browser.until(`document.getElementById("learn-${name}").checkVisibility()`, 20_000)
  .then(() => browser.click(`#learn-${name}`));

/** Waits until a person may draw. */
const drawable = (browser) => browser.until("document.querySelector('#board.open') !== null", 20_000);

/** Opens a step of the course. */
async function step(browser, url, id) {
  await open(browser, url);
  await openTab(browser, "learn");
  await browser.click("#learn-course");
  await browser.click(`#course-list li:nth-child(${1 + LESSONS.findIndex((lesson) => lesson.id === id)}) button`);
  await drawable(browser);
}

/** Draws edges, one after another, waiting for the replies to each. */
async function draw(browser, ...names) {
  for (const name of names) {
    await drawable(browser);
    await clickEdge(browser, name);
    await browser.until(`document.querySelector('[data-edge="${name}"]').classList.contains("drawn")`);
  }
}

/** Returns the puzzles that the page at an address has. */
const puzzlesOf = async (url) => readPuzzles(await (await fetch(new URL("puzzles.json", url))).text()).puzzles;

const solution = ({ games, edges }) => games[0].board.nameOf(edges[0]);

/** Returns an edge of a puzzle that does not win. */
const wrongEdge = ({ games, edges }) => {
  const game = games.at(-1);
  return game.board.nameOf(game.undrawn().find((edge) => !edges.includes(edge)));
};

/** Returns the puzzle that the page shows. */
async function shownPuzzle(browser, puzzles) {
  const fragment = fragmentOf(await shown(browser)).slice(1);
  return puzzles.find(({ id }) => id === fragment);
}

async function openPuzzles(browser, url, part) {
  await open(browser, url);
  await openTab(browser, "learn");
  await browser.click(`#learn-${part}`);
}

export const learnChecks = {
  "course: a right answer, the next step, and a mark that is kept": async (browser, { url, shoot }) => {
    await step(browser, url, "close");
    await shoot("learn-course");
    await draw(browser, "V0,1", "V0,2");
    await says(browser, "/^Two boxes in one turn/");
    await button(browser, "next");
    assert.match(await text(browser, "learn-title"), /^2\. /);
    assert.match(await text(browser, "course-note"), /^1 of \d+ done/);
    await open(browser, url);
    await openTab(browser, "learn");
    assert.match(await text(browser, "learn-title"), /^2\. /);
    assert.equal((await each(browser, "#course-list button", "item.textContent"))[0], "✓Close a box, done");
  },

  "course: any right answer counts": async (browser, { url }) => {
    for (const edge of ["H0,0", "V0,0"]) {
      await step(browser, url, "shortest");
      await draw(browser, edge);
      await says(browser, "/^One box is a small price/");
    }
    // The hint is there before any mistake.
    await step(browser, url, "third");
    await button(browser, "hint");
    assert.match(await words(browser), /^Leave the boxes alone/);
    // A wrong line is blamed for what it gives away: a safe one may end no better.
    await draw(browser, "V0,1");
    await says(browser, "/^This is the third side of a box\\. Orange closes the box and moves again\\.$/");
    // A safe edge is right where a safe one is asked for, though another has a better margin.
    await step(browser, url, "third");
    await draw(browser, "H2,1");
    await says(browser, "/called safe/");
  },

  "course: a wrong answer is refuted on the board, and tried again": async (browser, { url, shoot }) => {
    await step(browser, url, "shortest");
    const before = await shown(browser);
    await draw(browser, "V1,1");
    await says(browser, "/^This opens the chain of 5\\. Orange takes all 5\\. .* wins 8 to 1\\. .* 5 boxes\\.$/");
    assert.equal(await browser.evaluate("document.querySelector('#board.open')"), null);
    await browser.until("document.querySelectorAll('.edge:not(.drawn)').length === 0", 20_000);
    await shoot("learn-wrong");
    const end = await shown(browser);
    assert.deepEqual([end.scores, end.moves[before.moves.length]], [[1, 8], before.board.vertical(1, 1)]);
    assert.equal(await text(browser, "score-1"), "8");
    assert.equal(await text(browser, "status"), "This would follow. Orange wins 8 to 1.");
    await button(browser, "retry");
    await drawable(browser);
    assert.deepEqual((await shown(browser)).moves, before.moves);
    await button(browser, "hint");
    assert.match(await words(browser), /chain of one/);
    await button(browser, "light");
    await browser.until("document.querySelectorAll('.edge.lit').length === 1");
    assert.match(await words(browser), /^A right line is lit up: (horizontal|vertical) line, row 0, column 0\./);
    await draw(browser, await browser.evaluate("document.querySelector('.edge.lit').dataset.edge"));
    await says(browser, "/^One box is a small price/");
    assert.equal(await browser.evaluate("document.querySelectorAll('.edge.lit').length"), 0);
  },

  "course: a mistake in a step of several moves": async (browser, { url }) => {
    await step(browser, url, "control");
    await draw(browser, "V0,1", "V0,2", "H1,2");
    // A third box loses control. Back, the two boxes taken before are still there.
    await says(browser, "/^That takes too much.*That costs you \\d boxes/");
    assert.match(await text(browser, "status"), /^This would follow\./);
    await button(browser, "retry");
    await drawable(browser);
    assert.deepEqual((await shown(browser)).scores, [2, 0]);
    await button(browser, "restart");
    await drawable(browser);
    assert.deepEqual((await shown(browser)).scores, [0, 0]);
  },

  "course: a whole ending is won by right lines": async (browser, { url, shoot }) => {
    await step(browser, url, "loop");
    await draw(browser, "V2,1");
    for (let moves = 0; moves < 6; moves++) {
      const goesOn = "document.querySelector('#board.open') || !document.querySelector('.edge:not(.drawn)')";
      await browser.until(goesOn, 20_000);
      const game = await shown(browser);
      if (game.over) break;
      const edge = game.undrawn().find((candidate) => game.play(candidate).captured.length);
      await draw(browser, game.board.nameOf(edge));
    }
    await says(browser, "/^You gave the whole loop away/");
    assert.deepEqual((await shown(browser)).scores, [8, 4]);
    await shoot("learn-loop");
  },

  "course: by keyboard alone": async (browser, { url }) => {
    await step(browser, url, "middle");
    await browser.evaluate(`document.querySelector('[data-edge="V0,0"]').focus()`);
    await browser.key("ArrowRight");
    assert.equal(await browser.evaluate("document.activeElement.dataset.edge"), "V0,1");
    await browser.key("ArrowLeft");
    await browser.key("Enter");
    await browser.until("document.activeElement.id === 'learn-retry'", 20_000);
    await browser.key("Enter");
    await browser.until("document.activeElement.dataset.edge !== undefined");
    await browser.evaluate(`document.querySelector('[data-edge="V0,1"]').focus()`);
    await browser.key(" ");
    await browser.until("document.activeElement.id === 'learn-next'", 20_000);
    await browser.key("Enter");
    assert.equal(await browser.evaluate("document.activeElement.id"), "learn-title");
    assert.match(await text(browser, "learn-title"), /Count the long chains/);
    // Nothing of the play tab answers to its keys here.
    for (const key of ["u", "h", "a", "n"]) await browser.key(key);
    assert.match(await text(browser, "learn-title"), /Count the long chains/);
    assert.equal(await browser.evaluate("document.getElementById('toolbar').checkVisibility()"), false);
  },

  "course: the game in the play tab and its address stay": async (browser, { url }) => {
    await open(browser, `${url}#2x2/00`);
    await openTab(browser, "learn");
    await drawable(browser);
    await browser.evaluate("new Promise((done) => setTimeout(done, 500))");
    assert.equal(await browser.evaluate("location.hash"), "#learn");
    await browser.click("#tab-play");
    assert.match(await browser.evaluate("document.documentElement.dataset.game"), /^2x2 H0,0/);
    await browser.until("location.hash.startsWith('#2x2/00')");
    assert.ok(await browser.evaluate("document.getElementById('toolbar').checkVisibility()"));
  },

  "a reload comes back to the part, the step and the day that were open": async (browser, { url }) => {
    const yesterday = daysAfter(dayOf(Date.now()), -1);
    const title = () => text(browser, "learn-title");
    const stays = async (part, hash = "#learn") => {
      await browser.until(`document.getElementById("learn-${part}").getAttribute("aria-pressed") === "true"`);
      if (part !== "rush") await drawable(browser);
      const before = await title();
      await browser.evaluate("location.reload()");
      await sleep(300);
      await browser.until(`document.getElementById("learn-title")?.textContent === ${JSON.stringify(before)}`);
      assert.equal(await browser.evaluate("document.querySelector('.parts [aria-pressed=true]').id"), `learn-${part}`);
      assert.equal(await browser.evaluate("location.hash"), hash);
    };
    await step(browser, url, "loop");
    await stays("course");
    await browser.click("#learn-daily");
    await stays("daily");
    await browser.click("#day-earlier");
    await stays("daily");
    await browser.click("#learn-rush");
    await stays("rush");
    // The address of a puzzle stays as long as that is open.
    await open(browser, `${url}#puzzle/${yesterday}`);
    await stays("daily", `#puzzle/${yesterday}`);
    await browser.click("#day-later");
    await stays("daily");
    await browser.click("#learn-course");
    await stays("course");
  },

  "daily: wrong, then right, and the text to share": async (browser, { url, shoot }) => {
    const puzzles = await puzzlesOf(url);
    const today = dayOf(Date.now());
    const puzzle = puzzles[indexOf(today, puzzles.length)];
    await openPuzzles(browser, url, "daily");
    await drawable(browser);
    await shoot("learn-daily");
    assert.match(await text(browser, "learn-teach"), /^Difficulty: level \d \([\w-]+\)\.$/);
    assert.equal((await shownPuzzle(browser, puzzles)).id, puzzle.id);
    assert.equal(await browser.evaluate("document.getElementById('day-share').checkVisibility()"), false);
    await draw(browser, wrongEdge(puzzle));
    await says(browser, "/./");
    await button(browser, "retry");
    await draw(browser, solution(puzzle));
    await says(browser, "/^Right\\. With best play, it wins by/");
    assert.match(await browser.evaluate("document.getElementById('day-text').value"),
      new RegExp(`^doublecross puzzle, .*: solved on the second try\n.*#puzzle/${today}$`));
    assert.match(await text(browser, "day-streak"), /Solved 1 day in a row/);
    await button(browser, "play-out");
    await browser.until("document.getElementById('board').classList.contains('open') === false");
    await open(browser, url);
    await openTab(browser, "learn");
    await browser.click("#learn-daily");
    await browser.until("/Solved 1 day in a row/.test(document.getElementById('day-streak').textContent)");
  },

  "daily: earlier days, their addresses, and the solution": async (browser, { url }) => {
    const puzzles = await puzzlesOf(url);
    const yesterday = daysAfter(dayOf(Date.now()), -1);
    const puzzle = puzzles[indexOf(yesterday, puzzles.length)];
    await openPuzzles(browser, url, "daily");
    await drawable(browser);
    await browser.click("#day-earlier");
    await drawable(browser);
    assert.equal((await shownPuzzle(browser, puzzles)).id, puzzle.id);
    await open(browser, `${url}#puzzle/${yesterday}`);
    await drawable(browser);
    assert.equal((await shownPuzzle(browser, puzzles)).id, puzzle.id);
    assert.equal(await browser.evaluate("document.getElementById('tab-learn').getAttribute('aria-selected')"), "true");
    await button(browser, "solve");
    await says(browser, "/^The solution is the (horizontal|vertical) line/");
    assert.equal((await shown(browser)).last, puzzle.edges[0]);
    assert.equal(await browser.evaluate("document.getElementById('day-share').checkVisibility()"), false);
    await browser.click("#day-later");
    await browser.until("document.getElementById('day-later').disabled");
  },

  "daily: an address of a day without a puzzle is reported": async (browser, { url }) => {
    const tomorrow = daysAfter(dayOf(Date.now()), 1);
    for (const day of ["2026-02-31", "1999-01-01", "2999-01-01", tomorrow, "2026-1-1", "today", ""]) {
      await open(browser, `${url}#puzzle/${day}`);
      await browser.until("document.getElementById('notice').checkVisibility()");
      assert.match(await text(browser, "notice"), /cannot be opened/, day);
      assert.equal(await browser.evaluate("location.hash"), `#puzzle/${day}`);
      assert.equal(await browser.evaluate("document.getElementById('learn-panel').checkVisibility()"), false, day);
    }
  },

  "rush: to its end, and the missed ones again": async (browser, { url, shoot }) => {
    const puzzles = await puzzlesOf(url);
    await openPuzzles(browser, url, "rush");
    // The first puzzle is on show, but closed.
    await says(browser, "/^Press Start/");
    const first = await shownPuzzle(browser, puzzles);
    assert.equal(first.level, 1);
    assert.equal(await browser.evaluate("document.querySelector('#board.open')"), null);
    await shoot("learn-rush-start");
    await button(browser, "start");
    await drawable(browser);
    assert.equal((await shownPuzzle(browser, puzzles)).id, first.id);
    const missed = [];
    for (const [number, right] of [true, false, true, false, false].entries()) {
      await browser.until(`document.getElementById("learn-title").textContent === "Puzzle ${number + 1}"`);
      await drawable(browser);
      const puzzle = await shownPuzzle(browser, puzzles);
      if (!right) missed.push(puzzle.id);
      await draw(browser, right ? solution(puzzle) : wrongEdge(puzzle));
      await says(browser, right ? "/^Right/" : "/^Wrong/");
      if (number === 1) await shoot("learn-rush");
    }
    await says(browser, "/^The rush is over: 2 puzzles solved\\. Your best so far!/");
    assert.match(await text(browser, "rush-best"), /Best score: 2\./);
    // The last answer stays on show.
    const end = fragmentOf(await shown(browser)).slice(1);
    assert.ok(end.startsWith(missed[2]) && end.length === missed[2].length + 2, end);
    assert.equal(await browser.evaluate("document.querySelectorAll('#rush-missed li').length"), 3);
    await shoot("learn-rush-end");
    await browser.click("#rush-missed li:nth-child(2) button");
    await drawable(browser);
    const puzzle = await shownPuzzle(browser, puzzles);
    assert.equal(puzzle.id, missed[1]);
    await draw(browser, solution(puzzle));
    await says(browser, "/^Right/");
    await button(browser, "back");
    assert.match(await text(browser, "rush-best"), /Best score: 2\./);
    await openPuzzles(browser, url, "rush");
    await browser.until("/Best score: 2\\./.test(document.getElementById('rush-best').textContent)");
  },

  "rush: against the clock": async (browser, { url }) => {
    await openPuzzles(browser, url, "rush");
    await says(browser, "/^Press Start/");
    await browser.click("#rush-timed");
    await button(browser, "start");
    await browser.until("/^2:5\\d left$/.test(document.getElementById('rush-clock').textContent)");
    await browser.evaluate("Date.now = () => new Date().getTime() + 181_000");
    await says(browser, "/^The rush is over: 0 puzzles solved/");
  },

  "a missing or damaged file of puzzles is reported, and loaded again": async (browser, { url }) => {
    const sound = await (await fetch(new URL("puzzles.json", url))).text();
    for (const damaged of ["{", '{"format":1,"puzzles":[{"game":"5x5/zz"}]}', '{"format":9}']) {
      let answer = damaged;
      await browser.answer({ "puzzles.json": () => answer });
      await openPuzzles(browser, url, "daily");
      await says(browser, "/^The puzzles cannot be loaded: /");
      answer = sound;
      await button(browser, "load");
      await drawable(browser);
    }
    await browser.answer({});
    // The course does without.
    await browser.click("#learn-course");
    await drawable(browser);
  },

  "without bots the course says why it cannot check": async (browser, { url }) => {
    await browser.answer({ "bots.json": () => '{"bots":[]}' });
    await step(browser, url, "middle");
    await clickEdge(browser, "V0,1");
    await says(browser, "/^This cannot be checked: there is no bot/");
    await browser.answer({});
  },

  "damaged progress is reported, and the course begins anew": async (browser, { url }) => {
    await open(browser, url);
    await browser.evaluate("localStorage.setItem('doublecross.course', '{{damaged')");
    await open(browser, url);
    await openTab(browser, "learn");
    assert.match(await text(browser, "course-note"), /cannot be read/);
    assert.match(await text(browser, "learn-title"), /^1\. /);
  },

  "learning in a window: the whole board is in view, with room below it": async (browser, { url }) => {
    const room = "innerHeight - document.querySelector('.board-frame').getBoundingClientRect().bottom";
    for (const [width, height] of [[1280, 900], [1366, 768], [1920, 1080]]) {
      await browser.setViewport(width, height);
      for (const { id } of LESSONS.filter((lesson) => ["close", "decline", "loop"].includes(lesson.id))) {
        await step(browser, url, id);
        await browser.evaluate("scrollTo(0, 0)");
        assert.ok(await browser.evaluate(room) >= 12, `${id} at ${width}x${height}`);
      }
      for (const part of ["daily", "rush"]) {
        await openPuzzles(browser, url, part);
        await browser.until("document.getElementById('board').getBoundingClientRect().height > 200");
        assert.ok(await browser.evaluate(room) >= 12, `${part} at ${width}x${height}`);
      }
    }
    await browser.setViewport(1280, 900);
  },

  "learning on a phone": async (browser, { url, shoot }) => {
    await browser.setViewport(360, 740, true);
    await step(browser, url, "shortest");
    const place = "[item.getBoundingClientRect().top, item.id]";
    const order = await each(browser, "#learn-text, #board, #learn-panel", place);
    assert.deepEqual(order.sort(([a], [b]) => a - b).map(([, id]) => id), ["learn-text", "board", "learn-panel"]);
    // The names fit in a line.
    const lines = "item.getBoundingClientRect().height / parseFloat(getComputedStyle(item).lineHeight)";
    assert.deepEqual((await each(browser, ".player b", lines)).map(Math.round), [1, 1]);
    await clickEdge(browser, "V1,1");
    await says(browser, "/That costs you/");
    const seen = "(item => item.top >= 0 && item.bottom <= innerHeight)(item.getBoundingClientRect())";
    assert.deepEqual(await each(browser, "#learn-feedback, #learn-retry, #board", seen), [true, true, true]);
    await shoot("phone-learn");
    for (const part of ["course", "daily", "rush"]) {
      await browser.click(`#learn-${part}`);
      await browser.until(`document.getElementById("learn-${part}").getAttribute("aria-pressed") === "true"`);
      assert.ok(await browser.evaluate("document.scrollingElement.scrollWidth") <= 360, part);
      const small = "item.checkVisibility() && item.getBoundingClientRect().height < 40 ? item.outerHTML : null";
      assert.deepEqual((await each(browser, "button", small)).filter(Boolean), []);
    }
    await browser.setViewport(1280, 900);
  },
};
