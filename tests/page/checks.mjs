// Checks the page in a real browser:
//
//     node checks.mjs URL [SCREENSHOT_DIR] [--browser chromium|firefox] [--only TEXT]
//
// Prints a line for each check, and ends with status 1 if one has failed. Chromium is the default;
// `--only` leaves out the checks without this text in their name. The page at URL must have bots.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Chromium } from "./chromium.mjs";
import { feelChecks } from "./feel-checks.mjs";
import { Firefox } from "./firefox.mjs";
import { gameChecks } from "./game-checks.mjs";
import { learnChecks } from "./learn-checks.mjs";
import { lookChecks } from "./look-checks.mjs";
import { pageChecks } from "./page-checks.mjs";
import { assert, Report } from "./report.mjs";
import { trainingChecks } from "./training-checks.mjs";
import { weightChecks } from "./weight-checks.mjs";

const BROWSERS = { chromium: Chromium, firefox: Firefox };

const { positionals: [url, shots], values: chosen } = parseArgs({
  allowPositionals: true,
  options: { browser: { type: "string", default: "chromium" }, only: { type: "string", default: "" } },
});
if (!url || !BROWSERS[chosen.browser]) {
  console.error("usage: node checks.mjs URL [SCREENSHOT_DIR] [--browser chromium|firefox] [--only TEXT]");
  process.exit(2);
}
if (shots) mkdirSync(shots, { recursive: true });

const report = new Report();
const browser = await BROWSERS[chosen.browser].start().catch((error) => {
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
    if (name.includes(chosen.only)) await report.check(name, () => body(browser, { url, shoot }));
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
