// Checks of the whole page: themes, motion, phones, and missing or damaged parts.
import { sleep } from "./browser.mjs";
import { choose, chosen, clickEdge, each, newGame, open, openFirst, openGame, openTab, played, ready, shown, text } from "./page.mjs";
import { assert } from "./report.mjs";
import { site } from "./site.mjs";

const { Board } = await site("doublecross/rules.js");

/** An expression for the contrast of an element's text with its background, as WCAG defines it. */
const contrast = (selector) => `(() => {
  const parts = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const element = document.querySelector(${JSON.stringify(selector)});
  let behind = element;
  while (behind && (parts(getComputedStyle(behind).backgroundColor)[3] ?? 1) === 0) behind = behind.parentElement;
  const text = light(parts(getComputedStyle(element).color));
  const ground = light(parts(getComputedStyle(behind).backgroundColor));
  return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
})()`;

const TEXTS = [
  "h1", "#status", ".note", "#tab-play", "#tab-watch", "#new-game", "#share", "#score-0", "#score-1", "#setup-summary",
  "#review h2", "#theme",
];

async function readable(browser) {
  for (const selector of TEXTS) {
    const found = await browser.evaluate(contrast(selector));
    assert.ok(found >= 4.5, `the contrast of ${selector} is ${found.toFixed(2)}`);
  }
}

const ground = (browser) => browser.evaluate("getComputedStyle(document.body).backgroundColor");

