// Takes the pictures of docs/page.md and docs/training.md: `node pictures.mjs URL`. The page at URL is that of
// `doublecross serve --run checkpoints/4x4 --run checkpoints/5x5`.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { botAt } from "./bot.mjs";
import { sleep } from "./browser.mjs";
import { Chromium } from "./chromium.mjs";
import { clickEdge, open, openGame, openTab, played } from "./page.mjs";
import { site } from "./site.mjs";

const { Board, Game } = await site("doublecross/rules.js");
const { LESSONS } = await site("learn/lessons.js");

const [url] = process.argv.slice(2);
const folder = fileURLToPath(new URL("../../docs/pictures/", import.meta.url));
const bot = await botAt(url, "5x5");
const board = new Board(5, 5);

/** Returns a game that a Counter wins as Blue against a Careful, and in which Blue draws the last line. */
function wonGame() {
  for (let nonce = 1; ; nonce++) {
    let game = new Game(board);
    while (!game.over) game = game.play(bot.play(game, { bot: game.mover === 0 ? "level:6" : "level:3", nonce }).edge);
    if (game.margin(0) > 0 && game.before.mover === 0) return game;
  }
}

const game = wonGame();
const names = game.moves.map((edge) => board.nameOf(edge));
const states = Game.replay(board, game.moves);
const middle = states.findIndex((state, at) => at >= 30 && state.mover === 0);
const browser = await Chromium.start();
const shoot = async (name) => {
  await browser.evaluate("scrollTo(0, 0)");
  await browser.point({ x: 1, y: 1 });
  await sleep(1000);
  await browser.screenshot(join(folder, `${name}.png`));
};

/** Takes a picture in the light theme and in the dark one. */
const shootBoth = async (name) => {
  await shoot(name);
  await browser.emulateMedia({ "prefers-color-scheme": "dark" });
  await shoot(`${name}-dark`);
  await browser.emulateMedia({ "prefers-color-scheme": "light" });
};

try {
  await browser.setViewport(1280, 900);
  await openGame(browser, url, states[middle], ["person", "level:3"]);
  await shoot("play");
  await browser.key("a");
  await browser.until("document.getElementById('analysis').dataset.state === 'finished'", 120_000);
  await shootBoth("analysis");
  await openGame(browser, url, played(board, names.slice(0, -1)), ["person", "level:3"]);
  await clickEdge(browser, names.at(-1));
  await browser.until("!document.getElementById('ending').hidden");
  await sleep(3000);
  await shoot("ending");
  await openGame(browser, url, game);
  await browser.click("#review-run");
  await browser.until("document.getElementById('review-run').textContent === 'Review this game'", 120_000);
  await shoot("review");
  await openTab(browser, "learn");
  await browser.click(`#course-list li:nth-child(${1 + LESSONS.findIndex(({ id }) => id === "shortest")}) button`);
  await shoot("course");
  await openTab(browser, "training");
  await browser.until("document.querySelectorAll('[data-curve]').length > 4");
  await shootBoth("training");
  await browser.setViewport(360, 740, true);
  await open(browser, `${url}#play`);
  await openTab(browser, "learn");
  await browser.click("#learn-daily");
  await browser.until("document.querySelector('#board.open') !== null");
  await shoot("puzzle");
} finally {
  await browser.stop();
}
process.exit(0);
