// Checks of play: whole games, undo, hints, moving at once, the keyboard, results.
import { sleep } from "./browser.mjs";
import { choose, clickEdge, each, newGame, open, openTab, paste, played, shown, text } from "./page.mjs";
import { assert } from "./report.mjs";
import { site } from "./site.mjs";

const { fragmentOf } = await site("share/notation.js");
const { Board } = await site("doublecross/rules.js");

/** Waits until the bot has moved and the person may move. */
async function turn(browser, seat) {
  await browser.until(`document.documentElement.dataset.thinking === "false"
    && (document.querySelector("#board.open.mover-${seat}") || !document.querySelector(".edge:not(.drawn)"))`, 15_000);
  return shown(browser);
}

/** Asserts that the page shows the scores, edges and boxes of a game. */
async function agrees(browser, game) {
  assert.equal(await text(browser, "score-0"), String(game.scores[0]));
  assert.equal(await text(browser, "score-1"), String(game.scores[1]));
  const drawn = await each(browser, ".edge.drawn", "item.dataset.edge");
  assert.deepEqual(drawn.sort(), game.moves.map((edge) => game.board.nameOf(edge)).sort());
  const owners = await each(browser, ".box", "item.dataset.owner ?? null");
  assert.deepEqual(owners, game.owners.map((owner) => (owner === null ? null : String(owner))));
}

async function wholeGame(browser, url, seat) {
  await newGame(browser, url, { opponent: "level:2", seat });
  for (let turns = 0; turns < 24; turns++) {
    const game = await turn(browser, seat);
    await agrees(browser, game);
    if (game.over) break;
    assert.equal(game.mover, seat);
    const edges = game.undrawn();
    await clickEdge(browser, game.board.nameOf(edges[(turns * 7) % edges.length]));
  }
  const game = await shown(browser);
  assert.ok(game.over);
  assert.match(await text(browser, "status"), /wins? \d to \d|^A tie, /);
}

