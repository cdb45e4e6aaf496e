// Checks of the tab of scores: games that are opened again, comments and names, opponents, and files.
import { clickEdge, each, finished, newGame, open, openTab, shown, text } from "./page.mjs";
import { assert } from "./report.mjs";
import { site } from "./site.mjs";

const { Board } = await site("doublecross/rules.js");
const { movesText } = await site("share/notation.js");

const GAME = finished(new Board(2, 2), 5);
const SCORE = GAME.scores.join(" – ");

/** Returns the result of the `at`th of some games. */
function resultOf(at, changes = {}) {
  return {
    board: "2x2", strength: "level:3", seat: 0, margin: GAME.margin(0), date: new Date(Date.UTC(2026, 0, 1, 12, at)).toISOString(),
    helps: [], moves: movesText(GAME), seconds: 200, ...changes,
  };
}

/** Loads the page with these results, and opens the tab of scores. */
async function openScores(browser, url, results) {
  await open(browser, url);
  await browser.evaluate(`localStorage.setItem("doublecross.results", ${JSON.stringify(JSON.stringify(results))})`);
  await open(browser, url);
  await openTab(browser, "scores");
}

const rows = (browser) => each(browser, ".games tbody tr", "[...item.cells].slice(0, 7).map((cell) => cell.textContent)");

const stored = async (browser) => JSON.parse(await browser.evaluate("localStorage.getItem('doublecross.results')"));

/** Writes into a field, as a person does who then leaves it. */
const write = (browser, selector, value) => browser.evaluate(`(() => {
  const input = document.querySelector(${JSON.stringify(selector)});
  input.value = ${JSON.stringify(value)};
  input.dispatchEvent(new Event("change", { bubbles: true }));
})()`);

/** Plays the game on show to its end, with the first line that is left each time. */
async function playOut(browser) {
  for (;;) {
    await browser.until(`document.querySelector("#board.open") || !document.querySelector(".edge:not(.drawn)")`, 15_000);
    const game = await shown(browser);
    if (game.over) return game;
    await clickEdge(browser, game.board.nameOf(game.undrawn()[0]));
    await browser.until(`document.documentElement.dataset.game !== ${JSON.stringify(game.text)}`);
  }
}

