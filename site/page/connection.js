// The connection to the server of the page, which may be gone for a while.
import { texts } from "../texts.js";

/** The time after which what could not be loaded is tried again, in milliseconds. */
const RETRY_MS = 4000;

/** The error of a server that does not answer. */
export class Unreachable extends Error {
  constructor() {
    super(texts.bots.noServer);
  }
}

/** Returns a promise of the response for a file of the page. */
export async function fetchFile(address, options) {
  const response = await fetch(address, options).catch(() => {
    throw new Unreachable();
  });
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return response;
}

/** Returns a promise of the time for another try: when the browser is online again, or after a while. */
export function nextTry() {
  return new Promise((done) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      done();
    };
    const timer = setTimeout(end, RETRY_MS);
    addEventListener("online", end);
  });
}
