// Checks of what the page loads before a bot is asked for.
import { clickEdge, open } from "./page.mjs";
import { assert } from "./report.mjs";

/** The most bytes of the first load, compressed as they travel. */
const MOST = 130_000;

const LOADED = `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .map(({ name, encodedBodySize }) => [new URL(name).pathname, encodedBodySize])`;

export const weightChecks = {
  "the first load is small, and has no bot": async (browser, { url }) => {
    await open(browser, url);
    const loaded = await browser.evaluate(LOADED);
    const bytes = loaded.reduce((sum, [, size]) => sum + size, 0);
    assert.ok(loaded.length > 20 && bytes > 50_000, `${loaded.length} files of ${bytes} bytes`);
    assert.ok(bytes <= MOST, `${bytes} bytes are loaded`);
    assert.deepEqual(loaded.filter(([name]) => name.endsWith(".wasm")), []);
    // The bot is loaded with the first move.
    await clickEdge(browser, "H0,0");
    await browser.until(`document.documentElement.dataset.game.split(" ").length >= 3`);
    const moved = await browser.evaluate("performance.now()");
    console.log(`   ${loaded.length} files of ${bytes} bytes; a bot had answered ${Math.round(moved)} ms after the page was opened`);
  },
};
