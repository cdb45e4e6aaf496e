// The pictures of the page in docs/page.md and docs/training.md: node experiments/page_pictures.mjs URL GAMES.jsonl FOLDER, where URL is what
// `doublecross serve --run RUN --run OTHER` says and the log's first game, on 5x5, is the one that is shown.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sleep } from "../tests/page/browser.mjs";
import { Chromium } from "../tests/page/chromium.mjs";
import { clickEdge, open, openGame, openTab } from "../tests/page/page.mjs";
import { site } from "../tests/page/site.mjs";

const [url, log, folder] = process.argv.slice(2);
const { Board, Game } = await site("doublecross/rules.js");
const line = JSON.parse(readFileSync(log, "utf8").split("\n")[0]);
const board = new Board(...line.board.split("x").map(Number));
const after = (moves) => Game.replay(board, line.moves.slice(0, moves)).at(-1);

const LIGHT = { "prefers-color-scheme": "light" };
const DESK = [1280, 900];
const PHONE = [360, 740, true];

/** The moves after which the middle of the game is shown. */
const MIDDLE = 32;

const browser = await Chromium.start();
const middle = () => openGame(browser, url, after(MIDDLE));
const finished = (id) => browser.until(`document.getElementById('${id}').textContent.startsWith('Review')`, 60_000);

async function analyzed() {
  await middle();
  await browser.key("a");
  await browser.until("document.getElementById('analysis').dataset.state === 'finished'", 60_000);
}

async function ended() {
  await openGame(browser, url, after(line.moves.length - 1));
  await browser.evaluate("document.getElementById('play-on').click()");
  await clickEdge(browser, board.nameOf(line.moves.at(-1)));
  await browser.until("!document.getElementById('ending').hidden");
  await browser.evaluate("scrollTo(0, 0)");
}

async function reviewed() {
  await openGame(browser, url, after(line.moves.length));
  await browser.click("#review-run");
  await finished("review-run");
  await browser.evaluate(`(() => {
    const list = document.getElementById("review-moves");
    const words = [...list.querySelectorAll(".words")].at(-3);
    list.scrollTop = words.offsetTop - 60;
    scrollTo(0, 0);
  })()`);
}

async function learned(part) {
  await open(browser, url);
  await openTab(browser, "learn");
  await browser.click(`#learn-${part}`);
  if (part === "course") await browser.click("#course-list li:nth-child(7) button");
  await browser.evaluate("scrollTo(0, 0)");
}

async function trained() {
  await open(browser, url);
  await openTab(browser, "training");
  await browser.until("document.querySelectorAll('#curves svg').length > 3");
}

/** The pictures: window and the steps that lead to the view. */
const PICTURES = {
  play: [DESK, middle],
  analysis: [DESK, analyzed],
  ending: [DESK, ended],
  review: [DESK, reviewed],
  course: [DESK, () => learned("course")],
  puzzle: [PHONE, () => learned("daily")],
  training: [DESK, trained],
};

mkdirSync(folder, { recursive: true });
try {
  for (const [name, [window, steps]] of Object.entries(PICTURES)) {
    await browser.setViewport(...window);
    await browser.emulateMedia(LIGHT);
    await steps();
    await sleep(700);
    await browser.screenshot(join(folder, `${name}.png`));
  }
} finally {
  await browser.stop();
}
