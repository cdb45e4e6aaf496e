// Checks the package for JavaScript in a browser: `node package.mjs URL`, where its folder is served.
import { Chromium } from "./chromium.mjs";
import { assert, Report } from "./report.mjs";

const [url] = process.argv.slice(2);
const report = new Report();
const browser = await Chromium.start();

/** Runs the body of an asynchronous function in the page, with the package as `doublecross`, and returns its result. */
async function inPage(body) {
  const found = `(async () => { const doublecross = await import("/index.js"); ${body} })()`;
  await browser.evaluate(`window.result = null; ${found}.then((value) => (window.result = { value }), (error) => (window.result = { error: String(error) })); 0`);
  await browser.until("window.result !== null");
  const { value, error } = JSON.parse(await browser.evaluate("JSON.stringify(window.result)"));
  if (error !== undefined) throw new Error(error);
  return value;
}

try {
  await browser.goto(new URL("package.json", url).href);
  await report.check("package: a bot plays and analyses", async () => {
    const [edge, undrawn] = await inPage(`
      const bot = await doublecross.pretrained("3x3");
      return [bot.play("3x3 H0,0").edge, bot.analyze(doublecross.Game.parse("3x3 H0,0 V1,2")).undrawn];`);
    assert.match(edge, /^[HV][0-3],[0-3]$/);
    assert.equal(undrawn, 22);
  });
  await report.check("package: a module that is no bot is refused by a worker", async () => {
    const bytes = "new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])";
    const refusal = await inPage(`return doublecross.BotWorker.load(${bytes}).then(() => "no error", (error) => error.message);`);
    assert.match(refusal, /not an exported bot/);
  });
  await report.check("package: a worker answers, refuses and is ended", async () => {
    const [edge, refusal, ended] = await inPage(`
      const bot = await doublecross.pretrainedWorker("2x2");
      const reason = (promise) => promise.then(() => "no error", (error) => error.message);
      const first = await bot.play("2x2 H0,0");
      const refusal = await reason(bot.analyze("2x2 H9,9"));
      const long = reason(bot.play("5x5", { simulations: 100_000 }));
      bot.end();
      return [first.edge, refusal, await long];`);
    assert.match(edge, /^[HV]/);
    assert.match(refusal, /H9,9/);
    assert.equal(ended, "the worker was ended");
  });
} finally {
  await browser.stop();
}
report.end();
