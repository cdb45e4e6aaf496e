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

export const offlineChecks = {
  "the page opens and plays without a network": async (browser, { url }) => {
    const texts = {};
    const server = await proxy(url, texts);
    const { port } = server.address();
    const own = `http://127.0.0.1:${port}/`;
    await browser.allowServiceWorkers(true);
    try {
      await open(browser, own);
      await browser.until(`${kept("version")}.then((paths) => paths !== null && navigator.serviceWorker.controller !== null)`);
      const paths = await browser.evaluate(kept("version"));
      assert.ok(["index.html", "main.js", "bots.json", "bots/levels.wasm"].every((path) => paths.includes(path)), paths.join());
      assert.ok(paths.every((path) => !path.endsWith(".wasm") || path === "bots/levels.wasm"));
      // Another version takes the place of the first one at the next visit.
      texts["/files.json"] = (list) => list.replace(/"version":"\w+"/, '"version":"another"');
      await open(browser, own);
      await browser.until(`${kept("another")}.then((paths) => paths !== null)`);
      await browser.until("caches.keys().then(({ length }) => length === 1)");
      // A network that has played is kept.
      await newGame(browser, own, { opponent: "level:9", size: "3x3" });
      await clickEdge(browser, "H1,1");
      await browser.until("document.documentElement.dataset.game.split(' ').length === 3");
      server.close();
      server.closeAllConnections();
      for (const opponent of ["level:2", "level:9"]) {
        await newGame(browser, own, { opponent, size: "3x3" });
        await clickEdge(browser, "H1,1");
        await browser.until("document.documentElement.dataset.game.split(' ').length === 3");
      }
      await browser.click("#tab-learn");
      await browser.until("document.documentElement.dataset.tab === 'learn'");
      assert.equal(await text(browser, "notice"), "");
    } finally {
      // The page there asks for nothing any more.
      await browser.goto("about:blank");
      await browser.allowServiceWorkers(false);
      server.close();
      server.closeAllConnections();
    }
    browser.requests = browser.requests.filter((address) => !address.startsWith(own));
    browser.complaints = browser.complaints.filter((complaint) => !complaint.includes("ERR_CONNECTION_REFUSED"));
  },
};
