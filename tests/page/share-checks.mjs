// Checks of sharing a game: links with players, texts to copy, pictures, animations and match logs.
import { sleep } from "./browser.mjs";
import { clickEdge, each, finished, newGame, open, openGame, openTab, played, ready, shown, text } from "./page.mjs";
import { assert } from "./report.mjs";
import { site } from "./site.mjs";

const { Board, Game } = await site("doublecross/rules.js");
const { boardSvg, END_S, gameSvg, MOVE_S, THEMES } = await site("doublecross/svg.js");
const { fragmentOf, movesText } = await site("share/notation.js");
const { readLog } = await site("share/match-log.js");

const value = (browser, id) => browser.evaluate(`document.getElementById("${id}").value`);
const isOpen = (browser) => browser.evaluate("document.getElementById('share-dialog').open");
const focused = (browser) => browser.evaluate("document.activeElement.id");

/** Returns the bytes of a pixel of a color. */
const bytesOf = (color) => [...color.slice(1).match(/../g).map((pair) => parseInt(pair, 16)), 255];

/** Keeps what is saved in place of saving it. */
const CATCH = `window.saved = null;
  HTMLAnchorElement.prototype.click = function () { window.saved = { name: this.download, file: fetched.get(this.href) }; };
  window.fetched = new Map();
  const { createObjectURL } = URL;
  URL.createObjectURL = (blob) => {
    const address = createObjectURL(blob);
    fetched.set(address, blob);
    return address;
  };`;

/** Opens the dialog. */
async function share(browser) {
  await browser.click("#share");
  await browser.until("document.getElementById('share-dialog').open && document.getElementById('share-image').complete");
}

/** Saves something by a button, and returns its name and its text. */
async function saved(browser, id) {
  await browser.evaluate("window.saved = null");
  await browser.click(`#${id}`);
  await browser.until("window.saved !== null");
  return browser.evaluate("saved.file.text().then((text) => [saved.name, text])");
}

