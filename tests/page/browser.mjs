// What the checks do with a browser without a window, whatever its protocol: chromium.mjs and
// firefox.mjs add how one is started and spoken to.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const COMMAND_MS = 20_000;

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/**
 * A browser with one page. `complaints` lists the errors and warnings of the page's console, and
 * `requests` all addresses that it requests.
 *
 * A class of a protocol has the methods `open`, `write` and `happened` for messages, and `goto`,
 * `evaluate`, `point`, `press`, `slide`, `lift`, `button`, `drag`, `key`, `choose`, `answer`, `setViewport`,
 * `emulateMedia` and `picture` for the page.
 */
export class Browser {
  /** Starts a browser, and opens its page. */
  static async start() {
    const browser = new this();
    process.once("exit", () => browser.kill());
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
    try {
      await browser.open();
    } catch (error) {
      await browser.stop();
      throw error;
    }
    return browser;
  }

  constructor() {
    this.profile = mkdtempSync(join(tmpdir(), "page-checks-"));
    this.waiting = new Map();
    this.count = 0;
    this.complaints = [];
    this.requests = [];
    this.texts = {};
    this.fault = null;
  }

  /** Starts the program, in a process group of its own, which is ended together with its children. */
  launch(program, parameters, options) {
    this.child = spawn(program, parameters, { detached: true, ...options });
    this.child.on("error", (error) => this.break(new Error(`${program} cannot be started: ${error.message}`)));
    this.child.on("exit", () => this.break(new Error(`${program} has ended`)));
  }

  /** Rejects all commands, those without an answer and later ones. */
  break(error) {
    this.fault ??= error;
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  /** Sends a command, and returns a promise of its result. */
  send(method, params = {}) {
    if (this.fault) return Promise.reject(this.fault);
    const id = ++this.count;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.waiting.delete(id);
        reject(new Error(`${method} got no answer`));
      }, COMMAND_MS);
      const ended = (settle) => (value) => {
        clearTimeout(late);
        settle(value);
      };
      this.waiting.set(id, { resolve: ended(resolve), reject: ended(reject) });
      this.write({ id, method, params });
    });
  }

  /** Takes a message of the browser: the answer to a command, or an event. */
  heard({ id, result, error, message, method, params }) {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (!waiting) {
      if (method) this.happened(method, params);
    } else if (error) {
      waiting.reject(new Error(message ?? error.message));
    } else {
      waiting.resolve(result);
    }
  }

  /** Returns the text that answers a request in place of the server, if there is one. */
  answerTo(address) {
    return Object.entries(this.texts).find(([name]) => new URL(address).pathname.endsWith(`/${name}`))?.[1]();
  }

  /** Waits until an expression is true in the page. */
  async until(expression, ms = 60_000) {
    const end = Date.now() + ms;
    for (;;) {
      const value = await this.evaluate(expression).catch((error) => {
        if (this.fault || Date.now() > end) throw error;
      });
      if (value) return value;
      if (Date.now() > end) throw new Error(`after ${ms} ms it did not come true that ${expression}`);
      await sleep(30);
    }
  }

  /** Returns the middle of the element that a selector finds, which is scrolled into view. */
  async middleOf(selector) {
    return (await this.middlesOf(selector))[0];
  }

  /** Returns the middles of the elements that selectors find, the first of which is scrolled into view. */
  async middlesOf(...selectors) {
    const middles = await this.evaluate(`(() => {
      const elements = ${JSON.stringify(selectors)}.map((selector) => document.querySelector(selector));
      if (!elements.every((element) => element?.checkVisibility())) return null;
      elements[0].scrollIntoView({ block: "center", behavior: "instant" });
      return elements.map((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        return { x: left + width / 2, y: top + height / 2 };
      });
    })()`);
    if (!middles) throw new Error(`there is no ${selectors.join(" or no ")} to be seen`);
    return middles;
  }

  /** Moves the mouse to the middle of an element. */
  async hover(selector) {
    await this.point(await this.middleOf(selector));
  }

  /** Clicks with the mouse in the middle of an element. */
  async click(selector) {
    await this.button(await this.middleOf(selector));
  }

  /** Touches these points with a finger, one after another, and lifts it at the last. */
  async touch(first, ...points) {
    await this.press(first);
    for (const point of points) await this.slide(point);
    await this.lift();
  }

  /** Selects a value in a <select>. */
  async select(selector, value) {
    const chosen = await this.evaluate(`(() => {
      const select = document.querySelector(${JSON.stringify(selector)});
      select.value = ${JSON.stringify(value)};
      select.dispatchEvent(new Event("input", { bubbles: true }));
      select.dispatchEvent(new Event("change", { bubbles: true }));
      return select.value;
    })()`);
    if (chosen !== value) throw new Error(`${selector} offers no ${value}`);
  }

  /** Selects a file in an <input type="file">. */
  async give(selector, name, text) {
    const path = join(this.profile, name);
    writeFileSync(path, text);
    await this.choose(selector, path);
  }

  async screenshot(path, full = false) {
    writeFileSync(path, Buffer.from(await this.picture(full), "base64"));
  }

  /** Ends the program and its children at once. */
  kill() {
    try {
      process.kill(-this.child.pid, "SIGKILL");
    } catch {
      // The process has ended already, or was never started.
    }
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }

  async stop() {
    const { child } = this;
    const runs = child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
    const ended = runs ? new Promise((done) => child.once("exit", done)) : Promise.resolve();
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // The process has ended already, or was never started.
    }
    await Promise.race([ended, sleep(3000)]);
    this.kill();
  }
}
