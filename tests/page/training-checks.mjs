// Checks of the training view: its curves, several runs, files, keys, and what it says when there is nothing to show.
import { sleep } from "./browser.mjs";
import { each, open, openTab, text } from "./page.mjs";
import { assert } from "./report.mjs";

const lines = (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

/** Returns the rows of a run of so many generations, scored in every tenth. */
const rowsOf = (length, { pace = 30, score = 0.9 } = {}) => Array.from({ length }, (_, at) => ({
  generation: at + 1, steps: 200 * at, games: 400 * (at + 1), seconds: pace * (at + 1), policy_loss: 2 + 1 / (at + 1),
  margin_loss: 1.7 - at / 1000, margin_error: 3 * 0.97 ** at, games_per_second: 30 + 5 * Math.sin(at),
  ...(at % 10 === 9 ? { suite_policy_optimal: at / 400, suite_search_optimal: score - 1 / at } : {}),
}));

/** Shows the training tab, with these runs followed: the text of each by its name. */
async function follow(browser, url, runs) {
  const { bots } = await (await fetch(new URL("bots.json", url))).json();
  const listed = Object.keys(runs).map((name, at) => ({ name, progress: `runs/${at + 1}/progress.jsonl` }));
  const texts = Object.values(runs).map((run, at) =>
    [`runs/${at + 1}/progress.jsonl`, typeof run === "function" ? run : () => run]);
  await browser.answer({ "bots.json": () => JSON.stringify({ bots, runs: listed }), ...Object.fromEntries(texts) });
  await open(browser, url);
  await openTab(browser, "training");
}

const headlines = (browser) => each(browser, "#runs .headline", "item.textContent");
const values = (browser, field) => each(browser, `[data-curve=${field}] .values b`, "item.textContent");
const has = (browser, length) => browser.until(`document.querySelectorAll("#runs li").length === ${length}`);
const valueText = (field) =>
  `document.querySelector('[data-curve=${field}] .run-chart').getAttribute('aria-valuetext')`;

export const trainingChecks = {
  "training: without a run it is said how to start one": async (browser, { url, shoot }) => {
    await follow(browser, url, {});
    assert.match(await text(browser, "training-empty"),
      /doublecross train configs\/3x3.toml[^]*doublecross serve --run/);
    assert.ok(await browser.evaluate("document.getElementById('training-empty').checkVisibility()"));
    assert.equal(await browser.evaluate("document.getElementById('training-axis').checkVisibility()"), false);
    await shoot("training-empty");
    await browser.setViewport(360, 740, true);
    assert.ok(await browser.evaluate("document.scrollingElement.scrollWidth <= innerWidth"));
    await browser.setViewport(1280, 900);
  },

  "training: scores come first, then losses, then speed": async (browser, { url, shoot }) => {
    await follow(browser, url, { mine: lines(rowsOf(250)) });
    await has(browser, 1);
    await browser.until("document.querySelectorAll('[data-curve]').length === 6");
    assert.deepEqual(await each(browser, "[data-curve]", "item.dataset.curve"), [
      "suite_search_optimal", "suite_policy_optimal", "policy_loss", "margin_loss", "margin_error", "games_per_second",
    ]);
    assert.deepEqual(await headlines(browser), ["Generation 250 after 100,000 games and 2 h 5 min. Latest score "
      + "89.6\u00a0% (best edges after searching), its best so far. It is still improving."]);
    // A measurement for each generation, and one ring for the best score.
    const dots = "item.querySelector('.measured').getAttribute('d').split('h0').length - 1";
    assert.deepEqual(await each(browser, "[data-curve]", dots), [25, 25, 250, 250, 250, 250]);
    assert.deepEqual(await each(browser, "[data-curve]", "item.querySelectorAll('.best').length"), [1, 1, 0, 0, 0, 0]);
    assert.match(await text(browser, "summary-suite_search_optimal"),
      /^from 78.9\u00a0% at generation 10 to 89.6\u00a0%.*best 89.6/);
    // Ticks have room.
    const labels = await each(browser, "[data-curve=policy_loss] .tick[text-anchor=middle]",
      "item.getBoundingClientRect().x");
    assert.ok(labels.length >= 2 && labels.slice(1).every((x, at) => x - labels[at] > 30), String(labels));
    assert.ok(!(await browser.evaluate("/NaN|Infinity|undefined/.test(document.getElementById('curves').innerHTML)")));
    await shoot("training");
  },

  "training: several runs are compared by generations, games or time": async (browser, { url, shoot }) => {
    await follow(browser, url, { slow: lines(rowsOf(60, { pace: 240 })), fast: lines(rowsOf(120, { score: 0.95 })) });
    await browser.until("document.querySelectorAll('[data-curve=policy_loss] .line').length >= 4");
    // The runs differ by more than their colors.
    const signs = await each(browser, "#runs li", "[item.querySelector('.name').textContent, "
      + "item.querySelector('.letter').textContent, item.querySelector('.line').getAttribute('stroke-dasharray')]");
    assert.deepEqual(signs, [["slow", "A", ""], ["fast", "B", "9 4"]]);
    const letters = await each(browser, "[data-curve=policy_loss] .run-chart > .letter", "item.textContent");
    assert.deepEqual(letters, ["A", "B"]);
    await browser.evaluate("document.querySelector('[data-curve=suite_search_optimal] .run-chart').focus()");
    await browser.key("Home");
    assert.deepEqual(await values(browser, "suite_search_optimal"), ["78.9\u00a0%", "83.9\u00a0%"]);
    assert.equal(await browser.evaluate(valueText("suite_search_optimal")),
      "At generation 10: slow: 78.9\u00a0%; fast: 83.9\u00a0%");
    await browser.key("End");
    assert.deepEqual(await values(browser, "suite_search_optimal"), ["no value", "94.2\u00a0%"]);
    await browser.key("Escape");
    assert.deepEqual(await values(browser, "suite_search_optimal"), ["88.3\u00a0%", "94.2\u00a0%"]);
    // After the same time the slow run is behind in generations.
    await browser.select("#training-axis", "time");
    await browser.evaluate("document.querySelector('[data-curve=policy_loss] .run-chart').focus()");
    for (const key of ["Home", "PageUp", "ArrowLeft"]) await browser.key(key);
    assert.match(await browser.evaluate(valueText("policy_loss")),
      /^After 0.083 hours: slow: 3.000 \(after 0.067 hours\); fast: 2.100$/);
    await browser.select("#training-axis", "games");
    assert.match(await browser.evaluate(valueText("policy_loss")), /^Latest: slow: 2.017; fast: 2.008$/);
    await shoot("training-runs");
    await browser.click("#runs button");
    await has(browser, 1);
    assert.deepEqual(await each(browser, "#runs .name", "item.textContent"), ["fast"]);
    assert.ok(await browser.evaluate("document.activeElement.closest('#runs') !== null"));
  },

  "training: the pointer marks the same place in all charts": async (browser, { url }) => {
    await follow(browser, url, { mine: lines(rowsOf(100)) });
    await browser.until("document.querySelector('[data-curve=policy_loss] .run-chart')");
    const at = await browser.evaluate(`(() => {
      const chart = document.querySelector('[data-curve=policy_loss] .run-chart');
      chart.scrollIntoView({ block: "center", behavior: "instant" });
      const { left, top, width, height } = chart.getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2 };
    })()`);
    await browser.point(at);
    const marked = await each(browser, "[data-curve]", "item.querySelectorAll('.here').length");
    assert.deepEqual(marked, marked.map(() => 1));
    const [place] = await each(browser, "[data-curve=policy_loss] .values li", "item.textContent");
    assert.match(place, /^At generation \d\d$/);
    await browser.point({ x: 5, y: 5 });
    assert.equal(await browser.evaluate("document.querySelectorAll('.here').length"), 0);
  },

  "training: files are added, named and removed": async (browser, { url }) => {
    await follow(browser, url, {});
    await browser.give("#progress-file", "progress.jsonl", `${lines(rowsOf(40))}{"gen`);
    await has(browser, 1);
    assert.match(await browser.evaluate("document.querySelector('#runs .fault').textContent"), /ends within a line/);
    await browser.give("#progress-file", "progress.jsonl", `x\n${lines(rowsOf(20))}`);
    await has(browser, 2);
    assert.match((await each(browser, "#runs .fault", "item.textContent"))[1], /^Line 1 is damaged/);
    assert.deepEqual(await each(browser, "#runs input", "item.value"), ["progress.jsonl", "progress.jsonl 2"]);
    await browser.evaluate(`(() => {
      const input = document.querySelectorAll("#runs input")[1];
      input.value = "second <b>";
      input.dispatchEvent(new Event("change"));
    })()`);
    const names = await each(browser, "[data-curve=policy_loss] .values .name", "item.textContent");
    assert.deepEqual(names, ["progress.jsonl", "second <b>"]);
    // A file that is none is refused, and what is shown stays.
    await browser.give("#progress-file", "bad.jsonl", "no progress");
    await browser.until("/^bad.jsonl cannot be shown/.test(document.getElementById('progress-note').textContent)");
    assert.equal((await headlines(browser)).length, 2);
    for (const left of [1, 0]) {
      await browser.click("#runs button");
      await has(browser, left);
    }
    assert.ok(await browser.evaluate("document.getElementById('training-empty').checkVisibility()"));
    assert.equal(await browser.evaluate("document.querySelectorAll('[data-curve]').length"), 0);
  },

  "training: several files at once": async (browser, { url }) => {
    await follow(browser, url, {});
    await browser.evaluate(`(() => {
      const files = new DataTransfer();
      for (const name of ["a.jsonl", "b.jsonl"]) files.items.add(new File(['{"generation":1,"policy_loss":2}'], name));
      const input = document.getElementById("progress-file");
      input.files = files.files;
      input.dispatchEvent(new Event("change"));
    })()`);
    await has(browser, 2);
    assert.equal(await browser.evaluate("document.getElementById('no-scores').checkVisibility()"), true);
  },

  "training: a run is followed, and the focus stays where it is": async (browser, { url }) => {
    let rows = 0;
    let isBroken = false;
    const line = (_, at) => `{"generation":${at + 1},"policy_loss":${3 - at / 10}}\n`;
    // An empty answer would be the file of the server itself.
    const mine = () => (isBroken ? "broken" : `\n${Array.from({ length: rows }, line).join("")}`);
    await follow(browser, url, { mine });
    const said = "document.querySelector('#runs .headline').textContent";
    await browser.until(`/^Waiting for the first generation/.test(${said})`);
    rows = 2;
    await browser.until("/^Generation 2/.test(document.querySelector('#runs .headline').textContent)", 8000);
    await browser.evaluate("document.querySelector('[data-curve] .run-chart').focus()");
    await browser.key("Home");
    rows = 5;
    await browser.until("/^Generation 5/.test(document.querySelector('#runs .headline').textContent)", 8000);
    assert.equal(await browser.evaluate("document.activeElement.closest('[data-curve]').dataset.curve"), "policy_loss");
    assert.deepEqual(await values(browser, "policy_loss"), ["3.000"]);
    assert.equal(await browser.evaluate("document.querySelectorAll('[data-curve]').length"), 1);
  },

  "training: any window, either theme": async (browser, { url, shoot }) => {
    await follow(browser, url, { first: lines(rowsOf(250)), second: lines(rowsOf(95)), third: lines(rowsOf(9)) });
    for (const [width, height, isPhone] of [[360, 740, true], [768, 1024, false], [2560, 1300, false]]) {
      await browser.setViewport(width, height, isPhone);
      await browser.until("document.querySelectorAll('[data-curve]').length === 6");
      await sleep(200);
      assert.ok(await browser.evaluate("document.scrollingElement.scrollWidth <= innerWidth"), `${width}`);
      // Charts are drawn in the width that they have, so that their text has its own size.
      const scales = await each(browser, ".run-chart",
        "item.getBoundingClientRect().width / item.viewBox.baseVal.width");
      assert.ok(scales.every((scale) => Math.abs(scale - 1) < 0.01), `${width}: ${scales}`);
      const low = await each(browser, "#training :is(button, select, input)",
        "item.checkVisibility() && item.getBoundingClientRect().height < 40 ? item.outerHTML : null");
      assert.deepEqual(low.filter(Boolean), []);
      await shoot(`training-${width}`);
    }
    const wide = await browser.evaluate("document.getElementById('training').getBoundingClientRect().width");
    assert.ok(wide > 1800, `${wide}`);
    await browser.setViewport(1280, 900);
    await browser.answer({});
  },
};
