// Checks of the arena: matches, their tables and log, bots of one's own, and those that fail.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { botModule } from "./bot-module.mjs";
import { each, open, shown, text } from "./page.mjs";
import { assert } from "./report.mjs";
import { site } from "./site.mjs";

const { Game } = await site("doublecross/rules.js");
const { signed } = await site("page/dom.js");
const { distinctOf, ladderOf } = await site("arena/standings.js");
const { readLog } = await site("share/match-log.js");

/** Opens the arena anew, with these bots chosen. */
async function openArena(browser, url, { board, bots, games = 2, opening = 3, seconds = 10 }) {
  await open(browser, `${url}#arena`);
  await browser.until("document.documentElement.dataset.tab === 'arena'");
  await browser.select("#arena-size", board);
  await choose(browser, bots);
  for (const [id, value] of Object.entries({ games, opening, seconds })) {
    await browser.evaluate(`document.getElementById("arena-${id}").value = ${value}`);
  }
}

/** Chooses these bots of the page, and no others. */
const choose = (browser, bots) => browser.evaluate(`for (const box of document.querySelectorAll("#arena-bots [value]")) {
  if (box.checked !== ${JSON.stringify(bots)}.includes(box.value)) box.click();
}`);

const over = (browser) => browser.until("/^(The match|Stopped)/.test(document.getElementById('arena-note').textContent)", 60_000);

/** Starts a match, and waits for its end. */
async function play(browser) {
  await browser.click("#arena-run");
  await over(browser);
}

/** Returns the texts of the cells of a table, row by row. */
const cells = (browser, table) =>
  each(browser, `.${table} tbody tr`, "[...item.children].map(({ textContent }) => textContent.trim())");

/** Adds files, by their names and bytes. */
async function add(browser, files) {
  for (const [name, bytes] of Object.entries(files)) {
    const path = join(browser.profile, name);
    writeFileSync(path, bytes);
    await browser.choose("#arena-files", path);
    await browser.until(`[...document.querySelectorAll(".own, #arena-refused")].some((item) => item.textContent.includes("${name}"))`);
  }
}

/** Returns the games that are saved, as the arena keeps them. */
async function saved(browser) {
  await browser.evaluate(`URL.createObjectURL = (blob) => ((window.saved = blob), "blob:none");
    HTMLAnchorElement.prototype.click = () => {}`);
  await browser.click("#arena-save");
  const log = await browser.evaluate("saved.text()");
  assert.deepEqual(readLog(log).faults, []);
  return log.trim().split("\n").map((line) => JSON.parse(line));
}

