// Takes the pictures of docs/page.md: `node pictures.mjs URL FOLDER`. The page at URL must have bots
// and follow a training run.
import { join } from "node:path";
import { sleep } from "./browser.mjs";
import { Chromium } from "./chromium.mjs";
import { clickEdge, newGame, open, openGame, openTab, played } from "./page.mjs";
import { site } from "./site.mjs";

const { Board } = await site("rules.js");
const [url, folder] = process.argv.slice(2);

/** The middle of a 5x5 game, with chains and a few safe edges. */
const MIDDLE = [
  "H0,0", "H1,2", "V0,1", "V1,5", "H2,0", "H1,4", "V2,0", "H2,3", "H3,1", "V2,3", "H4,0", "V3,1", "H3,2", "H4,1", "V4,2", "H5,3",
  "H0,2", "V3,4", "H0,3", "V0,5", "H2,4", "V4,5",
];
const LIGHT = { "prefers-color-scheme": "light" };
const DARK = { "prefers-color-scheme": "dark" };
const DESK = [1280, 900];
const PHONE = [360, 740, true];

const browser = await Chromium.start();
const board = new Board(5, 5);

async function picture(name, window, theme, steps) {
  await browser.setViewport(...window);
  await browser.emulateMedia(theme);
  await steps();
  await sleep(700);
  await browser.screenshot(join(folder, `${name}.png`));
}

const middle = () => openGame(browser, url, played(board, MIDDLE));
const analysed = async () => {
  await middle();
  await browser.key("a");
  await browser.until("document.querySelectorAll('.stroke').length > 0 && document.getElementById('analysis').dataset.state === 'finished'", 60_000);
};

/** Plays a game of two people to its end, in which Blue takes most boxes. */
async function ended() {
  await newGame(browser, url, { opponent: "person", size: "3x3" });
  const small = new Board(3, 3);
  for (let at = 0; at < small.edges; at++) {
    const edge = (at * 7) % small.edges;
    const { horizontal, row, col } = small.place(edge);
    await clickEdge(browser, `${horizontal ? "H" : "V"}${row},${col}`);
  }
  await browser.until("!document.getElementById('ending').hidden");
}

try {
  await picture("play", DESK, LIGHT, middle);
  await picture("dark", DESK, DARK, middle);
  await picture("phone", PHONE, LIGHT, middle);
  await picture("wide", [2560, 1440], LIGHT, analysed);
  await picture("analysis", DESK, LIGHT, analysed);
  await picture("ending", DESK, LIGHT, ended);
  await picture("review", DESK, LIGHT, async () => {
    await ended();
    await browser.click("#ending-review");
    await browser.until("document.getElementById('review-run').textContent === 'Review this game'", 60_000);
    await browser.evaluate("document.querySelector('#review-moves .words')?.scrollIntoView({ block: 'nearest' }), scrollTo(0, 0)");
  });
  await picture("training", DESK, LIGHT, async () => {
    await open(browser, url);
    await openTab(browser, "training");
  });
} finally {
  await browser.stop();
}
