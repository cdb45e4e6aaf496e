// Checks what the page opens with: `node opening.mjs PLAY WATCH BOTH FOLDER`. The page at PLAY was given a run
// "first" of 3x3, the one at WATCH follows the run in FOLDER, which does not exist yet, and the one at BOTH was
// given a run and follows it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sleep } from "./browser.mjs";
import { Chromium } from "./chromium.mjs";
import { choose, chosen, clickEdge, each, open, openTab, shown, text } from "./page.mjs";
import { assert, Report } from "./report.mjs";

const [play, watch, both, folder] = process.argv.slice(2);
const report = new Report();
const browser = await Chromium.start();

const tab = () => browser.evaluate("document.querySelector('[role=tab][aria-selected=true]').id");
const value = (name) => chosen(browser, name);
const like = (value) => browser.evaluate(`document.querySelector('#opponent [value="${value}"]').parentElement.textContent`);
const answered = () => browser.until("document.documentElement.dataset.game.split(' ').length === 3", 20_000);

try {
  await browser.setViewport(1280, 900);
  await report.check("opening: the network that was given is the opponent, on its board", async () => {
    await open(browser, play);
    await browser.evaluate(`localStorage.setItem("doublecross.settings", '{"opponent":"level:5","seat":"0","size":"5x5"}')`);
    await open(browser, play);
    assert.equal(await tab(), "tab-play");
    assert.deepEqual([await value("opponent"), await value("size")], ["net:first", "3x3"]);
    assert.equal(await text(browser, "name-1"), "first");
    assert.match(await like("net:first"), /firstthe network with a search of 200 simulations and the exact solver$/);
    const names = await each(browser, "#opponent .rung b", "item.textContent");
    assert.deepEqual(names.slice(0, 3), ["first", "first: network alone, no solver", "First-timer"]);
    await clickEdge(browser, "H1,1");
    await answered();
    const { bots } = await (await fetch(new URL("bots.json", play))).json();
    const { module } = bots.find(({ given }) => given);
    const loaded = "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /wasm/.test(name))";
    assert.deepEqual(await browser.evaluate(loaded), [new URL(module, play).href]);
  });

  await report.check("opening: the network plays alone, too", async () => {
    await choose(browser, "opponent", "net:first,nodes=0");
    assert.match(await like("net:first,nodes=0"), /without the exact solver$/);
    await browser.click("#new-game");
    assert.equal(await text(browser, "name-1"), "first, no solver");
    await browser.until("document.documentElement.dataset.game === '3x3'");
    await clickEdge(browser, "H1,1");
    await answered();
  });

  await report.check("opening: a network that is chosen sets its board", async () => {
    await choose(browser, "opponent", "level:3");
    await choose(browser, "size", "4x4");
    await choose(browser, "opponent", "net:first");
    assert.equal(await value("size"), "3x3");
    // Another board is possible, and said to be another one.
    await choose(browser, "size", "2x2");
    assert.match(await text(browser, "play-note"), /trained on other boards/);
    await browser.click("#new-game");
    await browser.until("document.documentElement.dataset.game === '2x2'");
    await clickEdge(browser, "H1,1");
    await answered();
    assert.equal((await shown(browser)).board.name, "2x2");
  });

  await report.check("opening: a run that is followed is waited for", async () => {
    await open(browser, watch);
    assert.equal(await tab(), "tab-training");
    const headline = "document.querySelector('#runs .headline')?.textContent";
    await browser.until(`/^Waiting for the first generation/.test(${headline})`);
    mkdirSync(folder);
    writeFileSync(join(folder, "progress.jsonl"), '{"generation":1,"games":50,"policy_loss":2}\n');
    await browser.until(`/^Generation 1 after 50 games/.test(${headline})`, 12_000);
    // The play tab stays after a reload, too.
    await openTab(browser, "play");
    assert.equal(await browser.evaluate("location.hash"), "#3x3/"); // A first visit begins small.
    await browser.evaluate("location.reload()");
    await sleep(300);
    await browser.until("document.documentElement.dataset.tab === 'play'");
  });

  await report.check("opening: a run that is given and followed is played against first", async () => {
    await open(browser, both);
    assert.equal(await tab(), "tab-play");
    assert.equal(await value("opponent"), "net:first");
  });

  await report.check("opening: nothing is complained about", () => assert.deepEqual(browser.complaints, []));
} finally {
  await browser.stop();
}
report.end();
