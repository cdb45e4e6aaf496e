// A player of the arena: a bot in a worker, asked for each move within a time limit.
import { NotLoaded, Stopped, workerError } from "../page/bots.js";
import { observationOf } from "./referee.js";
import { budgetsOf } from "../play/strengths.js";
import { texts } from "../texts.js";

/** The most starts of a bot in a game. One that is late or fails is started again on its next turn. */
const MOST_STARTS = 3;

/** The most characters of a wrong answer that are shown. */
const MOST_SHOWN = 60;

export class Player {
  /** `limit` is the longest time for a move, in milliseconds. */
  constructor(limit) {
    this.limit = limit;
    this.worker = null;
    this.count = 0;
    this.isStopped = false;
    /** Rejects the promise of the answer that is waited for. */
    this.cancel = () => {};
  }

  /**
   * Takes the seat of a bot for a game, in which it knows nothing of earlier ones. A bot has a compiled
   * `module` and, if it is one of the page, its `strength`.
   */
  begin(bot) {
    this.bot = bot;
    this.starts = 0;
    this.isStarted = false;
    /** The first failure in the game, or null. */
    this.trouble = null;
  }

  /**
   * Returns a promise of an undrawn edge, or of null if the bot fails to choose one. It is rejected if the
   * player was stopped, or its worker cannot be loaded, which is no failure of the bot.
   */
  async choose(game, nonce) {
    try {
      const answer = await this.ask(questionOf(this.bot, game, nonce));
      const edge = edgeOf(this.bot, answer, game.board);
      if (game.legal(edge)) return edge;
      this.trouble ??= texts.arena.noLine(String(JSON.stringify(answer)).slice(0, MOST_SHOWN));
    } catch (error) {
      this.end();
      if (error instanceof NotLoaded || error instanceof Stopped) throw error;
      this.trouble ??= error.message;
    }
    return null;
  }

  /** Starts the bot, unless it runs. The time until a new worker is loaded is not the bot's. */
  async start() {
    if (this.isStopped) throw new Stopped();
    if (this.isStarted) return;
    if (this.starts === MOST_STARTS) throw new Error(texts.arena.failedOften(MOST_STARTS));
    if (!this.worker) {
      this.worker = new Worker("doublecross/worker.js", { type: "module" });
      await this.send({});
    }
    this.starts += 1;
    this.isStarted = true;
    this.worker.postMessage({ module: this.bot.module });
  }

  /** Ends the bot with its worker. */
  end() {
    this.worker?.terminate();
    this.worker = null;
    this.isStarted = false;
    this.cancel(new Stopped());
  }

  /** Ends the bot for good. */
  stop() {
    this.isStopped = true;
    this.end();
  }

  /** Asks the bot, and returns a promise of its answer in time. */
  async ask(question) {
    await this.start();
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(texts.arena.late(this.limit / 1000))), this.limit);
    });
    return Promise.race([this.send(question), late]).finally(() => clearTimeout(timer));
  }

  /** Sends the worker a message, and returns a promise of its answer. */
  send(message) {
    const { worker } = this;
    const id = ++this.count;
    return new Promise((resolve, reject) => {
      this.cancel = reject;
      worker.onmessage = ({ data }) => {
        if (data.id !== id) return;
        if (data.error === undefined) resolve(data.answer);
        else reject(new Error(texts.arena.failed(data.error)));
      };
      worker.onerror = (event) => reject(workerError(event, texts.arena.failed));
      worker.postMessage({ id, ...message });
    });
  }
}

/** Returns the message that asks a bot for a move: a question to one of the page, or else an observation. */
function questionOf({ strength }, game, nonce) {
  if (!strength) return { observation: observationOf(game, nonce) };
  const budget = budgetsOf(strength, game.board.boxes).at(-1);
  return { question: { what: "play", game: game.text, bot: strength.bot, nonce, ...budget } };
}

/** Returns the edge of an answer, or null if it has none. */
function edgeOf({ strength }, answer, board) {
  try {
    return board.edge(strength ? answer.edge : `${answer.orient}${answer.r},${answer.c}`);
  } catch {
    return null;
  }
}
