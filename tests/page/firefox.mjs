// Drives a headless Firefox by WebDriver BiDi. Needs Firefox, which $FIREFOX names or which is on the
// PATH as firefox-esr.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Browser } from "./browser.mjs";
import { WebSocketClient } from "./websocket.mjs";

const START_MS = 60_000;

/** Keys that write no character, as WebDriver names them. */
const KEYS = {
  Tab: "\ue004", Enter: "\ue007", Escape: "\ue00c", PageUp: "\ue00e", PageDown: "\ue00f", End: "\ue010", Home: "\ue011",
  ArrowLeft: "\ue012", ArrowUp: "\ue013", ArrowRight: "\ue014", ArrowDown: "\ue015",
};

/** What Firefox says of a request that a service worker was answering when the page was left. */
const INTERRUPTED = "A ServiceWorker intercepted the request and encountered an unexpected error";

const DOWN = { type: "pointerDown", button: 0 };
const UP = { type: "pointerUp", button: 0 };
/** The pointers of a phone: coarse ones, which cannot hover. */
const COARSE = 1;

/** The preferences that decide a media feature, their values, and the one of a page by itself. */
const MEDIA = {
  "prefers-color-scheme": ["layout.css.prefers-color-scheme.content-override", { dark: 0, light: 1 }, "light"],
  "prefers-reduced-motion": ["ui.prefersReducedMotion", { "no-preference": 0, reduce: 1 }, "no-preference"],
};

/** Returns the value that a remote value describes. One that is no data is an empty object. */
function valueOf({ type, value }) {
  if (type === "undefined") return undefined;
  if (type === "null") return null;
  if (type === "number") return Number(value);
  if (type === "array") return value.map(valueOf);
  if (type === "object") return Object.fromEntries(value.map(([name, one]) => [name, valueOf(one)]));
  return ["string", "boolean"].includes(type) ? value : {};
}

