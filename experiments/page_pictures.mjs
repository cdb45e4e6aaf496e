// Pictures of the page's views: node experiments/page_pictures.mjs URL GAMES.jsonl FOLDER, where URL is what
// `doublecross serve --run RUN` says and the log's first game is the one that is shown.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Browser } from "../tests/page/browser.mjs";
import { open, openGame } from "../tests/page/page.mjs";
import { site } from "../tests/page/site.mjs";

const [url, log, folder] = process.argv.slice(2);
const { Board, Game } = await site("rules.js");
const line = JSON.parse(readFileSync(log, "utf8").split("\n")[0]);
const board = new Board(...line.board.split("x").map(Number));
const after = (moves) => Game.replay(board, line.moves.slice(0, moves)).at(-1);

mkdirSync(folder, { recursive: true });
const browser = await Browser.start();
const picture = (name) => browser.screenshot(join(folder, `${name}.png`));
try {
  await browser.setViewport(1280, 900);
  await openGame(browser, url, after(24));
  await browser.click("#analyse");
  await browser.until("document.getElementById('analysis').dataset.state === 'finished'", 60000);
  await picture("analysis");
  await openGame(browser, url, after(line.moves.length));
  await browser.click("#review-run");
  await browser.until(
    "document.querySelectorAll('#review-moves [data-at]').length === 60 && document.getElementById('review-run').textContent.startsWith('Review')",
    60000,
  );
  await browser.evaluate("scrollTo(0, 0)");
  await picture("review");
  await open(browser, url);
  await browser.click("#tab-watch");
  await browser.select("#watch-0", "strong");
  await browser.select("#watch-1", "chains");
  await browser.click("#watch-start");
  await browser.until("document.documentElement.dataset.game.split(' ').length > 26", 60000);
  await browser.evaluate("scrollTo(0, 0)");
  await picture("watch");
  await browser.click("#tab-training");
  await browser.until("document.querySelectorAll('[data-curve]').length > 3");
  await picture("training");
  await browser.setViewport(360, 740);
  await browser.emulateMedia({ "prefers-color-scheme": "dark" });
  await openGame(browser, url, after(24));
  await picture("phone");
} finally {
  await browser.stop();
}