export const pageChecks = {
  "light and dark": async (browser, { url, shoot }) => {
    await browser.emulateMedia({ "prefers-color-scheme": "light" });
    await openGame(browser, url, played(new Board(5, 5), ["H0,0", "V0,0", "V0,1", "H1,0", "H2,2", "V3,3"]));
    await sleep(400);
    const light = await ground(browser);
    await readable(browser);
    await shoot("light");
    await browser.emulateMedia({ "prefers-color-scheme": "dark" });
    await sleep(300);
    assert.notEqual(await ground(browser), light);
    await readable(browser);
    await shoot("dark");
    await browser.click("#theme");
    assert.equal(await ground(browser), light);
    await open(browser, url);
    assert.equal(await ground(browser), light);
    await browser.click("#theme");
    await browser.emulateMedia({ "prefers-color-scheme": "light" });
    assert.notEqual(await ground(browser), light);
    await browser.click("#theme");
    assert.equal(await ground(browser), light);
  },

  "nothing moves while the page is loaded": async (browser, { url }) => {
    const shifts = `new Promise((done) => {
      const found = [];
      const observer = new PerformanceObserver((list) => found.push(...list.getEntries()));
      if (PerformanceObserver.supportedEntryTypes.includes("layout-shift")) observer.observe({ type: "layout-shift", buffered: true });
      setTimeout(() => done(found.reduce((sum, { value }) => sum + value, 0)), 300);
    })`;
    for (const [width, height] of [[1280, 800], [390, 844]]) {
      await browser.setViewport(width, height, width < 500);
      const isStill = async (when) => {
        const sum = await browser.evaluate(shifts);
        assert.ok(sum < 0.05, `${when}, in ${width} x ${height}: the layout shifts by ${sum.toFixed(3)}`);
      };
      await openFirst(browser, url);
      await isStill("a first visit");
      await newGame(browser, url, { opponent: "level:1", size: "5x5" });
      await clickEdge(browser, "H2,2");
      await browser.until("location.hash.length >= 9 && document.querySelector('#board.open')");
      await browser.evaluate("location.reload()");
      await sleep(300);
      await ready(browser);
      await isStill("a reload within a game");
    }
    await browser.setViewport(1280, 900);
  },

  "reduced motion": async (browser, { url }) => {
    const moving = `(getComputedStyle(document.querySelector(".edge.last .ink")).animationName !== "none")
      || getComputedStyle(document.querySelector(".box rect")).transitionDuration !== "0s"`;
    await openGame(browser, url, played(new Board(3, 3), ["H0,0"]));
    assert.equal(await browser.evaluate(moving), true);
    await browser.emulateMedia({ "prefers-reduced-motion": "reduce" });
    assert.equal(await browser.evaluate(moving), false);
    await browser.emulateMedia({});
  },

  "a phone": async (browser, { url, shoot }) => {
    await browser.setViewport(360, 740, true);
    await newGame(browser, url, { opponent: "person", size: "5x5" });
    const sides = "[item.getBoundingClientRect().width, item.getBoundingClientRect().height]";
    const least = Math.min(...(await each(browser, ".edge .area", sides)).flat());
    assert.ok(least >= 44, `an edge's area is ${least} wide`);
    // A touch beside the line still draws it.
    const at = await browser.evaluate(`(() => {
      const edge = document.querySelector('[data-edge="V2,2"]');
      edge.scrollIntoView({ block: "center", behavior: "instant" });
      const { left, top, width, height } = edge.querySelector(".area").getBoundingClientRect();
      return { x: left + width * 0.75, y: top + height / 2 };
    })()`);
    await browser.touch(at);
    await browser.until("document.documentElement.dataset.game === '5x5 V2,2'");
    // Help begins at its top.
    await browser.click("#help");
    const top = "document.getElementById('help-title').getBoundingClientRect().top";
    assert.ok(await browser.evaluate(`${top} >= 0 && document.getElementById("help-dialog").scrollTop === 0`));
    await browser.key("Escape");
    for (const part of ["watch", "arena", "training", "scores", "play"]) {
      await openTab(browser, part);
      const width = await browser.evaluate("document.scrollingElement.scrollWidth");
      assert.ok(width <= 360, `${part} is ${width} wide`);
      await shoot(`phone-${part}`);
    }
    const small = "item.checkVisibility() && item.getBoundingClientRect().height < 40 ? item.id : null";
    assert.deepEqual((await each(browser, "button, select", small)).filter(Boolean), []);
    await browser.click("#analyze");
    await browser.until("document.querySelectorAll('.stroke').length > 0");
    assert.ok(await browser.evaluate("document.scrollingElement.scrollWidth") <= 360);
    await browser.evaluate("scrollTo(0, 0)");
    await shoot("phone-analysis");
    await browser.setViewport(1280, 900);
  },

  "one of several networks of a board is chosen": async (browser, { url }) => {
    const { bots } = await (await fetch(new URL("bots.json", url))).json();
    const first = bots.find(({ board }) => board === "3x3");
    const second = { ...first, module: `${first.module}?second`, name: "second" };
    await browser.answer({ "bots.json": () => JSON.stringify({ bots: [...bots, second], run: null }) });
    await open(browser, url);
    const isHidden = () => browser.evaluate("document.getElementById('network-choice').hidden");
    await choose(browser, "size", "4x4");
    assert.equal(await isHidden(), true);
    await choose(browser, "size", "3x3");
    assert.equal(await isHidden(), false);
    assert.deepEqual(await each(browser, "#network option", "item.textContent"), [first.name, "second"]);
    await browser.select("#network", second.module);
    await choose(browser, "opponent", "level:4");
    await choose(browser, "seat", "1");
    await browser.click("#new-game");
    await browser.until("document.documentElement.dataset.game.split(' ').length > 1");
    const loaded = "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /wasm/.test(name))";
    assert.deepEqual(await browser.evaluate(loaded), [new URL(second.module, url).href]);
    await browser.answer({});
  },

  "the settings of the last game are there again": async (browser, { url }) => {
    await open(browser, url);
    const keep = (opponent) =>
      browser.evaluate(`localStorage.setItem("doublecross.settings", JSON.stringify({ opponent: "${opponent}" }))`);
    const opponent = () => chosen(browser, "opponent");
    await keep("level:5");
    await open(browser, url);
    assert.equal(await opponent(), "level:5");
    await keep("net:gone");
    await open(browser, url);
    assert.equal(await opponent(), "level:1");
    const offered = await each(browser, "#opponent input", "item.value");
    const levels = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => `level:${number}`);
    assert.deepEqual(offered, [...levels, "master", "person"]);
  },

  "every level plays": async (browser, { url }) => {
    for (const opponent of [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => `level:${number}`).concat("master")) {
      await newGame(browser, url, { opponent, size: "2x2", seat: 1 });
      await browser.until("document.documentElement.dataset.game.split(' ').length === 2", 20_000);
    }
  },

  "tabs have addresses": async (browser, { url }) => {
    const chosen = () => browser.evaluate("document.querySelector('[role=tab][aria-selected=true]').dataset.tab");
    const isAt = (tab) => browser.until(`document.documentElement.dataset.tab === ${JSON.stringify(tab)}`);
    const reload = async (tab) => {
      await browser.evaluate("location.reload()");
      await sleep(300);
      await isAt(tab);
    };
    await openFirst(browser, url);
    for (const tab of ["training", "arena", "learn", "watch", "scores", "play"]) {
      await open(browser, `${url}#${tab}`);
      await isAt(tab);
      assert.equal(await chosen(), tab);
      await reload(tab);
    }
    // Back leads to the tab before, and to the game as it was.
    await newGame(browser, url, { opponent: "person", size: "2x2" });
    for (const edge of ["H0,0", "V1,1"]) await clickEdge(browser, edge);
    for (const tab of ["learn", "training", "watch"]) {
      await openTab(browser, tab);
      assert.equal(await browser.evaluate("location.hash"), `#${tab}`);
    }
    for (const tab of ["training", "learn", "play"]) {
      await browser.evaluate("history.back()");
      await isAt(tab);
    }
    assert.equal((await shown(browser)).text, "2x2 H0,0 V1,1");
    await browser.evaluate("history.forward()");
    await isAt("learn");
    await reload("learn");
    await browser.evaluate("history.back()");
    await isAt("play");
    assert.equal((await shown(browser)).text, "2x2 H0,0 V1,1");
    // A position that is watched has an address too, which opens it to play.
    await openTab(browser, "watch");
    await browser.click("#share");
    await browser.until("document.getElementById('share-dialog').open");
    assert.match(await browser.evaluate("document.getElementById('share-link').value"), /#5x5\/\?blue=level:8&orange=chains$/);
    assert.equal(await browser.evaluate("location.hash"), "#watch");
  },

  "levels without a network do not wait for one": async (browser, { url }) => {
    const loaded = "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /wasm/.test(name))";
    const { bots, levels } = await (await fetch(new URL("bots.json", url))).json();
    const network = bots.find(({ board }) => board === "5x5").module;
    await openFirst(browser, url);
    for (const [opponent, module] of [["level:3", levels], ["level:8", levels], ["level:9", network], ["master", network]]) {
      await newGame(browser, url, { opponent, size: "5x5" });
      await clickEdge(browser, "H2,2");
      await browser.until("document.documentElement.dataset.game.split(' ').length === 3", 20_000);
      assert.deepEqual(await browser.evaluate(loaded), [new URL(module, url).href], opponent);
    }
  },

  "what cannot be loaded is loaded once the connection is back": async (browser, { url }) => {
    const notice = "document.getElementById('notice')";
    const says = (pattern) => browser.until(`${notice}.checkVisibility() && ${pattern}.test(${notice}.textContent)`);
    const isGone = () => browser.until(`!${notice}.checkVisibility()`);
    await openFirst(browser, url);
    await newGame(browser, url, { opponent: "level:2", size: "3x3" });
    try {
      await browser.setOffline(true);
      await clickEdge(browser, "H1,1");
      await says("/^A bot cannot be loaded: the server of the page cannot be reached\\. The page tries again/");
      assert.equal(await text(browser, "status"), "Collector is loading …");
      // Another level is waited for as well, without the first one.
      await browser.click("#undo");
      await choose(browser, "opponent", "level:4");
      await browser.click("#new-game");
      await clickEdge(browser, "H0,0");
      await browser.until("document.getElementById('status').textContent === 'Saver is loading …'");
      await browser.setOffline(false);
      await browser.until("document.documentElement.dataset.game.split(' ').length === 3", 20_000);
      await isGone();
      await open(browser, url);
      await browser.setOffline(true);
      for (const tab of ["learn", "training"]) await browser.click(`#tab-${tab}`);
      await says("/^This part of the page cannot be loaded: the server of the page cannot be reached\\. /");
      await browser.setOffline(false);
      await browser.until("document.documentElement.dataset.tab === 'training'");
      await isGone();
      await openTab(browser, "learn");
    } finally {
      await browser.setOffline(false);
    }
    browser.complaints = browser.complaints.filter((complaint) => !complaint.includes("ERR_INTERNET_DISCONNECTED"));
  },

  "without bots two people can play": async (browser, { url }) => {
    for (const list of ["no list", "null", '{"bots":[]}', '{"bots":[{"board":"3x3"},7,null]}']) {
      await browser.answer({ "bots.json": () => list });
      await newGame(browser, url, { opponent: "level:3", size: "2x2" });
      await clickEdge(browser, "H0,0");
      await browser.until("/cannot play: there is no bot/.test(document.getElementById('status').textContent)");
    }
    await choose(browser, "opponent", "person");
    await browser.click("#new-game");
    for (const name of ["H0,0", "V0,0", "H1,0", "V0,1"]) await clickEdge(browser, name);
    assert.deepEqual((await shown(browser)).scores, [0, 1]);
    await browser.answer({});
  },

  "damaged storage is reported": async (browser, { url }) => {
    await open(browser, url);
    for (const name of ["results", "settings", "theme"]) {
      await browser.evaluate(`localStorage.setItem("doublecross.${name}", "{{damaged")`);
    }
    await open(browser, url);
    await openTab(browser, "scores");
    const note = "document.getElementById('scores-note').textContent";
    await browser.until(`/cannot be read.*kept aside/.test(${note})`);
    // They are there after another game, and until a person deletes them.
    const result = { board: "3x3", strength: "level:1", seat: 0, margin: 3, date: "2026-01-01T00:00:00Z", helps: [] };
    await browser.evaluate(`import("./scores/results.js").then(({ addResult }) => addResult(${JSON.stringify(result)}))`);
    await open(browser, url);
    await openTab(browser, "scores");
    await browser.until(`/kept aside: export them/.test(${note})`);
    await browser.evaluate(`URL.createObjectURL = (blob) => ((window.saved = blob), "blob:none");
      HTMLAnchorElement.prototype.click = () => {}`);
    await browser.click("#scores-export");
    const { stored, texts } = JSON.parse(await browser.evaluate("saved.text()"));
    assert.deepEqual([stored.results, texts["results.damaged"], texts.theme], [[result], "{{damaged", "{{damaged"]);
    await browser.click("#scores-clear");
    await browser.until(`/^Games with a hint/.test(${note})`);
    assert.equal(await browser.evaluate("localStorage.getItem('doublecross.results.damaged')"), null);
  },

  "two tabs keep what both have earned": async (browser, { url }) => {
    await open(browser, url);
    await openTab(browser, "scores");
    const result = { board: "3x3", strength: "level:1", seat: 0, margin: 3, date: "2026-01-01T00:00:00Z", helps: [] };
    await browser.elsewhere(url, `import("./scores/results.js").then(({ addResult }) => addResult(${JSON.stringify(result)}))`);
    await browser.until("document.querySelectorAll('#scores-latest tbody tr').length === 1");
    await openTab(browser, "learn");
    await browser.elsewhere(url, `Promise.all(["./learn/course.js", "./learn/lessons.js"].map((name) => import(name)))
      .then(([{ Progress }, { LESSONS }]) => new Progress().add(LESSONS[1]))`);
    await browser.until("/^1 of/.test(document.getElementById('course-note').textContent)");
    for (const edge of ["V0,1", "V0,2"]) {
      await browser.until("document.querySelector('#board.open') !== null");
      await clickEdge(browser, edge);
    }
    await browser.until("/^2 of/.test(document.getElementById('course-note').textContent)", 20_000);
    assert.deepEqual(JSON.parse(await browser.evaluate("localStorage.getItem('doublecross.course')")), { done: ["third", "close"] });
  },
};
