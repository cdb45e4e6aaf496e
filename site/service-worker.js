// Keeps the files of the page in the browser, so that it opens without a network. With one, the network is asked first, so
// that the page is never older than its server; only bots' modules, which are large, are taken from the browser while
// their checksums in the network's files.json are those that are kept.

/** The beginning of the names of caches. The rest is the version in files.json. */
const PREFIX = "doublecross-";
const LIST = "files.json";

/** The modules that are kept before they are used: with the levels without a network, there is somebody to play against. */
const EARLY_MODULES = ["bots/levels.wasm"];

const isModule = (path) => path.endsWith(".wasm");
const root = new URL("./", location.href).href;

addEventListener("install", (event) => event.waitUntil(refresh().then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const path = pathOf(request.url);
  if (request.method !== "GET" || path === null) return;
  if (request.mode === "navigate") event.waitUntil(refresh().catch(() => {})); // Without a network, all stays as it is.
  event.respondWith(isModule(path) ? keptModule(request, path) : fetch(request).catch(() => kept(path || "index.html")));
});

/** Returns the path of an address within the page's folder, or null. */
function pathOf(address) {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`.startsWith(root) ? `${origin}${pathname}`.slice(root.length) : null;
}

/** Returns a promise of the cache of a complete version of the page, or null. The list is the last file of a version. */
async function latest() {
  for (const name of (await caches.keys()).filter((name) => name.startsWith(PREFIX))) {
    const cache = await caches.open(name);
    if (await cache.match(root + LIST)) return cache;
  }
  return null;
}

/** Returns a promise of a file that is kept, or of the error of a network that is gone. */
async function kept(path) {
  return (await (await latest())?.match(root + path)) ?? Response.error();
}

/** Returns a promise of a bot's module, which is kept once it was used. */
async function keptModule(request, path) {
  const [cache, current] = await Promise.all([latest().catch(() => null), fetch(LIST, { cache: "no-cache" }).catch(() => null)]);
  const known = await checksumsIn(await cache?.match(root + LIST));
  // A server may have another network under the same path since the list was kept.
  const isCurrent = !current?.ok || (await checksumsIn(current))[path] === known[path];
  const found = isCurrent ? await cache?.match(root + path) : undefined;
  if (found) return found;
  const response = await fetch(request);
  // Where the storage is full, the bot plays all the same.
  if (response.ok && isCurrent) await cache?.put(root + path, response.clone()).catch(() => {});
  return response;
}

/** Returns a promise of the checksums in a list of files, which may be missing. */
async function checksumsIn(list) {
  return (await list?.json().catch(() => null))?.files ?? {};
}

/** Keeps a new version of the page in place of the one before, once all of its files are there. */
async function refresh() {
  const response = await fetch(LIST, { cache: "no-cache" });
  if (!response.ok) throw new Error(`${LIST}: ${response.status}`);
  const list = response.clone();
  const { version, files } = await response.json();
  const name = PREFIX + version;
  const old = await latest();
  const cache = await caches.open(name);
  if (await cache.match(root + LIST)) return;
  const known = await checksumsIn(await old?.match(root + LIST));
  for (const [path, checksum] of Object.entries(files)) {
    const same = known[path] === checksum ? await old.match(root + path) : undefined;
    if (same) await cache.put(root + path, same);
    else if (!isModule(path) || EARLY_MODULES.includes(path)) await cache.add(new Request(root + path, { cache: "no-cache" }));
  }
  await cache.put(root + LIST, list);
  for (const other of await caches.keys()) if (other.startsWith(PREFIX) && other !== name) await caches.delete(other);
}