export const shareChecks = {
  "a shared address can be opened": async (browser, { url }) => {
    await newGame(browser, url, { opponent: "person", size: "3x4" });
    for (const name of ["H0,0", "V2,4", "H3,3"]) await clickEdge(browser, name);
    await share(browser);
    const address = await value(browser, "share-link");
    const game = await browser.evaluate("document.documentElement.dataset.game");
    assert.equal(game, "3x4 H0,0 V2,4 H3,3");
    assert.deepEqual([await value(browser, "share-moves"), await value(browser, "share-cells")], [game, Game.parse(game).cells]);
    // The players come with it, whatever the settings are.
    await browser.evaluate(`localStorage.setItem("doublecross.settings", JSON.stringify({ opponent: "level:5" }))`);
    await open(browser, address);
    assert.equal(await browser.evaluate("document.documentElement.dataset.game"), game);
    assert.deepEqual([await text(browser, "name-0"), await text(browser, "name-1")], ["Blue", "Orange"]);
    // A link without players names nobody, and is played on as the settings say.
    await open(browser, `${url}#2x2/0b00`);
    assert.deepEqual([await text(browser, "name-0"), await text(browser, "name-1")], ["Blue", "Orange"]);
    assert.equal(await text(browser, "status"), "Blue to move.");
    await browser.click("#play-on");
    assert.deepEqual([await text(browser, "name-0"), await text(browser, "name-1")], ["You", "Controller"]);
    await browser.evaluate("location.hash = '#2x2/0b'");
    await browser.until("document.documentElement.dataset.game.startsWith('2x2 V1,2')");
    // An invalid address leaves the game as it is.
    const before = await shown(browser);
    await browser.evaluate("location.hash = '#2x2/0b?blue=%'");
    await browser.until("/cannot be opened: .* is not a name/.test(document.getElementById('notice').textContent)");
    assert.deepEqual((await shown(browser)).moves.slice(0, 1), before.moves.slice(0, 1));
    assert.equal(await browser.evaluate("location.hash"), "#2x2/0b?blue=%");
  },

  "a game against a bot is shared with it": async (browser, { url }) => {
    await newGame(browser, url, { opponent: "level:2", seat: 1, size: "2x2" });
    await browser.until("document.querySelector('#board.open') && document.documentElement.dataset.game.split(' ').length === 2");
    await share(browser);
    const address = await value(browser, "share-link");
    assert.match(address, /#2x2\/0\w\?blue=level:2&orange=person$/);
    const game = await shown(browser);
    await open(browser, address);
    assert.deepEqual([await text(browser, "name-0"), await text(browser, "name-1")], ["Collector", "You"]);
    assert.deepEqual((await shown(browser)).moves, game.moves);
    // The address goes on naming them.
    await clickEdge(browser, game.board.nameOf(game.undrawn()[0]));
    await browser.until("location.hash.length > 30 && /^#2x2\\/(\\w\\w){3,}\\?blue=level:2&orange=person$/.test(location.hash)", 15_000);
  },

  "players who are only named are shown, and replaced to play on": async (browser, { url }) => {
    const game = played(new Board(3, 3), ["H0,0", "V1,1"]);
    const names = async () => [await text(browser, "name-0"), await text(browser, "name-1")];
    const fragment = fragmentOf(game, ["<b>Ann</b>", "level:3"]);
    await open(browser, url + fragment);
    assert.deepEqual(await names(), ["<b>Ann</b>", "Careful"]);
    assert.equal(await text(browser, "setup-summary"), "<b>Ann</b> against Careful on 3 × 3");
    for (const reloads of [false, true]) {
      await sleep(600);
      assert.equal(await browser.evaluate("location.hash"), fragment);
      assert.equal(await browser.evaluate("document.querySelector('#board.open')"), null);
      assert.deepEqual((await shown(browser)).moves, game.moves);
      if (reloads) break;
      await browser.evaluate("location.reload()");
      await sleep(300);
      await ready(browser);
      assert.deepEqual(await names(), ["<b>Ann</b>", "Careful"]);
    }
    await browser.click("#play-on");
    assert.deepEqual(await names(), ["You", "Careful"]);
    await clickEdge(browser, "H3,2");
    await browser.until("document.documentElement.dataset.game.split(' ').length >= 5", 15_000);
    // A game that has not begun is played at once.
    await open(browser, `${url}#3x3/?blue=Ann&orange=level:1`);
    assert.deepEqual(await names(), ["You", "First-timer"]);
    await clickEdge(browser, "H1,1");
    await browser.until("document.documentElement.dataset.game.split(' ').length >= 3", 15_000);
    // Bots wait until somebody wants to see them.
    await open(browser, url + fragmentOf(game, ["level:1", "chains"]));
    await sleep(800);
    assert.deepEqual([await names(), (await shown(browser)).moves], [["First-timer", "Chains"], game.moves]);
    await browser.click("#play-on");
    await browser.until("document.documentElement.dataset.game.split(' ').length >= 5", 15_000);
  },

  "sharing by keyboard": async (browser, { url, shoot }) => {
    await browser.setViewport(320, 640, true);
    const game = played(new Board(5, 5), ["H0,0", "V0,0", "V0,1", "H1,0"]);
    await open(browser, url + fragmentOf(game, ["person", "person"]));
    await browser.evaluate("document.getElementById('share').focus()");
    await browser.key("Enter");
    await browser.until("document.getElementById('share-dialog').open");
    await sleep(200);
    await shoot("phone-share");
    assert.equal(await focused(browser), "share-title");
    const sides = "[item.id || item.textContent, item.getBoundingClientRect().height, item.getBoundingClientRect().right]";
    const parts = (await each(browser, "#share-dialog :is(button, input)", `item.checkVisibility() ? ${sides} : null`)).filter(Boolean);
    assert.ok(parts.length > 10);
    for (const [name, height, right] of parts) assert.ok(height >= 40 && right <= 320, `${name}: ${height} high, to ${right}`);
    await browser.evaluate(`Object.defineProperty(navigator, "clipboard", { configurable: true,
      value: { writeText: (text) => ((window.copied = text), Promise.resolve()) } }) && undefined`);
    for (const id of ["share-link", "share-moves", "share-cells"]) {
      await browser.key("Tab");
      assert.equal(await focused(browser), id);
      await browser.key("Tab");
      assert.equal(await focused(browser), `${id}-copy`);
      await browser.key("Enter");
      await browser.until(`window.copied === document.getElementById("${id}").value`);
      assert.match(await text(browser, "share-note"), /^Copied the (link|moves|cells)\.$/);
      await browser.evaluate(`document.getElementById("${id}-copy").focus()`);
    }
    await browser.evaluate(`Object.defineProperty(navigator, "clipboard", { value: undefined }) && undefined`);
    await browser.key("Enter");
    await browser.until("/does not let the page copy/.test(document.getElementById('share-note').textContent)");
    // Its keys do not reach the game, and the focus returns.
    await browser.key("u");
    await browser.key("Escape");
    await browser.until("!document.getElementById('share-dialog').open");
    assert.deepEqual([await focused(browser), (await shown(browser)).moves.length], ["share", 4]);
    await browser.setViewport(1280, 900);
  },

  "pictures of a game are saved": async (browser, { url }) => {
    for (const board of [new Board(5, 5), new Board(1, 1), new Board(1, 9), new Board(9, 9)]) {
      const game = finished(board, 191);
      await open(browser, url + fragmentOf(game, ["<Ann & Bob>", "level:3"]));
      await browser.evaluate(CATCH);
      await share(browser);
      const names = ["<Ann & Bob>", "Careful"];
      const [svgName, svg] = await saved(browser, "share-svg");
      assert.equal(svgName, `dots-and-boxes-${board.name}.svg`);
      assert.ok([false, true].some((dark) => svg === boardSvg(game, { names, dark })));
      const wellFormed = "Object.assign(new Image(), { src: URL.createObjectURL(saved.file) }).decode().then(() => true)";
      assert.ok(await browser.evaluate(wellFormed));
      const [width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg).slice(1).map(Number);
      const [pngName] = await saved(browser, "share-png");
      assert.equal(pngName, `dots-and-boxes-${board.name}.png`);
      // Its size, and the colors of its ground and of its first dot.
      const firstDot = 2 * (36 + (width - 72 - 100 * board.cols) / 2);
      const picture = await browser.evaluate(`createImageBitmap(saved.file).then((image) => {
        const pen = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height }).getContext("2d",
          { willReadFrequently: true });
        pen.drawImage(image, 0, 0);
        return [image.width, image.height, [...pen.getImageData(4, 4, 1, 1).data], [...pen.getImageData(${firstDot}, 72, 1, 1).data]];
      })`);
      const colors = svg.includes(THEMES.dark.surface) ? THEMES.dark : THEMES.light;
      assert.deepEqual(picture, [2 * width, 2 * height, bytesOf(colors.surface), bytesOf(colors.ink)]);
      const [animationName, animation] = await saved(browser, "share-animation");
      assert.equal(animationName, `dots-and-boxes-${board.name}-moves.svg`);
      assert.ok(animation.includes(`@keyframes m${board.edges}{`));
      assert.ok(await browser.evaluate(wellFormed));
    }
  },

  "a match log is saved": async (browser, { url }) => {
    await newGame(browser, url, { opponent: "level:1", size: "2x2" });
    await clickEdge(browser, "H1,1");
    await browser.until("document.querySelector('#board.open') && document.documentElement.dataset.game.split(' ').length > 2", 15_000);
    const game = await shown(browser);
    await browser.evaluate(CATCH);
    await share(browser);
    const [name, log] = await saved(browser, "share-log");
    const { records, faults } = readLog(log);
    assert.equal(name, "dots-and-boxes-2x2.jsonl");
    assert.deepEqual([faults, records[0].names, records[0].games().pop().moves], [[], ["person", "level:1"], game.moves]);
    // A recorded game is shared with the names of its log, and saved as it was read.
    await browser.key("Escape");
    await browser.click("#tab-watch");
    const line = log.replace('"level:1"', '"Ann"').replace('"nonce":', '"more":7,"nonce":');
    await browser.give("#replay-file", "games.jsonl", line);
    await browser.until("document.getElementById('name-1').textContent === 'Ann (recorded)'");
    await browser.click("#last");
    await share(browser);
    assert.match(await value(browser, "share-link"), /\?blue=person&orange=Ann$/);
    assert.equal((await saved(browser, "share-log"))[1], line);
    await browser.key("Escape");
  },

  "a kept game is shared with the name of its person": async (browser, { url }) => {
    const game = finished(new Board(2, 2), 5);
    const result = {
      board: "2x2", strength: "level:3", seat: 1, margin: game.margin(1), date: "2026-01-01T12:00:00Z", helps: [], moves: movesText(game),
      name: "Ada",
    };
    await open(browser, url);
    await browser.evaluate(`localStorage.setItem("doublecross.results", ${JSON.stringify(JSON.stringify([result]))})`);
    await open(browser, url);
    await openTab(browser, "scores");
    await browser.click(".games .open button");
    await browser.until(`document.documentElement.dataset.game === ${JSON.stringify(game.text)}`);
    await share(browser);
    assert.match(await value(browser, "share-link"), /\?blue=level:3&orange=Ada$/);
    assert.match(await browser.evaluate("document.getElementById('share-image').alt"), /: Careful \d, Ada \d$/);
  },

  "the system's sheet gets the link and the picture": async (browser, { url }) => {
    for (const takesFiles of [true, false]) {
      await openGame(browser, url, played(new Board(2, 2), ["H0,0"]));
      await browser.evaluate(`Object.defineProperty(navigator, "canShare", { configurable: true, value: () => ${takesFiles} });
        Object.defineProperty(navigator, "share", { configurable: true, value: async (data) => {
          window.sent = [data.url, data.files?.map(({ name, type, size }) => [name, type, size > 1000])];
        } }) && undefined`);
      await share(browser);
      await browser.click("#share-system");
      await browser.until("window.sent !== undefined");
      const [link, files] = await browser.evaluate("sent");
      assert.equal(link, await value(browser, "share-link"));
      assert.deepEqual(files ?? null, takesFiles ? [["dots-and-boxes-2x2.png", "image/png", true]] : null);
    }
    await browser.evaluate(`Object.defineProperty(navigator, "share", { value: () => Promise.reject(new Error("no sheet")) })
      && undefined`);
    await browser.click("#share-system");
    await browser.until("/cannot share this \\(no sheet\\)/.test(document.getElementById('share-note').textContent)");
    await browser.key("Escape");
    assert.equal(await isOpen(browser), false);
  },

  "an animation plays the moves, and rests where less motion is asked for": async (browser) => {
    const states = Game.replay(new Board(3, 3), finished(new Board(3, 3), 7).moves);
    const count = "[...document.querySelectorAll('PARTS')].filter((part) => getComputedStyle(part).visibility === 'visible')";
    const lines = `${count.replace("PARTS", "path[pathLength]")}.length`;
    const scores = `${count.replace("PARTS", "text[text-anchor]")}.map((part) => Number(part.textContent))`;
    try {
      await browser.goto(`data:image/svg+xml,${encodeURIComponent(gameSvg(states))}`);
      const total = (states.length - 1) * MOVE_S + END_S;
      const seek = (seconds) => browser.evaluate(`document.getAnimations().map((animation) => {
        animation.pause();
        animation.currentTime = ${1000 * seconds};
      }).length`);
      for (const [at, { scores: expected }] of states.entries()) {
        assert.ok(await seek((at + 0.5) * MOVE_S) >= states.length - 1);
        assert.deepEqual([await browser.evaluate(lines), await browser.evaluate(scores)], [at, expected], `after ${at} moves`);
      }
      await seek(total - 0.05);
      assert.equal(await browser.evaluate(lines), states.length - 1);
      await seek(total + 0.1);
      assert.equal(await browser.evaluate(lines), 0);
      await browser.emulateMedia({ "prefers-reduced-motion": "reduce" });
      assert.equal(await browser.evaluate("document.getAnimations().length"), 0);
      assert.deepEqual([await browser.evaluate(lines), await browser.evaluate(scores)], [states.length - 1, states.at(-1).scores]);
    } finally {
      await browser.emulateMedia({});
    }
  },
};
