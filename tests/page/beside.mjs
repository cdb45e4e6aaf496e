// Checks the documents as a web site, served at URL: `node beside.mjs URL`. The game opens beside the text, and the positions
// of the text in it.
import { Chromium } from "./chromium.mjs";
import { assert, Report } from "./report.mjs";

const [url] = process.argv.slice(2);
const report = new Report();
const browser = await Chromium.start();

/** The game that the frame beside the text shows, as text, or null while there is none. */
const SHOWN = `document.getElementById("beside")?.contentDocument?.documentElement.dataset.game ?? null`;

try {
  await report.check("site: the game opens and closes beside the text", async () => {
    await browser.goto(new URL("glossary.html", url).href);
    const press = `document.querySelector('[title="Play beside the text"]').click()`;
    await browser.evaluate(press);
    await browser.until(`${SHOWN} !== null`);
    await browser.evaluate(press);
    assert.equal(await browser.evaluate(`document.getElementById("beside").hidden`), true);
  });
  await report.check("site: a position of the text opens in the game", async () => {
    await browser.goto(new URL("strategy.html", url).href);
    const count = await browser.evaluate(`document.querySelectorAll(".play-this").length`);
    assert.ok(count >= 3, `${count} positions`);
    await browser.evaluate(`document.querySelector(".play-this").click()`);
    // The first drawing of section 1.
    const edges = "H0,0 H0,1 H0,2 V0,0 V0,3 V2,3 H3,0 H3,2";
    await browser.until(`${SHOWN} === ${JSON.stringify(`3x3 ${edges}`)}`);
  });
  await report.check("site: a page of a folder below finds the game too", async () => {
    await browser.goto(new URL("experiments/network.html", url).href);
    await browser.evaluate(`document.querySelector('[title="Play beside the text"]').click()`);
    await browser.until(`${SHOWN} !== null`);
  });
  await report.check("site: nothing is complained about", async () => assert.deepEqual(browser.complaints, []));
} finally {
  await browser.stop();
}
report.end();
