// Checks the page in a real browser:
//
//     node checks.mjs URL [SCREENSHOT_DIR] [--browser chromium|firefox] [--flows] [--only TEXT]
//
// Prints a line for each check, and ends with status 1 if one has failed. The page at URL must have
// bots. Chromium is the default. `--flows` is a short run, of the checks that flows.mjs names;
// `--only` runs the checks with this text in their names.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { accessChecks } from "./access-checks.mjs";
import { arenaChecks } from "./arena-checks.mjs";
import { Chromium } from "./chromium.mjs";
import { feelChecks } from "./feel-checks.mjs";
import { Firefox } from "./firefox.mjs";
import { FLOWS } from "./flows.mjs";
import { gameChecks } from "./game-checks.mjs";
import { learnChecks } from "./learn-checks.mjs";
import { lookChecks } from "./look-checks.mjs";
import { offlineChecks } from "./offline-checks.mjs";
import { pageChecks } from "./page-checks.mjs";
import { assert, Report } from "./report.mjs";
import { scoresChecks } from "./scores-checks.mjs";
import { setupChecks } from "./setup-checks.mjs";
import { shareChecks } from "./share-checks.mjs";
import { trainingChecks } from "./training-checks.mjs";
import { weightChecks } from "./weight-checks.mjs";

const BROWSERS = { chromium: Chromium, firefox: Firefox };
const OPTIONS = {
  browser: { type: "string", default: "chromium" },
  flows: { type: "boolean", default: false },
  only: { type: "string", default: "" },
};

const { positionals: [url, shots], values: chosen } = parseArgs({ allowPositionals: true, options: OPTIONS });
if (!url || !Object.hasOwn(BROWSERS, chosen.browser)) {
  console.error("usage: node checks.mjs URL [SCREENSHOT_DIR] [--browser chromium|firefox] [--flows] [--only TEXT]");
  process.exit(2);
}
if (shots) mkdirSync(shots, { recursive: true });

const all = {
  ...setupChecks, ...gameChecks, ...feelChecks, ...lookChecks, ...shareChecks, ...learnChecks, ...pageChecks, ...arenaChecks,
  ...trainingChecks, ...offlineChecks, ...accessChecks, ...scoresChecks, ...weightChecks,
};
const names = (chosen.flows ? FLOWS : Object.keys(all)).filter((name) => name.includes(chosen.only));

const report = new Report();
const browser = await BROWSERS[chosen.browser].start().catch((error) => {
  console.log(`FAILED browser: ${error.message}`);
  process.exit(1);
});
const shoot = async (name) => {
  if (shots) await browser.screenshot(join(shots, `${name}.png`));
};

/** Lets the browser forget what a check has stored, so that the next one begins like the first. */
async function forget(browser) {
  await browser.evaluate("if (location.protocol !== 'about:') localStorage.clear()").catch(() => {});
}

try {
  await browser.setViewport(1280, 900);
  // A name of flows.mjs that no check has fails as one.
  for (const name of names) {
    await report.check(name, () => all[name](browser, { url, shoot }));
    await forget(browser);
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
