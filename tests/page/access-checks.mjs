// Checks of every state of the page by axe, an automatic checker of the Web Content Accessibility Guidelines, whose
// file $AXE names.
import { readFileSync } from "node:fs";
import { sleep } from "./browser.mjs";
import { clickEdge, finished, newGame, open, openFirst, openGame, openTab, played } from "./page.mjs";
import { assert } from "./report.mjs";
import { site } from "./site.mjs";

const { Board } = await site("doublecross/rules.js");
const { AXE } = process.env;

/** The rules of level AA of version 2.2, and those before. */
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** Returns what axe finds wrong with the page as it is, a line for each kind. */
async function faults(browser) {
  await browser.evaluate(`${readFileSync(AXE, "utf8")}; undefined`);
  await sleep(400); // Colors change by degrees.
  const { passed, found } = await browser.evaluate(`axe.run({ runOnly: ${JSON.stringify(RULES)} }).then(
    ({ passes, violations }) => ({ passed: passes.length, found: violations.map(({ id, nodes }) =>
      [id, nodes.length, nodes[0].target.join(" "), nodes[0].failureSummary.replace(/\\s+/g, " ")].join("; ")) }))`);
  assert.ok(passed > 10, `only ${passed} rules were applied`);
  return found;
}

/** The states of the page: their names, and the ways to them. */
const STATES = {
  "the first visit": (browser, url) => openFirst(browser, url),
  "a game": (browser, url) => openGame(browser, url, played(new Board(4, 4), ["H0,0", "V0,0", "V0,1", "H1,0", "H2,2"])),
  "an analysis": async (browser) => {
    await browser.click("#analyze");
    await browser.until("document.querySelectorAll('.stroke').length > 0");
    await browser.evaluate("document.getElementById('analysis-more').open = true");
  },
  "a review": async (browser, url) => {
    await openGame(browser, url, finished(new Board(3, 3), 7));
    await browser.click("#review-run");
    await browser.until("document.getElementById('review-run').textContent === 'Review this game'", 60_000);
  },
  "another try": async (browser) => {
    if (await browser.evaluate("document.getElementById('retry').hidden")) await browser.click("#next-mistake");
    await browser.click("#retry");
    await browser.until("document.getElementById('retry-words').checkVisibility()");
  },
  "an ending": async (browser, url) => {
    await newGame(browser, url, { opponent: "person", size: "1x1" });
    for (const name of ["H0,0", "V0,0", "H1,0", "V0,1"]) await clickEdge(browser, name);
    await browser.until("!document.getElementById('ending').hidden");
  },
  help: async (browser, url) => {
    await open(browser, url);
    await browser.click("#help");
  },
  sharing: async (browser, url) => {
    await openGame(browser, url, finished(new Board(3, 3), 7));
    await browser.click("#share");
    await browser.until("document.getElementById('share-dialog')?.open");
  },
  ...Object.fromEntries(["learn", "watch", "arena", "training", "scores"].map((tab) => [tab, async (browser, url) => {
    await open(browser, url);
    await openTab(browser, tab);
  }])),
};

/** A check of all states in a theme. */
const check = (theme) => async (browser, { url }) => {
  await browser.emulateMedia({ "prefers-color-scheme": theme, "prefers-reduced-motion": "reduce" });
  const found = [];
  for (const [name, reach] of Object.entries(STATES)) {
    await reach(browser, url);
    found.push(...(await faults(browser)).map((fault) => `${name}: ${fault}`));
  }
  await browser.emulateMedia({});
  assert.deepEqual(found, []);
};

/** Stands for the checks where axe is missing. */
const skip = async () => {
  console.log("   skipped: AXE names no axe.min.js");
  assert.ok(!process.env.DOUBLECROSS_REQUIRE_TOOLS);
};

export const accessChecks = {
  "every state is accessible, in light": AXE ? check("light") : skip,
  "every state is accessible, in dark": AXE ? check("dark") : skip,
};
