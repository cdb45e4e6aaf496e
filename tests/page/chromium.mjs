// Drives a headless Chromium by its debugging protocol: JSON messages, each ended by a NUL, over
// the child's descriptors 3 and 4. Needs Chromium, which $CHROMIUM names or which is on the PATH.
import { Browser } from "./browser.mjs";

const KEYS = { " ": "Space", Enter: "Enter", Tab: "Tab", Escape: "Escape" };
const CODES = { " ": 32, Enter: 13, Tab: 9, Escape: 27, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 };

export class Chromium extends Browser {
  async open() {
    this.launch(process.env.CHROMIUM ?? "chromium", [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--mute-audio",
      "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
      "--remote-debugging-pipe", `--user-data-dir=${this.profile}`, "about:blank",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.listen();
    const { targetInfos } = await this.send("Target.getTargets");
    const { targetId } = targetInfos.find(({ type }) => type === "page");
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    this.session = sessionId;
    for (const domain of ["Page", "Runtime", "Log", "Network", "DOM"]) await this.send(`${domain}.enable`);
    await this.allowServiceWorkers(false);
  }

  listen() {
    this.child.stdio[3].on("error", (error) => this.break(error));
    let rest = Buffer.alloc(0);
    this.child.stdio[4].on("data", (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
        this.heard(JSON.parse(rest.subarray(0, end).toString()));
        rest = rest.subarray(end + 1);
      }
    });
  }

  write(message) {
    this.child.stdio[3].write(`${JSON.stringify({ ...message, sessionId: this.session })}\0`);
  }

  happened(method, params) {
    if (method === "Runtime.exceptionThrown") {
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

  /**
   * Answers requests whose path ends in one of these names with the text that its function returns.
   */
  async answer(texts) {
    this.texts = texts;
    const patterns = Object.keys(texts).map((name) => ({ urlPattern: `*/${name}` }));
    await (patterns.length ? this.send("Fetch.enable", { patterns }) : this.send("Fetch.disable"));
  }

  reply({ requestId, request }) {
    const text = this.answerTo(request.url);
    if (text === undefined) return this.send("Fetch.continueRequest", { requestId });
    const body = Buffer.from(text).toString("base64");
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

  /** Evaluates an expression in another tab, in which an address is opened, and closes the tab. */
  async elsewhere(address, expression) {
    const { session } = this;
    this.session = undefined;
    const { targetId } = await this.send("Target.createTarget", { url: address });
    try {
      this.session = (await this.send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
      await this.until("document.documentElement.dataset.ready === 'true'");
      return await this.evaluate(expression);
    } finally {
      this.session = undefined;
      await this.send("Target.closeTarget", { targetId });
      this.session = session;
    }
  }

  /** Moves the mouse to a point. */
  async point(at) {
    await this.send("Input.dispatchMouseEvent", { type: "mouseMoved", ...at });
  }

  /** Presses and releases the mouse's button at a point. */
  async button(at) {
    for (const type of ["mouseMoved", "mousePressed", "mouseReleased"]) {
      const button = type === "mouseMoved" ? "none" : "left";
      await this.send("Input.dispatchMouseEvent", { type, ...at, button, clickCount: 1 });
    }
  }

  /** Presses the mouse's button at a point, moves it over others, calls a function and releases it. */
  async drag(from, points, beforeRelease = () => {}) {
    const mouse = (type, at, button, buttons) =>
      this.send("Input.dispatchMouseEvent", { type, ...at, button, buttons, clickCount: 1 });
    await mouse("mouseMoved", from, "none", 0);
    await mouse("mousePressed", from, "left", 1);
    for (const point of points) await mouse("mouseMoved", point, "left", 1);
    await beforeRelease();
    await mouse("mouseReleased", points.at(-1), "left", 0);
  }

  /** Puts a finger down at a point. */
  async press(at) {
    await this.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [at] });
  }

  /** Moves the finger to a point. */
  async slide(at) {
    await this.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [at] });
  }

  /** Lifts the finger. */
  async lift() {
    await this.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  }

  async key(key) {
    const text = key === "Enter" ? "\r" : key.length === 1 ? key : undefined;
    const code = KEYS[key] ?? (key.length === 1 ? `Key${key.toUpperCase()}` : key);
    const one = { key, code, windowsVirtualKeyCode: CODES[key] ?? key.toUpperCase().charCodeAt(0) };
    await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", text, ...one });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...one });
  }

  async choose(selector, path) {
    const { root } = await this.send("DOM.getDocument");
    const { nodeId } = await this.send("DOM.querySelector", { nodeId: root.nodeId, selector });
    await this.send("DOM.setFileInputFiles", { nodeId, files: [path] });
  }

  /** Lets service workers answer requests. Those of the checks are answered by the server unless told otherwise. */
  async allowServiceWorkers(allowed) {
    await this.send("Network.setBypassServiceWorker", { bypass: !allowed });
  }

  /** Takes the page's connection away, or gives it back. */
  async setOffline(offline) {
    // It warns of an icon of the manifest that it could not finish to load. This waits for all of them.
    if (offline) await this.send("Page.getInstallabilityErrors");
    await this.send("Network.emulateNetworkConditions", { offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
  }

  /** Sets the size of the page's window, and whether it is that of a phone, with touch. */
  async setViewport(width, height, mobile = false) {
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile });
    await this.send("Emulation.setTouchEmulationEnabled", { enabled: mobile });
  }

  /** Sets media features that the page is to see, and all others as they are by themselves. */
  async emulateMedia(features) {
    await this.send("Emulation.setEmulatedMedia", {
      features: Object.entries(features).map(([name, value]) => ({ name, value })),
    });
  }

  /** Returns a picture of the window, or of the whole page, in base64. */
  async picture(full) {
    return (await this.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: full })).data;
  }
}