export const scoresChecks = {
  "scores: a game is listed, opened at its end, and counts once": async (browser, { url }) => {
    await openScores(browser, url, []);
    await write(browser, "#scores-name", "Ada");
    await newGame(browser, url, { opponent: "level:1", size: "1x1", seat: 1 });
    const game = await playOut(browser);
    await openTab(browser, "scores");
    const score = [...game.scores].reverse().join(" – ");
    const [[, ...cells]] = await rows(browser);
    assert.deepEqual(cells.filter((_, at) => at !== 4), ["First-timer", "1x1", "Orange", score, ""]);
    assert.match(cells[4], /^0:\d\d$/);
    const [{ moves, name }] = await stored(browser);
    assert.deepEqual([moves, name], [movesText(game), "Ada"]);
    await newGame(browser, url, { opponent: "level:2", size: "2x2" });
    await openTab(browser, "scores");
    await browser.click(".games button");
    await browser.until("document.documentElement.dataset.tab === 'play'");
    assert.equal((await shown(browser)).text, game.text);
    assert.deepEqual([await text(browser, "name-0"), await text(browser, "name-1")], ["First-timer", "Ada"]);
    assert.ok(await browser.evaluate("document.activeElement.id === 'review-run' && document.getElementById('ending').hidden"));
    // Neither its end nor another one after an undo is a second result.
    await browser.click("#undo");
    await playOut(browser);
    await openTab(browser, "scores");
    assert.equal((await rows(browser)).length, 1);
    await open(browser, url);
    await openTab(browser, "scores");
    assert.equal((await rows(browser)).length, 1);
  },

  "scores: a comment is kept, also while another tab adds a game": async (browser, { url }) => {
    await openScores(browser, url, [resultOf(1), resultOf(2, { seconds: undefined, moves: undefined, helps: ["hint"] })]);
    assert.deepEqual(await rows(browser), [
      ["Jan 1, 2026", "Careful", "2x2", "Blue", SCORE, "", "hint"],
      ["Jan 1, 2026", "Careful", "2x2", "Blue", SCORE, "3:20", ""],
    ]);
    assert.deepEqual(await each(browser, ".games .open", "item.textContent"), ["not kept", "Open"]);
    await browser.click(".games tr:nth-child(2) input");
    for (const key of "abc") await browser.key(key);
    await browser.elsewhere(url, `import("./scores/results.js").then(({ addResult }) => addResult(${JSON.stringify(resultOf(3))}))`);
    await browser.until("document.querySelectorAll('.games tbody tr').length === 3");
    assert.equal(await browser.evaluate("document.activeElement.value"), "abc");
    await browser.key("d");
    await browser.key("Enter");
    await browser.until("/abcd/.test(localStorage.getItem('doublecross.results'))");
    assert.deepEqual((await stored(browser)).map(({ comment }) => comment), ["abcd", undefined, undefined]);
    assert.equal(await browser.evaluate("document.activeElement.value"), "abcd");
    // The best games have it too.
    await browser.click(".high [aria-expanded]");
    assert.deepEqual(await each(browser, ".list q", "item.textContent"), ["abcd"]);
    assert.ok(await browser.evaluate("document.querySelector('.list').checkVisibility()"));
    const write = `({ setComment }) => setComment(${JSON.stringify(resultOf(3))}, "from there")`;
    await browser.elsewhere(url, `import("./scores/results.js").then(${write})`);
    await browser.until("document.querySelector('.games input').value === 'from there'");
  },

  "scores: games by opponent, twenty at a time": async (browser, { url }) => {
    const results = Array.from({ length: 45 }, (_, at) => resultOf(at, { strength: at % 15 ? "level:3" : "level:5" }));
    await openScores(browser, url, [...results, resultOf(45, { strength: "net:gone" })]);
    const state = async () => [(await rows(browser)).length, await text(browser, "scores-shown")];
    assert.deepEqual(await state(), [20, "20 of 46 games"]);
    assert.deepEqual(await each(browser, "#scores-opponent option", "item.textContent"), ["All", "Careful", "Controller", "net:gone"]);
    await browser.click("#scores-more");
    assert.deepEqual(await state(), [40, "40 of 46 games"]);
    assert.ok(await browser.evaluate("document.activeElement === document.querySelectorAll('.games tbody tr')[20]"));
    await browser.click("#scores-more");
    assert.deepEqual(await state(), [46, "46 of 46 games"]);
    assert.equal(await browser.evaluate("document.getElementById('scores-more').checkVisibility()"), false);
    await browser.select("#scores-opponent", "level:5");
    assert.deepEqual(await state(), [3, "3 of 3 games"]);
    assert.deepEqual(await each(browser, "#scores-table tbody tr:first-child", "item.cells[0].textContent"), ["Controller"]);
    // A bot that the page has no longer.
    await browser.select("#scores-opponent", "net:gone");
    await browser.click(".games button");
    await browser.until("document.documentElement.dataset.tab === 'play'");
    assert.deepEqual([await text(browser, "name-0"), await text(browser, "name-1")], ["You", "net:gone"]);
  },

  "scores: a game that cannot be stored is listed, and stored with the next one": async (browser, { url }) => {
    await openScores(browser, url, []);
    const add = (result) => browser.evaluate(`import("./scores/results.js").then(({ addResult }) => addResult(${JSON.stringify(result)}))`);
    await browser.evaluate(`window.setItem = Storage.prototype.setItem;
      Storage.prototype.setItem = () => { throw new Error("there is no room"); }`);
    assert.match(await add(resultOf(1)), /cannot be stored in this browser: there is no room/);
    for (const tab of ["play", "scores"]) await openTab(browser, tab);
    assert.equal((await rows(browser)).length, 1);
    assert.match(await text(browser, "scores-note"), /^The games cannot be stored in this browser: there is no room\./);
    await browser.evaluate("Storage.prototype.setItem = window.setItem; 0");
    assert.equal(await add(resultOf(2)), null);
    assert.equal((await stored(browser)).length, 2);
  },

  "scores: damaged moves are reported": async (browser, { url }) => {
    await openScores(browser, url, [resultOf(1, { moves: "0000" })]);
    await browser.click(".games button");
    assert.match(await text(browser, "notice"), /^This game cannot be opened, its moves are damaged: move 2: H0,0 is drawn already\./);
  },

  "scores: all that is stored is exported, deleted and imported": async (browser, { url }) => {
    await openScores(browser, url, [resultOf(1, { comment: "mine" }), resultOf(2)]);
    await browser.evaluate(`localStorage.setItem("doublecross.rush", '{"free":7,"timed":2}');
      URL.createObjectURL = (blob) => ((window.saved = blob), "blob:none"); HTMLAnchorElement.prototype.click = () => {}`);
    await browser.click("#scores-export");
    const file = await browser.evaluate("saved.text()");
    await browser.evaluate("window.asked = null; window.confirm = (words) => ((window.asked = words), false)");
    await browser.click("#scores-clear");
    const asked = /^Delete 2 games with results, moves and comments\? Course, puzzles and settings stay\./;
    assert.match(await browser.evaluate("window.asked"), asked);
    assert.equal((await rows(browser)).length, 2);
    await browser.evaluate("window.confirm = () => true");
    await browser.click("#scores-clear");
    await browser.until("document.querySelectorAll('.games').length === 0");
    assert.equal(await browser.evaluate("localStorage.getItem('doublecross.results')"), null);
    const says = (pattern) => browser.until(`${pattern}.test(document.getElementById("scores-file-note").textContent)`);
    await browser.evaluate("localStorage.removeItem('doublecross.rush')");
    for (const words of ["/^Added: games, best scores\\./", "/^Nothing was added: what the file holds is here already/"]) {
      await browser.give("#scores-import", "all.json", file);
      await says(words);
      assert.deepEqual(await stored(browser), JSON.parse(file).stored.results);
    }
    assert.equal((await rows(browser)).length, 2);
    await browser.give("#scores-import", "other.json", '{"program":"other"}');
    await says("/^other\\.json cannot be imported: it was not exported by this page\\. Choose a file/");
    await browser.give("#scores-import", "part.json", file.replace('"free": 7', '"free": "x"'));
    await says("/^Nothing was added\\. Left out: best scores: a score is not a number\\.$/");
  },

  "scores: on a phone": async (browser, { url, shoot }) => {
    const long = { strength: "net:a-network-with-a-long-name", helps: ["hint", "undo", "analysis"], comment: "c".repeat(200) };
    await openScores(browser, url, [resultOf(1), resultOf(2, long), resultOf(3, { ...long, helps: [], name: "N".repeat(40) })]);
    await browser.evaluate(`document.querySelectorAll("[aria-expanded=false]").forEach((item) => item.click())`);
    for (const width of [320, 390, 700]) {
      await browser.setViewport(width, 800, true);
      const wide = await browser.evaluate("document.scrollingElement.scrollWidth");
      assert.ok(wide <= width, `${wide} in a window of ${width}`);
      const small = "item.checkVisibility() && item.getBoundingClientRect().height < 40 ? item.outerHTML : null";
      assert.deepEqual((await each(browser, "#scores :is(button, select, input)", small)).filter(Boolean), []);
    }
    await shoot("phone-scores-list");
    await browser.setViewport(1280, 900);
  },
};
