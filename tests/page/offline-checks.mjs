// Checks of the page without a network, by a server in front of the real one that can be taken away.
import { createServer } from "node:http";
import { once } from "node:events";
import { clickEdge, newGame, open, text } from "./page.mjs";
import { assert } from "./report.mjs";

/** The headers that are passed on. */
const HEADERS = ["content-type", "content-security-policy", "cache-control", "etag"];

/** Returns a server that passes requests on to the page at `url`, with the texts of some files changed. */
async function proxy(url, texts) {
  const server = createServer(async ({ url: path }, response) => {
    const answer = await fetch(new URL(path, url));
    const headers = HEADERS.flatMap((name) => (answer.headers.has(name) ? [[name, answer.headers.get(name)]] : []));
    response.writeHead(answer.status, Object.fromEntries(headers));
    response.end(texts[path] ? texts[path](await answer.text()) : Buffer.from(await answer.arrayBuffer()));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}

/** An expression for the paths that are kept in the complete version with this text in its list, or null. */
const kept = (mark) => `(async () => {
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    const list = await (await cache.match("files.json"))?.text();
    if (list?.includes(${JSON.stringify(mark)})) return (await cache.keys()).map(({ url }) => new URL(url).pathname.slice(1));
  }
  return null;
})()`;

/** Fails to keep the modules of networks, as where the storage is full. */
const FULL = `
const { put } = Cache.prototype;
Cache.prototype.put = function (address, ...rest) {
  return address.endsWith("-3x3.wasm") ? Promise.reject(new Error("the storage is full")) : put.call(this, address, ...rest);
};
`;

/** Opens the page at `own` and plays the first moves of a game with a bot. */
async function playFirstMoves(browser, own, opponent) {
  await newGame(browser, own, { opponent, size: "3x3" });
  await clickEdge(browser, "H1,1");
  await browser.until("document.documentElement.dataset.game.split(' ').length === 3");
}

/** Calls `body` with a page that has a service worker and a server of its own, whose files `texts` changes. */
async function behind(browser, url, texts, body) {
  const server = await proxy(url, texts);
  const own = `http://127.0.0.1:${server.address().port}/`;
  const takeAway = () => {
    server.close();
    server.closeAllConnections();
  };
  await browser.allowServiceWorkers(true);
  try {
    await open(browser, own);
    await browser.until(`${kept("version")}.then((paths) => paths !== null && navigator.serviceWorker.controller !== null)`);
    await body(own, takeAway);
  } finally {
    // The page there asks for nothing any more.
    await browser.goto("about:blank");
    await browser.allowServiceWorkers(false);
    takeAway();
  }
  browser.requests = browser.requests.filter((address) => !address.startsWith(own));
  browser.complaints = browser.complaints.filter((complaint) => !complaint.includes("ERR_CONNECTION_REFUSED"));
}

export const offlineChecks = {
  "the page opens and plays without a network": async (browser, { url }) => {
    const texts = {};
    await behind(browser, url, texts, async (own, takeAway) => {
      const paths = await browser.evaluate(kept("version"));
      assert.ok(["index.html", "main.js", "bots.json", "bots/levels.wasm"].every((path) => paths.includes(path)), paths.join());
      assert.ok(paths.every((path) => !path.endsWith(".wasm") || path === "bots/levels.wasm"));
      // Another version takes the place of the first one at the next visit.
      texts["/files.json"] = (list) => list.replace(/"version":"\w+"/, '"version":"another"');
      await open(browser, own);
      await browser.until(`${kept("another")}.then((paths) => paths !== null)`);
      await browser.until("caches.keys().then(({ length }) => length === 1)");
      // A network that has played is kept.
      await playFirstMoves(browser, own, "level:9");
      takeAway();
      for (const opponent of ["level:2", "level:9"]) await playFirstMoves(browser, own, opponent);
      await browser.click("#tab-learn");
      await browser.until("document.documentElement.dataset.tab === 'learn'");
      assert.equal(await text(browser, "notice"), "");
    });
  },

  "a bot plays where there is no room to keep it": async (browser, { url }) => {
    await behind(browser, url, { "/service-worker.js": (script) => FULL + script }, async (own) => {
      await playFirstMoves(browser, own, "level:9");
      assert.ok((await browser.evaluate(kept("version"))).every((path) => !path.endsWith("-3x3.wasm")));
    });
  },
};
