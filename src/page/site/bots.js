// The list of bots beside the page, and questions put to them one at a time in a worker of their own.

/** Said when a question was taken back; never shown to anybody. */
export class Stopped extends Error {}

/** How long a question that was taken back may still run: ending its worker loses what the bot has worked out. */
const GRACE_MS = 120;

/** The modules listed in bots.json. Each is fetched and compiled once. */
export class Bots {
  constructor(list) {
    this.modules = list.bots;
    this.run = typeof list.run === "string" ? list.run : null;
    this.compiled = new Map();
  }

  static async load() {
    const response = await fetch("bots.json", { cache: "no-cache" });
    if (!response.ok) throw new Error(`bots.json: ${response.status}`);
    const list = await response.json();
    const usable = (entry) => typeof entry?.board === "string" && typeof entry?.module === "string";
    return new Bots({ ...list, bots: (Array.isArray(list?.bots) ? list.bots : []).filter(usable) });
  }

  /** Whether some network was trained for this very board. */
  knows(board) {
    return this.modules.some((entry) => entry.board === board.name);
  }

  /** The address of the module for a board; a board without its own gets the first. */
  moduleFor(board) {
    const entry = this.modules.find((candidate) => candidate.board === board.name) ?? this.modules[0];
    if (!entry) throw new Error("there is no bot beside this page");
    return entry.module;
  }

  compile(address) {
    if (!this.compiled.has(address)) {
      const compiling = fetch(address).then(async (response) => {
        if (!response.ok) throw new Error(`${address}: ${response.status}`);
        return WebAssembly.compile(await response.arrayBuffer());
      });
      this.compiled.set(address, compiling);
      compiling.catch(() => this.compiled.delete(address)); // a later question may try again
    }
    return this.compiled.get(address);
  }
}

/** One worker that answers one question at a time. */
export class Asker {
  constructor(bots) {
    this.bots = bots;
    this.worker = null;
    this.address = null;
    this.asked = null;
    this.count = 0;
    this.turn = Promise.resolve();
  }

  /** The answer to a question about a game on `board`. */
  async ask(board, question) {
    this.stop();
    const asked = { id: ++this.count, stopped: false };
    this.asked = asked;
    const before = this.turn;
    let done;
    this.turn = new Promise((resolve) => (done = resolve));
    try {
      await before;
      if (asked.stopped) throw new Stopped();
      const address = this.bots.moduleFor(board);
      const module = await this.bots.compile(address);
      if (asked.stopped) throw new Stopped();
      this.start(address, module);
      const answer = await this.put(asked, question);
      if (answer?.error) throw new Error(answer.error);
      return answer;
    } finally {
      if (this.asked === asked) this.asked = null;
      // A question taken back leaves its worker busy: the next one waits until it is free or ended.
      (asked.running ?? Promise.resolve()).then(done);
    }
  }

  /** Takes the question in hand back. Its promise fails with `Stopped`. */
  stop() {
    const asked = this.asked;
    if (!asked) return;
    this.asked = null;
    asked.stopped = true;
    asked.takeBack?.();
  }

  start(address, module) {
    if (this.worker && this.address === address) return;
    this.end();
    this.worker = new Worker("worker.js", { type: "module" });
    this.address = address;
    this.worker.postMessage({ module });
  }

  end() {
    this.worker?.terminate();
    this.worker = null;
  }

  put(asked, question) {
    return new Promise((resolve, reject) => {
      const worker = this.worker;
      asked.running = new Promise((free) => {
        worker.onmessage = ({ data }) => {
          if (data.id !== asked.id) return;
          free();
          if (data.error === undefined) return resolve(data.answer);
          // A trapped module is in no state to be asked again.
          if (this.worker === worker) this.end();
          reject(new Error(`the bot failed: ${data.error}`));
        };
        worker.onerror = (event) => {
          event.preventDefault?.();
          if (this.worker === worker) this.end();
          free();
          reject(new Error(`the bot's worker failed: ${event.message ?? "it could not be started"}`));
        };
        asked.takeBack = () => {
          reject(new Stopped());
          const ending = setTimeout(() => {
            if (this.worker === worker) this.end();
            free();
          }, GRACE_MS);
          asked.running.then(() => clearTimeout(ending));
        };
      });
      worker.postMessage({ id: asked.id, question });
    });
  }
}
