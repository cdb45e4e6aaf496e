// Checks of the settings of a game: the first visit, boards, opponents and stars.
import { choose, clickEdge, each, open, openFirst, openGame, played, text } from "./page.mjs";
import { assert } from "./report.mjs";
import { site } from "./site.mjs";

const { Board } = await site("doublecross/rules.js");

const isShown = (browser, id) => browser.evaluate(`document.getElementById("${id}").checkVisibility()`);
const game = (browser) => browser.evaluate("document.documentElement.dataset.game");

/** Stores results as a person's wins, each against an opponent on a board with some help. */
const win = (browser, wins) => browser.evaluate(`localStorage.setItem("doublecross.results", ${JSON.stringify(JSON.stringify(
  wins.map(([strength, board, helps]) => ({ board, strength, seat: 0, margin: 2 - (Board.parse(board).boxes % 2), date: "2026-01-01T00:00:00Z", helps })),
))})`);

export const setupChecks = {
  "the first visit: the rule in a sentence, and the easiest game": async (browser, { url, shoot }) => {
    await openFirst(browser, url);
    assert.equal(await game(browser), "3x3");
    assert.equal(await text(browser, "name-1"), "First-timer");
    assert.match(await text(browser, "welcome"), /^Draw a line between two dots\. /);
    assert.ok(await isShown(browser, "welcome"));
    await shoot("first");
    await openGame(browser, url, played(new Board(2, 2), ["H0,0"]));
    assert.ok(!(await isShown(browser, "welcome")));
    await win(browser, [["level:1", "3x3", []]]);
    await openFirst(browser, url);
    assert.ok(!(await isShown(browser, "welcome")));
  },

  "a game that has not begun follows the settings, which then fold away": async (browser, { url }) => {
    await openFirst(browser, url);
    await browser.click('#size label:has([value="4x4"])');
    await browser.until("document.documentElement.dataset.game === '4x4'");
    await browser.click('#opponent label:has([value="level:5"])');
    assert.equal(await text(browser, "name-1"), "Controller");
    assert.ok(!(await isShown(browser, "other-size")));
    await choose(browser, "size", "2x3");
    assert.ok(await isShown(browser, "other-size"));
    assert.equal(await game(browser), "2x3");
    // The opponent begins only when it is asked to.
    await browser.click('#seat label:has([value="1"])');
    assert.equal(await text(browser, "status"), "Controller begins: press Start.");
    // On a phone the settings, with their button, are below the window.
    assert.deepEqual([await text(browser, "new-game"), await text(browser, "run")], ["Start", "Start"]);
    await browser.click("#run");
    await browser.until("document.documentElement.dataset.game.split(' ').length === 2");
    assert.ok(!(await isShown(browser, "setup")));
    assert.equal(await text(browser, "setup-summary"), "Against Controller on 2 × 3");
    // Settings that are changed meanwhile are those of the next game.
    await browser.click("#setup-open");
    assert.equal(await browser.evaluate("document.activeElement.value"), "level:5");
    await choose(browser, "size", "3x3");
    await choose(browser, "opponent", "person");
    assert.ok(!(await isShown(browser, "seat")));
    assert.match(await game(browser), /^2x3 /);
    await browser.click("#new-game");
    await browser.until("document.documentElement.dataset.game === '3x3'");
    await clickEdge(browser, "H0,0");
    assert.equal(await text(browser, "setup-summary"), "Two people on 3 × 3");
    await choose(browser, "seat", "0");
  },

  "the settings are chosen by keyboard": async (browser, { url }) => {
    await openFirst(browser, url);
    await browser.evaluate("document.querySelector('#size :checked').focus()");
    await browser.key("ArrowRight");
    assert.equal(await game(browser), "4x4");
    await browser.key("Tab");
    await browser.key("ArrowDown");
    assert.equal(await text(browser, "name-1"), "Collector");
  },

  "stars are won on boards of three sizes": async (browser, { url }) => {
    await open(browser, url);
    await win(browser, [
      ["level:1", "3x3", []], ["level:1", "2x2", []], ["level:1", "5x5", []], ["level:2", "4x4", ["hint"]], ["level:3", "4x4", []],
    ]);
    await openFirst(browser, url);
    const stars = await each(browser, "#opponent .stars", "item.getAttribute('aria-label')");
    assert.deepEqual(stars.slice(0, 3), ["2 of 3 stars", "0 of 3 stars", "1 of 3 stars"]);
  },
};