export const gameChecks = {
  "a whole game as Blue": (browser, { url }) => wholeGame(browser, url, 0),

  "whole games as Blue and Orange are kept, counted and saved": async (browser, { url }) => {
    for (const seat of [0, 1]) await wholeGame(browser, url, seat);
    await openTab(browser, "scores");
    const rows = await each(browser, "#scores-table tbody tr:first-child", "[...item.cells].map((cell) => cell.textContent)");
    assert.equal(rows.length, 1);
    assert.deepEqual(rows[0].slice(0, 3), ["Collector", "3x3", "2"]);
    assert.equal(rows[0].slice(3, 6).reduce((sum, number) => sum + Number(number), 0), 2);
    const latest = await each(browser, "#scores-latest tbody tr", "item.cells[3].textContent");
    assert.deepEqual(latest, ["Orange", "Blue"]);
    await browser.evaluate(`URL.createObjectURL = (blob) => ((window.saved = blob), "blob:none");
      HTMLAnchorElement.prototype.click = () => {}`);
    await browser.click("#scores-export");
    const { stored } = JSON.parse(await browser.evaluate("saved.text()"));
    assert.deepEqual(stored.results.map(({ board, strength, seat, helps }) => [board, strength, seat, helps.length]),
      [["3x3", "level:2", 0, 0], ["3x3", "level:2", 1, 0]]);
  },

  "undo and redo": async (browser, { url }) => {
    await newGame(browser, url, { opponent: "level:3" });
    await clickEdge(browser, "H0,0");
    const first = await turn(browser, 0);
    const names = first.undrawn().map((edge) => first.board.nameOf(edge));
    await clickEdge(browser, names[0]);
    const second = await turn(browser, 0);
    assert.ok(second.moves.length >= 4);
    await browser.click("#undo");
    assert.deepEqual((await shown(browser)).moves, first.moves);
    await agrees(browser, first);
    await browser.click("#undo");
    assert.equal((await shown(browser)).moves.length, 0);
    assert.ok(await browser.evaluate("document.getElementById('undo').disabled"));
    await browser.click("#redo");
    await browser.click("#redo");
    assert.deepEqual((await shown(browser)).moves, second.moves);
    await browser.click("#undo");
    await clickEdge(browser, names[1]);
    const other = await turn(browser, 0);
    assert.deepEqual(other.moves.slice(0, first.moves.length), first.moves);
    assert.equal(other.board.nameOf(other.moves[first.moves.length]), names[1]);
    assert.ok(await browser.evaluate("document.getElementById('redo').disabled"));
  },

  "a game with help does not count": async (browser, { url }) => {
    await newGame(browser, url, { opponent: "level:1", size: "1x1" });
    await clickEdge(browser, "H0,0");
    await turn(browser, 0);
    await browser.click("#undo");
    for (let moves = 0; moves < 4; moves++) {
      const game = await turn(browser, 0);
      if (game.over) break;
      await clickEdge(browser, game.board.nameOf(game.undrawn()[0]));
    }
    await browser.until("document.querySelectorAll('.edge:not(.drawn)').length === 0");
    await openTab(browser, "scores");
    assert.match((await each(browser, "#scores-latest tbody tr", "item.textContent"))[0], /1x1.*undo/);
    assert.equal(await browser.evaluate("document.querySelectorAll('#scores-table tbody').length"), 0);
  },

  "a reload after the end counts no second game": async (browser, { url }) => {
    const latest = async () => (await each(browser, "#scores-latest tbody tr", "item.textContent")).length;
    await newGame(browser, url, { opponent: "level:1", size: "1x1" });
    for (let game = await shown(browser); !game.over; game = await turn(browser, 0)) {
      await clickEdge(browser, game.board.nameOf(game.undrawn()[0]));
    }
    await openTab(browser, "scores");
    const games = await latest();
    await browser.click("#tab-play");
    await browser.until("history.state?.seats && location.hash.length > 1");
    await browser.evaluate("location.reload()");
    await sleep(300);
    await browser.until("document.documentElement.dataset.ready === 'true'");
    assert.ok((await shown(browser)).over);
    await openTab(browser, "scores");
    assert.equal(await latest(), games);
  },

  "a pasted game is opened, and a finished one reviewed": async (browser, { url }) => {
    const is = (game) => browser.until(`document.documentElement.dataset.game === ${JSON.stringify(game)}`);
    await open(browser, url);
    await openTab(browser, "scores");
    await paste(browser, "2x2 1. b5 2. a4");
    await is("2x2 H0,0 V0,0");
    await paste(browser, "no game");
    assert.match(await text(browser, "notice"), /What was pasted is not a game/);
    await paste(browser, "https://example.org/dnb/board#1,b3a2c2b1");
    await is("1x1 H0,0 V0,0 V0,1 H1,0");
    assert.ok(await browser.evaluate("document.getElementById('notice').hidden"));
    await browser.until("document.querySelectorAll('#review-moves li').length > 0");
  },

  "the largest board is played at every kind of level": async (browser, { url }) => {
    for (const opponent of ["level:3", "level:9", "master"]) {
      await newGame(browser, url, { opponent, size: "9x9" });
      for (const edge of ["H4,4", "V7,2"]) {
        await clickEdge(browser, edge);
        await turn(browser, 0);
      }
      const game = await shown(browser);
      assert.ok(game.moves.length >= 4 && game.board.edges === 180, `${opponent}: ${game.moves.length} moves`);
    }
  },

  "move now ends the bot's search": async (browser, { url }) => {
    const times = [];
    for (const hurried of [false, true]) {
      await newGame(browser, url, { opponent: "master", size: "5x5" });
      await clickEdge(browser, "H2,2");
      const began = Date.now();
      await browser.until("document.documentElement.dataset.thinking === 'true'", 2000);
      if (hurried) {
        await sleep(200);
        await browser.click("#move-now");
      }
      await browser.until("document.documentElement.dataset.game.split(' ').length === 3", 20_000);
      times.push(Date.now() - began);
      await turn(browser, 0);
    }
    assert.ok(times[1] < 0.6 * times[0], `${times[0]} ms by itself, ${times[1]} ms when hurried`);
  },

  "undo during the bot's search": async (browser, { url }) => {
    await newGame(browser, url, { opponent: "master", size: "5x5" });
    await clickEdge(browser, "H3,3");
    await browser.until("document.documentElement.dataset.thinking === 'true'", 2000);
    await browser.click("#undo");
    const game = await turn(browser, 0);
    assert.equal(game.moves.length, 0);
    await sleep(600);
    assert.deepEqual((await shown(browser)).moves, game.moves);
  },

  "a hint": async (browser, { url }) => {
    await newGame(browser, url, { opponent: "level:3", size: "3x3" });
    await browser.click("#hint");
    const hinted = await browser.until("document.querySelector('.edge.hint')?.dataset.edge");
    assert.ok((await text(browser, "status")).includes(`Hint: ${hinted}`));
    await clickEdge(browser, hinted);
    await browser.until("document.querySelector('.edge.hint') === null");
    assert.equal((await shown(browser)).board.nameOf((await turn(browser, 0)).moves[0]), hinted);
  },

  "a new game and a link can be taken back": async (browser, { url }) => {
    const is = (game) => browser.until(`document.documentElement.dataset.game === ${JSON.stringify(game)}`);
    await newGame(browser, url, { opponent: "person", size: "2x2" });
    await clickEdge(browser, "H0,0");
    await clickEdge(browser, "V0,0");
    await browser.key("n");
    await is("2x2");
    await browser.key("u");
    await is("2x2 H0,0 V0,0");
    // A link to a game, as one in a message, and back.
    const link = new URL(`${url}${fragmentOf(played(new Board(3, 3), ["H1,1"]), ["person", "person"])}`).hash;
    await browser.until("location.hash.length > 1");
    await browser.evaluate(`location.hash = ${JSON.stringify(link)}`);
    await is("3x3 H1,1");
    await clickEdge(browser, "H0,0");
    await sleep(400);
    await browser.evaluate("history.back()");
    await is("2x2 H0,0 V0,0");
    await browser.evaluate("history.forward()");
    await is("3x3 H1,1 H0,0");
    // The game before a link is an undo away, too.
    await browser.key("u");
    await browser.key("u");
    await browser.key("u");
    await is("2x2 H0,0 V0,0");
  },

  "a torn link is kept and told": async (browser, { url }) => {
    const torn = `${fragmentOf(played(new Board(3, 3), ["H1,1", "V0,0"]))}zz`;
    await open(browser, `${url}${torn}`);
    assert.match(await text(browser, "notice"), /cannot be opened/);
    await sleep(500);
    assert.equal(await browser.evaluate("location.hash"), torn);
    await choose(browser, "opponent", "person");
    await browser.click("#new-game");
    await browser.evaluate("document.querySelector('.edge:not(.drawn)').dispatchEvent(new MouseEvent('click', { bubbles: true }))");
    await browser.until(`location.hash !== ${JSON.stringify(torn)}`);
  },

  "keyboard play": async (browser, { url }) => {
    await newGame(browser, url, { opponent: "person", size: "2x2" });
    await browser.evaluate("document.querySelector('#board [tabindex=\"0\"]').focus()");
    await browser.key("Enter");
    for (const key of ["ArrowDown", "ArrowRight", " ", "ArrowUp", "Enter"]) await browser.key(key);
    const game = await shown(browser);
    assert.equal(game.moves.length, 3);
    await agrees(browser, game);
    const heard = await text(browser, "announcer");
    assert.match(heard, /draws (horizontal|vertical) line, row \d, column \d\. .*to move\.$/);
    const label = await browser.evaluate("document.activeElement.getAttribute('aria-label')");
    assert.match(label, /^(horizontal|vertical) line, row \d, column \d, drawn by Blue$/);
    await browser.key("u");
    assert.equal((await shown(browser)).moves.length, 2);
    await browser.key("r");
    assert.equal((await shown(browser)).moves.length, 3);
    await browser.key("?");
    assert.ok(await browser.evaluate("document.getElementById('help-dialog').open"));
    await browser.key("Escape");
    await browser.until("!document.getElementById('help-dialog').open");
    await browser.key("n");
    assert.equal((await shown(browser)).moves.length, 0);
    const focusable = await each(browser, ".edge", "item.getAttribute('role') === 'button' && item.tabIndex <= 0");
    assert.deepEqual(new Set(focusable), new Set([true]));
    assert.equal(await browser.evaluate("document.querySelectorAll('.edge[tabindex=\"0\"]').length"), 1);
  },
};