export const arenaChecks = {
  "arena: a round robin, its tables and its log": async (browser, { url, shoot }) => {
    await openArena(browser, url, { board: "3x3", bots: ["level:2", "level:6", "greedy"], games: 4 });
    await play(browser);
    assert.equal(await text(browser, "arena-note"), "The match is over: 12 games.");
    const games = await saved(browser);
    assert.equal(games.length, 12);
    for (const { board, moves, scores, opening, faults } of games) {
      assert.deepEqual([Game.replay(board, moves).at(-1).scores, opening, faults], [scores, 3, [0, 0]]);
    }
    // Each opening is played twice between every two, with the seats swapped.
    const keys = games.map(({ bots, moves, nonce }) => JSON.stringify([nonce, moves.slice(0, 3), [...bots].sort()]));
    assert.equal(new Set(keys).size, 6);
    assert.equal(new Set(games.map(({ bots, nonce }) => JSON.stringify([nonce, bots]))).size, 12);
    const ladder = ladderOf(distinctOf(games.map(({ bots, ...game }) => ({ ...game, names: bots }))));
    const figures = ladder.map(({ name, elo, half, games: count, won, tied, lost, faults }, at) =>
      [`${at + 1} ${name}`, signed(elo), half.toFixed(0), ...[count, won, tied, lost, faults].map(String)]);
    assert.deepEqual(await cells(browser, "ladder"), figures);
    const cross = await cells(browser, "cross");
    const points = (cell) => (cell ? Number(cell.split("/")[0].replace("½", ".5")) : 0);
    cross.forEach(([name, ...row], at) => {
      assert.equal(name, figures[at][0]);
      assert.equal(row.reduce((sum, cell) => sum + points(cell), 0), ladder[at].won + ladder[at].tied / 2);
      assert.equal(row[at], "");
    });
    await shoot("arena");
  },

  "arena: a finished game is watched": async (browser, { url }) => {
    await openArena(browser, url, { board: "2x2", bots: ["random", "chains"], opening: 0 });
    await play(browser);
    const [, second] = await saved(browser);
    const [, cell] = await each(browser, ".cross tbody button", "item.getAttribute('aria-label')");
    assert.match(cell, /^(Random against Chains|Chains against Random): [\d½]+\/2\. Watch these games$/);
    await browser.evaluate("document.querySelector('.cross button').focus()");
    await browser.key("Enter");
    await browser.until("document.documentElement.dataset.tab === 'watch'");
    assert.match(await text(browser, "replay-note"), /^(Random – Chains|Chains – Random): 2 games\.$/);
    assert.equal(await browser.evaluate("document.activeElement.id"), "run");
    await browser.select("#replay-games", "1");
    await browser.click("#last");
    assert.deepEqual((await shown(browser)).moves, second.moves);
    assert.equal(await text(browser, "name-0"), `${second.bots[0]} (recorded)`);
    await browser.evaluate("history.back()");
    await browser.until("document.documentElement.dataset.tab === 'arena'");
    assert.equal((await cells(browser, "ladder")).length, 2);
  },

  "arena: stopped, its results stay, and further games are added": async (browser, { url }) => {
    await openArena(browser, url, { board: "5x5", bots: ["level:8", "easy"], games: 200 });
    await browser.click("#arena-run");
    await browser.until("document.querySelectorAll('.ladder tbody tr').length === 2", 60_000);
    assert.equal(await browser.evaluate("document.querySelector('#arena fieldset').disabled"), true);
    // A result keeps the focus while the tables change.
    const label = "document.activeElement.getAttribute('aria-label')";
    await browser.evaluate("document.querySelector('.cross button').focus()");
    const figures = JSON.stringify(await text(browser, "arena-results"));
    await browser.until(`document.getElementById("arena-results").textContent !== ${figures}`, 60_000);
    assert.match(await browser.evaluate(label), /^(Strategist against Easy|Easy against Strategist): /);
    await browser.click("#arena-run");
    await over(browser);
    const note = await text(browser, "arena-note");
    assert.match(note, /^Stopped after \d+ of 200 games\. They count\.$/);
    const before = (await saved(browser)).length;
    assert.equal(before, Number(note.match(/\d+/)[0]));
    assert.equal((await cells(browser, "ladder")).length, 2);
    // Another board has results of its own, and the same log.
    await choose(browser, ["random", "greedy", "chains"]);
    await browser.select("#arena-size", "2x2");
    assert.equal(await browser.evaluate("document.querySelector('.ladder').hidden"), true);
    await browser.evaluate("document.getElementById('arena-games').value = 2");
    await play(browser);
    assert.deepEqual([(await cells(browser, "ladder")).length, (await saved(browser)).length], [3, before + 6]);
    await choose(browser, ["level:1", "level:2"]);
    await play(browser);
    const groups = /cannot be compared: [^;]*Random[^;]*; (Collector, First-timer|First-timer, Collector)\.$/;
    assert.match(await text(browser, "arena-notes"), groups);
    await browser.select("#arena-size", "5x5");
    assert.equal((await cells(browser, "ladder")).length, 2);
    await browser.evaluate("window.confirm = () => true");
    await browser.click("#arena-clear");
    assert.equal(await browser.evaluate("document.getElementById('arena-results').checkVisibility()"), false);
  },

  "arena: bots of one's own, and files that are none": async (browser, { url, shoot }) => {
    const { levels } = await (await fetch(new URL("bots.json", url))).json();
    const module = new Uint8Array(await (await fetch(new URL(levels, url))).arrayBuffer());
    await openArena(browser, url, { board: "2x2", bots: [] });
    await browser.click("#arena-run");
    assert.equal(await text(browser, "arena-note"), "Choose at least two bots.");
    await add(browser, { "notes.txt": "nothing" });
    assert.equal(await text(browser, "arena-refused"), "notes.txt is not added: it is not a WebAssembly module.");
    await add(browser, { "needy.wasm": botModule("{}", { imported: ["env", "fetch"] }) });
    assert.match(await text(browser, "arena-refused"), /^needy\.wasm is not added: it needs "env\.fetch", and a bot gets nothing/);
    await add(browser, { "mute.wasm": botModule("{}", { exports: ["memory", "alloc"] }) });
    assert.match(await text(browser, "arena-refused"), /^mute\.wasm is not added: it exports no "act"/);
    await add(browser, { "mine.wasm": module });
    assert.equal(await text(browser, "arena-refused"), "");
    // The same one again, dropped on the page, is another player.
    await browser.evaluate(`fetch(${JSON.stringify(levels)}).then((response) => response.arrayBuffer()).then((bytes) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([bytes], "mine.wasm"));
      document.querySelector("#arena h2").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    })`);
    await browser.until("document.querySelectorAll('.own').length === 2");
    await play(browser);
    assert.deepEqual((await cells(browser, "ladder")).map(([name]) => name.slice(2)).sort(), ["mine.wasm", "mine.wasm 2"]);
    assert.deepEqual((await saved(browser)).map(({ faults }) => faults), [[0, 0], [0, 0]]);
    await browser.click(".own button");
    assert.deepEqual(await each(browser, ".own .chip", "item.textContent"), ["mine.wasm 2"]);
    await shoot("arena-own");
  },

  "arena: bots that fail, hang or answer wrongly": async (browser, { url }) => {
    await openArena(browser, url, { board: "1x2", bots: ["random"], opening: 0, seconds: 0.5 });
    await add(browser, {
      "trap.wasm": botModule("trap"), "loop.wasm": botModule("loop"), "first.wasm": botModule('{"orient":"H","r":0,"c":0}'),
    });
    await play(browser);
    assert.match(await text(browser, "arena-note"), /^The match is over: 12 games\.$/);
    const faults = Object.fromEntries((await cells(browser, "ladder")).map((row) => [row[0].split(" ")[1], Number(row.at(-1))]));
    assert.equal(faults.Random, 0);
    for (const name of ["trap.wasm", "loop.wasm", "first.wasm"]) assert.ok(faults[name] >= 6, `${name}: ${faults[name]}`);
    const notes = await text(browser, "arena-notes");
    assert.match(notes, /The first failure of loop\.wasm: it did not answer within 0\.5 s\./);
    assert.match(notes, /The first failure of trap\.wasm: it failed: .*unreachable/);
    assert.match(notes, /The first failure of first\.wasm: it answered no line that can be drawn: \{"orient":"H","r":0,"c":0\}\./);
    // A fault is the first undrawn edge, as the program draws it.
    for (const { bots, moves, faults: counted } of await saved(browser)) {
      Game.replay("1x2", moves).slice(0, -1).forEach((game, at) => {
        if (bots[game.mover] === "trap.wasm" || bots[game.mover] === "loop.wasm") assert.equal(moves[at], game.drawn.indexOf(false));
      });
      assert.equal(counted[bots.indexOf("Random")] ?? 0, 0);
    }
  },

  "arena: a bot that cannot be loaded ends the match": async (browser, { url }) => {
    await browser.answer({ "bots.json": () => '{"bots":[]}' });
    await openArena(browser, url, { board: "2x2", bots: ["level:1", "level:2"] });
    await play(browser);
    assert.equal(await text(browser, "arena-note"), "The match cannot go on: there is no bot on this page. Games that are over count.");
    await browser.answer({});
  },

  "arena: a phone": async (browser, { url, shoot }) => {
    for (const width of [320, 390]) {
      await browser.setViewport(width, 740, true);
      await openArena(browser, url, { board: "2x2", bots: ["random", "greedy", "chains", "level:1", "level:5"] });
      await play(browser);
      assert.ok(await browser.evaluate("document.scrollingElement.scrollWidth") <= width);
      // The names stay beside a table that is scrolled.
      const name = "item.querySelector('th[scope=row]').getBoundingClientRect().left >= 0";
      assert.deepEqual(await each(browser, ".cross", `(item.scrollLeft = 999, [item.scrollLeft > 0, ${name}])`), [[true, true]]);
      const small = "item.checkVisibility() && item.getBoundingClientRect().height < 40 ? item.textContent : null";
      const targets = await each(browser, "#arena :is(button, select, .chip, input[type=number])", small);
      assert.deepEqual(targets.filter((target) => target !== null), []);
      await shoot(`arena-${width}`);
    }
    await browser.setViewport(1280, 900);
  },
};
