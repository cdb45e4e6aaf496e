// A bot in a worker of a browser or of node, so that a long search does not stop the rest.
import { moduleOf, questionOf, resultOf } from "./bot.js";

/** Node's module of workers. Tools that bundle for browsers do not follow a name in a constant. */
const THREADS = "node:worker_threads";

/** Shows that `BotWorker.load` makes a bot. */
const LOADED = Symbol("loaded");

/** A bot whose answers are promises. Questions are answered one after another. */
export class BotWorker {
  #worker = null;
  /** The reason for which no question is answered any more, or null. */
  #fault = null;
  #waiting = new Map();
  #count = 0;

  /** Use `BotWorker.load`. */
  constructor(key) {
    if (key !== LOADED) throw new TypeError("a BotWorker is made by BotWorker.load");
  }

  /** Returns a promise of the bot of a module, which is given as for `Bot.load`. */
  static async load(source) {
    const module = await moduleOf(source);
    const bot = new BotWorker(LOADED);
    bot.#worker = await startWorker((message) => bot.#hear(message), (fault) => bot.#break(fault));
    bot.#worker.postMessage({ module });
    // The answer to no question, an error for every bot, shows that the worker runs.
    await bot.ask({}).catch((error) => {
      bot.end();
      throw error;
    });
    return bot;
  }

  /** Returns a promise of the answer to a question of the query API. */
  async ask(question) {
    return this.#send({ question });
  }

  /** Returns a promise of the action for an arena's observation, given as an object or as the JSON that came. */
  async act(observation) {
    return this.#send({ observation });
  }

  async #send(message) {
    if (this.#fault) throw this.#fault;
    const id = ++this.#count;
    this.#worker.postMessage({ id, ...message });
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  /** Returns a promise of the move in a game as `{edge, settled}`. */
  play(game, options = {}) {
    return this.#answer("play", game, options);
  }

  /** Returns a promise of what is known of the position of a game. */
  analyze(game, options = {}) {
    return this.#answer("analyze", game, options);
  }

  /** Ends the worker, also while it searches. Questions without an answer are rejected. */
  end() {
    this.#break(new Error("the worker was ended"));
  }

  async #answer(what, game, options) {
    return resultOf(await this.ask(questionOf(what, game, options)));
  }

  #hear({ id, answer, error }) {
    const waiting = this.#waiting.get(id);
    // Answers that were under way when the bot ended still arrive in node.
    if (!waiting) return;
    const { resolve, reject } = waiting;
    this.#waiting.delete(id);
    if (error === undefined) resolve(answer);
    else reject(new Error(error));
  }

  #break(fault) {
    this.#worker.terminate();
    this.#fault ??= fault;
    for (const { reject } of this.#waiting.values()) reject(fault);
    this.#waiting.clear();
  }
}

/** Returns a promise of a worker whose messages `hear` is given, and `fail` the error that ends it. */
async function startWorker(hear, fail) {
  if (typeof Worker === "function") {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => hear(data);
    worker.onerror = (event) => fail(new Error(event.message ?? "the worker cannot be started"));
    return worker;
  }
  if (!globalThis.process?.versions?.node) throw new Error("there are no workers here; use Bot");
  const threads = await import(THREADS);
  const worker = new threads.Worker(new URL("./worker.js", import.meta.url));
  worker.on("message", hear);
  worker.on("error", fail);
  return worker;
}