export class Firefox extends Browser {
  async open() {
    // The page's sound stays unheard.
    writeFileSync(join(this.profile, "user.js"), 'user_pref("media.volume_scale", "0.0");\n');
    this.launch(process.env.FIREFOX ?? "firefox-esr", [
      "--headless", "--no-remote", "--profile", this.profile, "--remote-debugging-port=0",
      "--remote-allow-system-access", "about:blank",
    ], { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, HOME: this.profile } });
    const heard = (text) => this.heard(JSON.parse(text));
    const ended = (error) => this.break(error);
    this.socket = await WebSocketClient.connect(`${await this.address()}/session`, heard, ended);
    const wanted = { unhandledPromptBehavior: { default: "accept" } };
    await this.send("session.new", { capabilities: { alwaysMatch: wanted } });
    await this.send("session.subscribe", { events: [
      "log.entryAdded", "network.beforeRequestSent", "network.responseCompleted",
    ] });
    this.context = (await this.send("browsingContext.getTree", { maxDepth: 0 })).contexts[0].context;
    // Scripts of this page may set preferences. Firefox 140 lists no windows of its own whose scripts could.
    this.chrome = (await this.send("browsingContext.create", { type: "tab", background: true })).context;
    await this.send("browsingContext.navigate", { context: this.chrome, url: "about:config", wait: "complete" });
    // At the start the address bar has the focus.
    const page = 'Services.wm.getMostRecentWindow("navigator:browser").gBrowser.selectedBrowser';
    await this.evaluate(`${page}.focus()`, this.chrome);
    await this.allowServiceWorkers(false);
    await this.emulateMedia({});
  }

  /** Lets pages have service workers. Those of the checks have none unless told otherwise. */
  async allowServiceWorkers(allowed) {
    await this.prefer("dom.serviceWorkers.enabled", allowed);
  }

  /** Waits for the address that Firefox prints. */
  address() {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error("Firefox prints no address")), START_MS);
      for (const end of ["error", "exit"]) this.child.once(end, () => reject(this.fault));
      createInterface(this.child.stderr).on("line", (line) => {
        const [, address] = /^WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? [];
        if (!address) return;
        clearTimeout(late);
        resolve(address);
      });
    });
  }

  write(message) {
    this.socket.send(JSON.stringify(message));
  }

  happened(method, params) {
    if (method === "log.entryAdded" && ["error", "warn"].includes(params.level)) {
      if (this.leaving && params.text.includes(INTERRUPTED)) return;
      this.complaints.push(`${params.text} ${params.stackTrace?.callFrames[0]?.url ?? ""}`);
    } else if (method === "network.responseCompleted" && params.response.status >= 400) {
      this.complaints.push(`status ${params.response.status} ${params.response.url}`);
    } else if (method === "network.beforeRequestSent") {
      this.requests.push(params.request.url);
      if (params.isBlocked) this.reply(params.request).catch(() => {});
    }
  }

  /**
   * Answers requests whose path ends in one of these names with the text that its function returns.
   */
  async answer(texts) {
    this.texts = texts;
    if (this.intercept) await this.send("network.removeIntercept", { intercept: this.intercept });
    this.intercept = undefined;
    // Only these requests wait for an answer of the checks.
    const urlPatterns = Object.keys(texts).map((name) => ({ type: "pattern", pathname: `/${name}` }));
    if (urlPatterns.length === 0) return;
    const added = await this.send("network.addIntercept", { phases: ["beforeRequestSent"], urlPatterns });
    this.intercept = added.intercept;
  }

  reply({ request, url }) {
    const text = this.answerTo(url);
    if (text === undefined) return this.send("network.continueRequest", { request });
    const body = { type: "string", value: text };
    return this.send("network.provideResponse", { request, statusCode: 200, reasonPhrase: "OK", body });
  }

  async goto(address) {
    this.leaving = true;
    // An empty page first, so that an address that differs only in its fragment is loaded again.
    for (const url of ["about:blank", address]) {
      const load = () => this.send("browsingContext.navigate", { context: this.context, url, wait: "complete" });
      // Firefox rarely leaves a navigation without an answer; another one gets it.
      await load().catch(load);
    }
    this.leaving = false;
  }

  /** Evaluates an expression in the page, and returns a promise of its value. */
  async evaluate(expression, context = this.context) {
    const { result, exceptionDetails } = await this.send("script.evaluate", {
      expression, target: { context }, awaitPromise: true, userActivation: true,
    });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.text}`);
    return valueOf(result);
  }

  /** Does these actions with a "key", the "mouse" or a finger ("touch"), which stays as they leave it. */
  async act(device, ...actions) {
    const source = device === "key" ? { type: "key" } : { type: "pointer", parameters: { pointerType: device } };
    await this.send("input.performActions", { context: this.context, actions: [{ ...source, id: device, actions }] });
  }

  /** Moves the mouse to a point. */
  async point(at) {
    await this.act("mouse", { type: "pointerMove", ...at });
  }

  /** Presses and releases the mouse's button at a point. */
  async button(at) {
    await this.act("mouse", { type: "pointerMove", ...at }, DOWN, UP);
  }

  /** Presses the mouse's button at a point, moves it over others, calls a function and releases it. */
  async drag(from, points, beforeRelease = () => {}) {
    const move = (at) => ({ type: "pointerMove", ...at });
    await this.act("mouse", move(from), DOWN, ...points.map(move));
    await beforeRelease();
    await this.act("mouse", UP);
  }

  /** Puts a finger down at a point. */
  async press(at) {
    await this.act("touch", { type: "pointerMove", ...at }, DOWN);
  }

  /** Moves the finger to a point. */
  async slide(at) {
    await this.act("touch", { type: "pointerMove", ...at });
  }

  /** Lifts the finger. */
  async lift() {
    await this.act("touch", UP);
  }

  async key(key) {
    const value = KEYS[key] ?? key;
    await this.act("key", { type: "keyDown", value }, { type: "keyUp", value });
  }

  async choose(selector, path) {
    const { nodes } = await this.send("browsingContext.locateNodes", {
      context: this.context, locator: { type: "css", value: selector },
    });
    const element = { sharedId: nodes[0].sharedId };
    await this.send("input.setFiles", { context: this.context, element, files: [path] });
  }

  /** Sets the size of the page's window, and whether it is that of a phone, with touch. */
  async setViewport(width, height, mobile = false) {
    await this.send("browsingContext.setViewport", { context: this.context, viewport: { width, height } });
    const pointers = mobile ? COARSE : undefined;
    for (const which of ["primary", "all"]) await this.prefer(`ui.${which}PointerCapabilities`, pointers);
    await this.until(`matchMedia("(pointer: coarse)").matches === ${mobile}`);
  }

  /** Sets media features that the page is to see, and all others as they are by themselves. */
  async emulateMedia(features) {
    const unknown = Object.keys(features).find((name) => !Object.hasOwn(MEDIA, name));
    if (unknown) throw new Error(`there is no preference for ${unknown}`);
    for (const [name, [preference, values, byItself]] of Object.entries(MEDIA)) {
      const value = features[name] ?? byItself;
      await this.prefer(preference, values[value]);
      await this.until(`matchMedia("(${name}: ${value})").matches`);
    }
  }

  /** Sets a preference of Firefox, or resets it where no value is given. */
  async prefer(name, value) {
    const call = value === undefined ? `clearUserPref("${name}")` : `set${typeof value === "boolean" ? "Bool" : "Int"}Pref("${name}", ${value})`;
    await this.evaluate(`Services.prefs.${call}`, this.chrome);
  }

  /** Returns a picture of the window, or of the whole page, in base64. */
  async picture(full) {
    const origin = full ? "document" : "viewport";
    return (await this.send("browsingContext.captureScreenshot", { context: this.context, origin })).data;
  }
}
