// A bot in a worker of a browser, so that a long search does not stop the page.
import { BUDGET, moduleOf } from "./bot.js";

/** A bot whose answers are promises. Questions are answered one after another. */
export class BotWorker {
  #worker;
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
    worker.onerror = (event) => this.#rejectAll(new Error(event.message ?? "the worker cannot be started"));
  }

  /** Returns a promise of the bot of a module, which is given as for `Bot.load`. */
  static async load(source) {
    if (typeof Worker === "undefined") throw new Error("there are no workers here; use Bot");
    const module = await moduleOf(source);
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.postMessage({ module });
    return new BotWorker(worker);
  }

  /** Returns a promise of the answer to a question of the query API. */
  ask(question) {
    if (this.#worker === null) return Promise.reject(new Error("the worker was ended"));
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, question });
    });
  }

  /** Returns a promise of the move in a game as `{edge, settled}`. */
  play(game, options = {}) {
    return this.#answer("play", game, options);
  }

  /** Returns a promise of what is known of the position of a game. */
  analyse(game, options = {}) {
    return this.#answer("analyse", game, options);
  }

  /** Ends the worker, also while it searches. Questions without an answer are rejected. */
  end() {
    this.#worker?.terminate();
    this.#worker = null;
    this.#rejectAll(new Error("the worker was ended"));
  }

  async #answer(what, game, options) {
    const answer = await this.ask({ ...BUDGET, ...options, what, game: typeof game === "string" ? game : game.text });
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }

  #rejectAll(error) {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
