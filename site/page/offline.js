// Lets the browser keep the page, so that it opens without a network.

/** Starts to keep the page once it is loaded. Browsers allow it on https and on this machine alone. */
export function keepOffline() {
  const start = () => navigator.serviceWorker.register("service-worker.js").catch(() => {}); // As in private windows.
  if (!("serviceWorker" in navigator)) return;
  if (document.readyState === "complete") start();
  else addEventListener("load", start);
}
