// Drives a headless Chromium by its debugging protocol: JSON messages, each ended by a NUL, over
// the child's descriptors 3 and 4. Needs node and Chromium, which $CHROMIUM names or which is on
// the PATH.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const COMMAND_MS = 20_000;

const KEYS = { " ": "Space", Enter: "Enter", Tab: "Tab", Escape: "Escape" };
const CODES = { " ": 32, Enter: 13, Tab: 9, Escape: 27, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 };

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/**
 * A browser with one page. `complaints` lists the errors and warnings of the page's console, and
 * `requests` all addresses that it requests.
 */
export class Browser {
  static async start() {
    const browser = new Browser();
    browser.profile = mkdtempSync(join(tmpdir(), "page-checks-"));
    // In a process group of its own, which is ended together with its children.
    browser.child = spawn(process.env.CHROMIUM ?? "chromium", [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--mute-audio",
      "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
      "--remote-debugging-pipe", `--user-data-dir=${browser.profile}`, "about:blank",
    ], { detached: true, stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    browser.listen();
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
    this.waiting = new Map();
    this.count = 0;
    this.complaints = [];
    this.requests = [];
    this.session = undefined;
    this.texts = {};
    this.fault = null;
  }

  listen() {
    const broken = (error) => {
      this.fault ??= error;
      for (const { reject } of this.waiting.values()) reject(error);
      this.waiting.clear();
    };
    this.child.on("error", (error) => broken(new Error(`Chromium cannot be started: ${error.message}`)));
    this.child.on("exit", () => broken(new Error("Chromium has ended")));
    this.child.stdio[3].on("error", broken);
    let rest = Buffer.alloc(0);
    this.child.stdio[4].on("data", (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
        this.heard(JSON.parse(rest.subarray(0, end).toString()));
        rest = rest.subarray(end + 1);
      }
    });
  }

  heard({ id, result, error, method, params }) {
    const waiting = this.waiting.get(id);
    if (waiting) {
      this.waiting.delete(id);
      if (error) waiting.reject(new Error(error.message));
      else waiting.resolve(result);
    } else if (method === "Runtime.exceptionThrown") {
      const { text, exception } = params.exceptionDetails;
      this.complaints.push(`${text} ${exception?.description ?? ""}`);
    } else if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type)) {
      this.complaints.push(params.args.map((value) => value.value ?? value.description).join(" "));
    } else if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level)) {
      this.complaints.push(`${params.entry.text} ${params.entry.url ?? ""}`);
    } else if (method === "Network.requestWillBeSent") {
      this.requests.push(params.request.url);
    } else if (method === "Fetch.requestPaused") {
      this.reply(params).catch(() => {});
    } else if (method === "Page.javascriptDialogOpening") {
      this.send("Page.handleJavaScriptDialog", { accept: true }).catch(() => {});
    }
  }

  async open() {
    const { targetInfos } = await this.send("Target.getTargets");
    const { targetId } = targetInfos.find(({ type }) => type === "page");
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    this.session = sessionId;
    for (const domain of ["Page", "Runtime", "Log", "Network", "DOM"]) await this.send(`${domain}.enable`);
  }

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
      this.child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: this.session })}\0`);
    });
  }

  /**
   * Answers requests whose path ends in one of these names with the text that its function returns.
   */
  async answer(texts) {
    this.texts = texts;
    const patterns = Object.keys(texts).map((name) => ({ urlPattern: `*/${name}` }));
    await (patterns.length ? this.send("Fetch.enable", { patterns }) : this.send("Fetch.disable"));
  }

  reply({ requestId, request }) {
    const [, text] = Object.entries(this.texts).find(([name]) => new URL(request.url).pathname.endsWith(name)) ?? [];
    if (!text) return this.send("Fetch.continueRequest", { requestId });
    const body = Buffer.from(text()).toString("base64");
    return this.send("Fetch.fulfillRequest", { requestId, responseCode: 200, body });
  }

  async goto(address) {
    // An empty page first, so that an address that differs only in its fragment is loaded again.
    await this.send("Page.navigate", { url: "about:blank" });
    const { errorText } = await this.send("Page.navigate", { url: address });
    if (errorText) throw new Error(`${address}: ${errorText}`);
    await this.until("document.readyState === 'complete'");
  }

  /** Evaluates an expression in the page, and returns a promise of its value. */
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression, awaitPromise: true, returnByValue: true, userGesture: true,
    });
    if (exceptionDetails) {
      throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    }
    return result.value;
  }

  /** Waits until an expression is true in the page. */
  async until(expression, ms = 30_000) {
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
    const at = await this.evaluate(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      if (!element || !element.checkVisibility()) return null;
      element.scrollIntoView({ block: "center", behavior: "instant" });
      const { left, top, width, height } = element.getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2 };
    })()`);
    if (!at) throw new Error(`there is no ${selector} to be seen`);
    return at;
  }

  /** Moves the mouse to the middle of an element. */
  async hover(selector) {
    await this.send("Input.dispatchMouseEvent", { type: "mouseMoved", ...(await this.middleOf(selector)) });
  }

  /** Clicks with the mouse in the middle of an element. */
  async click(selector) {
    const at = await this.middleOf(selector);
    for (const type of ["mouseMoved", "mousePressed", "mouseReleased"]) {
      const button = type === "mouseMoved" ? "none" : "left";
      await this.send("Input.dispatchMouseEvent", { type, ...at, button, clickCount: 1 });
    }
  }

  /** Touches these points with a finger, one after another, and lifts it at the last. */
  async touch(...points) {
    for (const [index, point] of points.entries()) {
      await this.send("Input.dispatchTouchEvent", { type: index ? "touchMove" : "touchStart", touchPoints: [point] });
    }
    await this.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  }

  async key(key) {
    const text = key === "Enter" ? "\r" : key.length === 1 ? key : undefined;
    const code = KEYS[key] ?? (key.length === 1 ? `Key${key.toUpperCase()}` : key);
    const one = { key, code, windowsVirtualKeyCode: CODES[key] ?? key.toUpperCase().charCodeAt(0) };
    await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", text, ...one });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...one });
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
    const { root } = await this.send("DOM.getDocument");
    const { nodeId } = await this.send("DOM.querySelector", { nodeId: root.nodeId, selector });
    await this.send("DOM.setFileInputFiles", { nodeId, files: [path] });
  }

  async setViewport(width, height, mobile = false) {
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile });
    await this.send("Emulation.setTouchEmulationEnabled", { enabled: mobile });
  }

  async emulateMedia(features) {
    await this.send("Emulation.setEmulatedMedia", {
      features: Object.entries(features).map(([name, value]) => ({ name, value })),
    });
  }

  async screenshot(path, full = false) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: full });
    writeFileSync(path, Buffer.from(data, "base64"));
  }

  kill() {
    try {
      process.kill(-this.child.pid, "SIGKILL");
    } catch {
      // The process has ended already.
    }
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }

  async stop() {
    const runs = this.child.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null;
    const ended = runs ? new Promise((done) => this.child.once("exit", done)) : Promise.resolve();
    try {
      process.kill(-this.child.pid, "SIGKILL");
    } catch {
      // The process has ended already, or was never started.
    }
    await Promise.race([ended, sleep(3000)]);
    this.kill();
  }
}
