// Checks the page in a real browser: `node checks.mjs URL [SCREENSHOT_DIR]`. Prints a line for each
// check, and ends with status 1 if one has failed. The page at URL must have bots.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Browser } from "./browser.mjs";
import { feelChecks } from "./feel-checks.mjs";
import { gameChecks } from "./game-checks.mjs";
import { learnChecks } from "./learn-checks.mjs";
import { lookChecks } from "./look-checks.mjs";
import { pageChecks } from "./page-checks.mjs";
import { assert, Report } from "./report.mjs";
import { trainingChecks } from "./training-checks.mjs";
import { weightChecks } from "./weight-checks.mjs";

const [url, shots] = process.argv.slice(2);
if (!url) {
  console.error("usage: node checks.mjs URL [SCREENSHOT_DIR]");
  process.exit(2);
}
if (shots) mkdirSync(shots, { recursive: true });

const report = new Report();
const browser = await Browser.start().catch((error) => {
  console.log(`FAILED browser: ${error.message}`);
  process.exit(1);
});
const shoot = async (name) => {
  if (shots) await browser.screenshot(join(shots, `${name}.png`));
};

try {
  await browser.setViewport(1280, 900);
  const all = {
    ...gameChecks, ...feelChecks, ...lookChecks, ...learnChecks, ...pageChecks, ...trainingChecks,
    ...weightChecks,
  };
  for (const [name, body] of Object.entries(all)) {
    await report.check(name, () => body(browser, { url, shoot }));
  }
  await report.check("the console has no errors or warnings", () => assert.deepEqual(browser.complaints, []));
  await report.check("no other host is contacted", () => {
    const own = [`${new URL(url).origin}/`, "data:", "blob:", "about:"];
    assert.deepEqual(browser.requests.filter((address) => !own.some((start) => address.startsWith(start))), []);
    assert.ok(browser.requests.length > 20);
  });
} finally {
  await browser.stop();
}
report.end();
