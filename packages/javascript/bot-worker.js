// A bot in a worker of a browser, so that a long search does not stop the page.
import { moduleOf, questionOf, resultOf } from "./bot.js";

/** A bot whose answers are promises. Questions are answered one after another. */
export class BotWorker {
  #worker;
  /** The reason for which no question is answered any more, or null. */
  #fault = null;
  #waiting = new Map();
  #count = 0;

  /** Use `BotWorker.load`. */
  constructor(worker) {
    this.#worker = worker;
    worker.onmessage = ({ data }) => {
      const { resolve, reject } = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (data.error === undefined) resolve(data.answer);
      else reject(new Error(data.error));
    };
    worker.onerror = (event) => this.#break(new Error(event.message ?? "the worker cannot be started"));
  }

  /** Returns a promise of the bot of a module, which is given as for `Bot.load`. */
  static async load(source) {
    if (typeof Worker === "undefined") throw new Error("there are no workers here; use Bot");
    const module = await moduleOf(source);
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.postMessage({ module });
    const bot = new BotWorker(worker);
    // The answer to no question, an error for every bot, shows that the worker runs.
    await bot.ask({}).catch((error) => {
      bot.end();
      throw error;
    });
    return bot;
  }

  /** Returns a promise of the answer to a question of the query API. */
  async ask(question) {
    if (this.#fault) throw this.#fault;
    const id = ++this.#count;
    this.#worker.postMessage({ id, question });
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

  #break(fault) {
    this.#worker.terminate();
    this.#fault ??= fault;
    for (const { reject } of this.#waiting.values()) reject(fault);
    this.#waiting.clear();
  }
}
