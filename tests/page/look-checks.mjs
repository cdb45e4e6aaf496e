// Checks of analysis, reviews, invalid addresses, replays and watching.
import { sleep } from "./browser.mjs";
import { clickEdge, each, finished, newGame, open, openGame, openTab, played, shown, text } from "./page.mjs";
import { assert } from "./report.mjs";
import { site } from "./site.mjs";
import { solver } from "./solve.mjs";

const { Board, Game } = await site("doublecross/rules.js");
const { writeGame } = await site("share/match-log.js");

/** Sets the milliseconds between the moves of a watched game. */
const setSpeed = (browser, milliseconds) => browser.evaluate(`{
  const speed = document.getElementById("speed");
  speed.value = ${milliseconds};
  speed.dispatchEvent(new Event("input"));
}`);

/** Half of a 3x3 game: late enough for exact values, early enough for margins of every sign. */
const LATE = ["H0,0", "V1,1", "H2,2", "V0,0", "V0,3", "H3,0", "H1,1", "V2,0", "H3,1", "H3,2"];

const logLine = (game, names) => writeGame({ game, names, nonce: 1, seconds: [0, 0], longest: [0, 0] });

export const lookChecks = {
  "the analysis shows exact values": async (browser, { url, shoot }) => {
    const game = played(new Board(3, 3), LATE);
    const value = solver(game.board);
    await openGame(browser, url, game);
    await browser.click("#analyze");
    await browser.until("document.getElementById('analysis').dataset.state === 'finished'", 20_000);
    const best = value(game);
    const costs = new Map(await each(browser, ".stroke", "[Number(item.dataset.cost), item.getAttribute('class')]"));
    assert.equal(costs.size, game.undrawn().length);
    for (const edge of game.undrawn()) {
      const after = game.play(edge);
      const cost = (best - (after.mover === game.mover ? value(after) : -value(after))) / 2;
      const name = game.board.nameOf(edge);
      const grade = cost === 0 ? 0 : cost < 1.5 ? 2 : 3;
      assert.equal(costs.get(edge), `stroke cost-${grade} exact`, name);
      const label = await browser.evaluate(`document.querySelector('[data-edge="${name}"]').getAttribute("aria-label")`);
      const words = cost === 0 ? "as good as any" : `costs ${cost} box${cost === 1 ? "" : "es"}`;
      assert.ok(label.endsWith(`undrawn, ${words}, proved`), label);
    }
    const lead = best * (game.mover === 0 ? 1 : -1);
    const words = lead === 0 ? "a tie" : `${lead > 0 ? "Blue" : "Orange"} by ${Math.abs(lead)}`;
    assert.equal(await text(browser, "analysis-value"), `Proved: ${words}.`);
    assert.equal(await browser.evaluate("document.getElementById('balance').getAttribute('aria-label')"),
      `Boxes at the end: Blue ${(9 + lead) / 2}, Orange ${(9 - lead) / 2}`);
    // One label for each chain, in the tint of its line in the panel.
    const chains = (await each(browser, "#analysis-chains li", "item.className")).filter(Boolean);
    assert.deepEqual(await each(browser, ".region", "item.getAttribute('class').replace('region ', '')"), chains);
    assert.equal(await browser.evaluate("document.querySelectorAll('[data-badge]').length"), chains.length);
    // The likely moves are played out on the board.
    const line = await each(browser, "#analysis-line button", "item.textContent");
    const recommended = await browser.evaluate("document.querySelector('.recommended').dataset.recommended");
    assert.equal(Number(recommended), game.board.edge(line[0]));
    let end = game;
    for (const name of line) end = end.play(game.board.edge(name));
    if (end.over) assert.equal(end.margin(0), lead);
    const foreseen = () => each(browser, ".edge.foreseen", "item.dataset.edge");
    const onSecond = (call) => browser.evaluate(`document.querySelectorAll('#analysis-line button')[1].${call}`);
    for (const [on, off] of [["focus()", "blur()"], ["mouseenter", "mouseleave"].map((type) => `dispatchEvent(new MouseEvent('${type}')) && undefined`)]) {
      await onSecond(on);
      assert.deepEqual((await foreseen()).sort(), line.slice(0, 2).sort());
      await onSecond(off);
      assert.deepEqual(await foreseen(), []);
      assert.equal(await browser.evaluate("document.querySelectorAll('.edge.drawn').length"), game.moves.length);
    }
    await browser.click("#analysis-play");
    await browser.until(`document.querySelectorAll(".edge.foreseen").length === ${Math.min(3, line.length)}`, 5000);
    await browser.click("#analysis-play");
    assert.deepEqual(await foreseen(), []);
    // What an edge costs is told where a person points.
    const worst = game.undrawn().find((edge) => costs.get(edge).includes("cost-3"));
    await browser.hover(`[data-edge="${game.board.nameOf(worst)}"]`);
    assert.match(await text(browser, "analysis-detail"), new RegExp(`^${game.board.nameOf(worst)}: costs \\d+ boxes, proved\\.`));
    assert.match(await browser.evaluate("document.querySelector('.cost-note').textContent"), /^−\d+$/);
    await browser.hover("#analysis-value");
    assert.equal(await text(browser, "analysis-detail"), "Point at a line to see what it costs.");
    assert.ok(await browser.evaluate("document.querySelectorAll('#analysis-finals .bar').length > 0"));
    await shoot("analysis-3x3");
  },

  "the analysis continues until it is stopped": async (browser, { url, shoot }) => {
    await newGame(browser, url, { opponent: "person", size: "5x5" });
    await clickEdge(browser, "H2,2");
    await browser.key("a");
    await browser.until("document.querySelectorAll('.stroke').length > 0");
    const first = await text(browser, "analysis-depth");
    assert.match(first, /^Thinking deeper … \([\d,]+ simulations/);
    assert.match(await text(browser, "analysis-value"), /^Probably (a tie|(Blue|Orange) by \d\.\d)\.$/);
    assert.match(await text(browser, "analysis-sure"), /^(Fairly sure|A bit unsure|Wide open)\./);
    await browser.until(`document.getElementById("analysis-depth").textContent !== ${JSON.stringify(first)}`, 15_000);
    await shoot("analysis-5x5");
    await browser.click("#analysis-stop");
    assert.equal(await browser.evaluate("document.getElementById('analysis').dataset.state"), "stopped");
    const stopped = await text(browser, "analysis-depth");
    await sleep(400);
    assert.equal(await text(browser, "analysis-depth"), stopped);
    await clickEdge(browser, "V1,1");
    await browser.until("document.getElementById('analysis').dataset.state === 'thinking'");
    await browser.until("document.querySelectorAll('.stroke').length > 0");
    await browser.key("a");
    assert.equal(await browser.evaluate("document.querySelectorAll('.stroke').length"), 0);
  },

  "a review shows the cost of each move": async (browser, { url, shoot }) => {
    const game = finished(new Board(3, 3), 7);
    await openGame(browser, url, game);
    await browser.click("#review-run");
    const summary = "document.getElementById('review-summary').textContent";
    // Stopped within the page, where no review can end meanwhile.
    await browser.until(`/^Still running: [1-9]\\d* of 24 moves exact\\. So far, Blue found /.test(${summary})
      && (document.getElementById("review-run").click(), true)`);
    assert.match(await text(browser, "review-summary"), /^Stopped: \d+ of 24 moves exact\. So far, Blue found /);
    await browser.click("#review-run");
    await browser.until("document.getElementById('review-run').textContent === 'Review this game'");
    assert.match(await text(browser, "review-summary"), /^Blue found \d+ of 13 best moves, and mistakes cost \d+ boxes in all; Orange found \d+ of \d+ best moves/);
    const value = solver(game.board);
    const costs = await each(browser, "#review-moves button",
      "[item.classList.contains('exact'), item.querySelector('.cost').textContent]");
    const games = Game.replay(game.board, game.moves);
    let exact = 0;
    for (let at = 12; at < game.moves.length; at++) {
      const [before, after] = [games[at], games[at + 1]];
      const best = value(before) - (after.mover === before.mover ? value(after) : -value(after));
      if (costs[at][0]) assert.equal(2 * Number(costs[at][1]), best, `move ${at + 1}`);
      exact += costs[at][0];
    }
    assert.equal(exact, game.moves.length - 12);
    await shoot("review");
    await browser.click('#review-moves [data-at="15"]');
    assert.equal((await shown(browser)).moves.length, 15);
    await browser.click('#review-chart [data-at="9"]');
    assert.equal((await shown(browser)).moves.length, 9);
  },

  "a review leads from mistake to mistake, each of which can be tried again": async (browser, { url, shoot }) => {
    const board = new Board(2, 2);
    // Orange opens a chain at once; Blue leaves what can be taken.
    const names = ["H0,0", "V0,0", "H1,0", "H2,1", "V0,1", "V1,2", "H1,1", "V0,2", "H0,1", "V1,0", "V1,1", "H2,0"];
    await openGame(browser, url, played(board, names));
    await browser.click("#review-run");
    await browser.until("document.getElementById('review-run').textContent === 'Review this game'");
    const mistakes = await each(browser, "#review-moves .blunder", "Number(item.dataset.at)");
    assert.ok(mistakes.length > 1);
    await browser.click("#first");
    const visited = [];
    while (await browser.evaluate("!document.getElementById('next-mistake').disabled")) {
      await browser.click("#next-mistake");
      visited.push((await shown(browser)).moves.length);
    }
    assert.deepEqual(visited, mistakes);
    await browser.click("#previous-mistake");
    const at = mistakes.at(-2);
    assert.equal((await shown(browser)).moves.length, at);
    await browser.click("#retry");
    await browser.until("document.getElementById('retry-words').checkVisibility()");
    assert.match(await text(browser, "retry-words"), /^What is better here for (Blue|Orange)\?$/);
    assert.equal((await shown(browser)).moves.length, at - 1);
    const move = names[at - 1];
    await clickEdge(browser, move);
    await browser.until("document.getElementById('retry-words').dataset.tone === 'wrong'");
    await shoot("retry");
    await browser.click("#try-retry");
    await browser.click("#try-light");
    await browser.until("document.querySelector('.edge.lit')");
    const right = await browser.evaluate("document.querySelector('.edge.lit').dataset.edge");
    assert.notEqual(right, move);
    const [, kind, row, column] = /^(H|V)(\d),(\d)$/.exec(right);
    const words = `${kind === "H" ? "horizontal" : "vertical"} line, row ${row}, column ${column}.`;
    assert.equal(await text(browser, "retry-words"), `A right line is lit up: ${words}`);
    await clickEdge(browser, right);
    await browser.until("document.getElementById('retry-words').textContent === 'Right. No line is better.'");
    await browser.click("#retry-end");
    assert.equal((await shown(browser)).moves.length, at);
    assert.ok(await browser.evaluate("document.getElementById('review-strip').checkVisibility()"));
  },

  "a review is there again as long as the moves are the same": async (browser, { url }) => {
    const names = ["H0,0", "V0,0", "H1,0", "H2,1", "V0,1", "V1,2", "H1,1", "V0,2", "H0,1", "V1,0", "V1,1", "H2,0"];
    const reviewed = () => each(browser, "#review-moves .exact, #review-moves .expected", "1").then(({ length }) => length);
    const moves = async () => (await shown(browser)).moves.length;
    const run = async () => {
      await browser.click("#review-run");
      await browser.until("document.getElementById('review-run').hidden", 30_000);
    };
    await newGame(browser, url, { opponent: "person", size: "2x2" });
    for (const name of names.slice(0, 8)) await clickEdge(browser, name);
    await run();
    assert.equal(await reviewed(), 8);
    // It is left with the next move, and there again with that undone.
    await clickEdge(browser, names[8]);
    assert.deepEqual([await moves(), await reviewed()], [9, 0]);
    await browser.click("#undo");
    assert.deepEqual([await moves(), await reviewed()], [8, 8]);
    await browser.click("#redo");
    assert.deepEqual([await moves(), await reviewed()], [9, 0]);
    for (const name of names.slice(9)) await clickEdge(browser, name);
    await browser.until("document.getElementById('ending').checkVisibility()");
    await browser.click("#ending-close");
    await run();
    // Undo leads back to it from another game.
    await browser.key("n");
    assert.deepEqual([await moves(), await reviewed()], [0, 0]);
    await browser.key("u");
    await browser.until("document.getElementById('review-strip').checkVisibility()");
    assert.equal(await reviewed(), 12);
    assert.ok(await browser.evaluate("document.querySelector('#review-chart svg').getBoundingClientRect().width > 200"));
    assert.ok(await browser.evaluate("document.getElementById('review-run').hidden"));
    // Other moves have none.
    await browser.click('#review-moves [data-at="6"]');
    await browser.click("#play-on");
    assert.deepEqual([await moves(), await reviewed()], [6, 0]);
  },

  "the arrow keys change tabs": async (browser, { url }) => {
    await open(browser, url);
    const chosen = () => browser.evaluate("document.querySelector('[role=tab][aria-selected=true]').id");
    await browser.evaluate("document.getElementById('tab-play').focus()");
    for (const [key, tab] of [["End", "scores"], ["ArrowRight", "play"], ["ArrowRight", "learn"], ["Home", "play"]]) {
      await browser.key(key);
      assert.deepEqual([await chosen(), await browser.evaluate("document.activeElement.id")], [`tab-${tab}`, `tab-${tab}`]);
    }
    // The tabs alone are selected and reached by the Tab key.
    const marked = await each(browser, "[aria-selected]", "item.id");
    assert.deepEqual(marked, ["tab-play", "tab-learn", "tab-watch", "tab-arena", "tab-training", "tab-scores"]);
    assert.equal(await browser.evaluate("document.documentElement.hasAttribute('tabindex')"), false);
  },

  "an invalid address is reported": async (browser, { url }) => {
    for (const fragment of ["#5x5/zz", "#nonsense", "#9x10/", "#3x3/0000", "#%", "#3x3/%00"]) {
      await open(browser, `${url}${fragment}`);
      assert.ok(await browser.evaluate("document.getElementById('notice').checkVisibility()"), fragment);
      assert.match(await text(browser, "notice"), /cannot be opened/);
      assert.equal((await shown(browser)).moves.length, 0);
    }
  },

  "a match log is opened and stepped through": async (browser, { url }) => {
    const games = [finished(new Board(3, 3), 5), finished(new Board(2, 3), 4 + 1)];
    await open(browser, url);
    await browser.click("#tab-watch");
    const log = `${logLine(games[0], ["greedy", "chains"])}${logLine(games[1], ["<b>me</b>", "you"])}{"board":"3x`;
    await browser.give("#replay-file", "games.jsonl", log);
    await browser.until("document.documentElement.dataset.game === '3x3'");
    assert.match(await text(browser, "replay-note"), /2 games\. Left out: line 3/);
    for (const id of ["forward", "forward", "forward", "back"]) await browser.click(`#${id}`);
    assert.deepEqual((await shown(browser)).moves, games[0].moves.slice(0, 2));
    await browser.click("#last");
    assert.deepEqual([await text(browser, "score-0"), await text(browser, "score-1")], games[0].scores.map(String));
    await browser.select("#replay-games", "1");
    await browser.until("document.documentElement.dataset.game === '2x3'");
    assert.equal(await text(browser, "name-0"), "<b>me</b> (recorded)");
    await setSpeed(browser, 0);
    await browser.click("#run");
    await browser.until(`document.documentElement.dataset.game === ${JSON.stringify(games[1].text)}`);
    await browser.give("#replay-file", "bad.jsonl", "no game at all\n\u0000");
    await browser.until("document.getElementById('replay-note').textContent.includes('0 games')");
  },

  "two bots play each other": async (browser, { url, shoot }) => {
    await open(browser, url);
    await openTab(browser, "watch");
    await browser.select("#watch-size", "3x3");
    await browser.select("#watch-0", "easy");
    // Slow enough to be stopped before the end.
    await setSpeed(browser, 300);
    await browser.click("#watch-start");
    await browser.until("document.documentElement.dataset.game.split(' ').length > 6", 15_000);
    await browser.click("#run");
    const game = await shown(browser);
    await shoot("watch");
    await sleep(300);
    assert.deepEqual((await shown(browser)).moves, game.moves);
    await setSpeed(browser, 0);
    await browser.click("#run");
    await browser.until("document.querySelectorAll('.edge:not(.drawn)').length === 0", 15_000);
    await browser.click("#back");
    await browser.click("#watch-take");
    assert.equal(await browser.evaluate("document.getElementById('tab-play').getAttribute('aria-selected')"), "true");
    assert.equal((await shown(browser)).moves.length, 23);
  },

  "a watched game that is stopped is said to be, in its review too": async (browser, { url }) => {
    await open(browser, url);
    await openTab(browser, "watch");
    await browser.select("#watch-size", "2x2");
    for (const seat of [0, 1]) await browser.select(`#watch-${seat}`, "greedy");
    assert.equal(await text(browser, "status"), "Blue to move.");
    await browser.click("#watch-start");
    await browser.until("document.documentElement.dataset.game.split(' ').length > 3");
    await browser.click("#run");
    assert.equal(await text(browser, "status"), "The game was stopped.");
    await browser.click("#review-run");
    await browser.until("document.getElementById('review-run').hidden", 30_000);
    assert.equal(await text(browser, "status"), "The game was stopped.");
    await browser.click("#run");
    await browser.until("!document.querySelector('.edge:not(.drawn)')", 20_000);
    assert.match(await text(browser, "status"), /wins? \d to \d|^A tie, /);
  },
};
