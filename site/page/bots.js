// The bots of the page, and a client that asks one of them questions in a worker. What cannot be loaded
// is tried again until it can.
import { fetchFile, nextTry, Unreachable } from "./connection.js";
import { listedRuns } from "../training/runs.js";
import { usesNetwork } from "../play/strengths.js";
import { texts } from "../texts.js";

/** The error of a question that was canceled. It is never shown. */
export class Stopped extends Error {}

/** The error of a worker that could not be loaded. */
export class NotLoaded extends Error {}

/** Returns the error for an error event of a worker, which is not reported elsewhere. Only one within the worker has a message. */
export function workerError(event, failed) {
  event.preventDefault?.();
  return event.message === undefined ? new NotLoaded(texts.bots.noWorker) : new Error(failed(event.message));
}

/**
 * The time that a canceled question may still run. Ending its worker loses the bot's solver table.
 */
const GRACE_MS = 120;

/** The WebAssembly modules that bots.json lists. Each is fetched and compiled once. */
export class Bots {
  constructor(list) {
    this.modules = list.bots;
    /** The address of the module that plays the boards for which no network was trained, or null. */
    this.others = typeof list.others === "string" ? list.others : null;
    /** The address of the module for bots without a network, or null. */
    this.levels = typeof list.levels === "string" ? list.levels : null;
    /** The address of the chosen module of each board for which one was chosen. */
    this.chosen = new Map();
    this.runs = listedRuns(list);
    this.compiled = new Map();
    /** The addresses of modules that are compiled. */
    this.ready = new Set();
    /** The message of an error after which loading is tried again, or null. */
    this.fault = null;
    /** Called after a module was loaded, and when the fault has changed. */
    this.onChange = () => {};
  }

  /** Loads bots.json, without entries that are malformed. */
  static async load() {
    const list = await (await fetchFile("bots.json", { cache: "no-cache" })).json();
    const usable = (entry) => typeof entry?.board === "string" && typeof entry?.module === "string";
    return new Bots({ ...list, bots: (Array.isArray(list?.bots) ? list.bots : []).filter(usable) });
  }

  /** The networks that `serve` was given to play against, as `{name, module, boards}` with their boards by name. */
  get given() {
    const networks = new Map();
    for (const { board, module, name = module, given } of this.modules) {
      if (given !== true) continue;
      if (!networks.has(module)) networks.set(module, { name, module, boards: [] });
      networks.get(module).boards.push(board);
    }
    return [...networks.values()];
  }

  /** Returns true if a network was trained on this board. */
  knows(board) {
    return this.modules.some((entry) => entry.board === board.name);
  }

  /** Returns the networks for a board as `{module, name}`. The first is used unless another is chosen. */
  networksFor(board) {
    const networks = this.modules.filter((entry) => entry.board === board.name);
    return [...networks.filter(({ given }) => given !== true), ...networks.filter(({ given }) => given === true)];
  }

  /** Uses the module at an address for the levels and analyses of a board from now on. */
  choose(board, module) {
    this.chosen.set(board.name, module);
  }

  /** Returns the address of the module that plays the levels of a board and analyzes it. */
  moduleFor(board) {
    const module = this.chosen.get(board.name) ?? this.networksFor(board)[0]?.module ?? this.others;
    if (module === null) throw new Error(texts.bots.none);
    return module;
  }

  /** Returns the address of the module with which a bot of the page plays a board. */
  moduleOf(bot, board) {
    return bot.module ?? (usesNetwork(bot) ? null : this.levels) ?? this.moduleFor(board);
  }

  /** Returns a promise of the compiled module at an address. */
  compile(address) {
    if (!this.compiled.has(address)) {
      const compiling = this.load(address);
      this.compiled.set(address, compiling);
      compiling.catch(() => this.compiled.delete(address)); // The next question tries again.
    }
    return this.compiled.get(address);
  }

  /** Loads a module. Without a connection it waits for one. */
  async load(address) {
    const response = await this.reach(address);
    const module = await WebAssembly.compile(await response.arrayBuffer());
    this.ready.add(address);
    this.fault = null;
    this.onChange();
    return module;
  }

  /** Sets the fault, or null. */
  report(fault) {
    if (fault === this.fault) return;
    this.fault = fault;
    this.onChange();
  }

  async reach(address) {
    for (;;) {
      try {
        return await fetchFile(address);
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        this.report(error.message);
        await nextTry();
      }
    }
  }
}

/** A worker with a bot, which answers one question at a time. */
export class BotClient {
  constructor(bots) {
    this.bots = bots;
    this.worker = null;
    this.address = null;
    this.request = null;
    this.count = 0;
    this.turn = Promise.resolve();
  }

  /** True while the question waits for its module to be loaded. */
  get loading() {
    const address = this.request?.address;
    return address !== undefined && !this.bots.ready.has(address);
  }

  /**
   * Returns a promise of the answer to a question about a game on `board`, by the module at an
   * address or else by that of the board. Cancels the question before it.
   */
  async ask(board, question, module = null) {
    this.stop();
    const request = { id: ++this.count };
    const canceled = new Promise((_, reject) => (request.cancel = () => reject(new Stopped())));
    this.request = request;
    const previous = this.turn;
    let done;
    this.turn = new Promise((resolve) => (done = resolve));
    try {
      request.address = module ?? this.bots.moduleFor(board);
      await Promise.race([previous, canceled]);
      const compiled = await Promise.race([this.bots.compile(request.address), canceled]);
      const answer = await this.answer(request, compiled, question, canceled);
      if (answer?.error) throw new Error(answer.error);
      return answer;
    } finally {
      if (this.request === request) this.request = null;
      // A canceled question leaves its worker busy. The next one waits until it is free or ended.
      previous.then(() => request.running).then(done);
    }
  }

  /** Asks a worker. One that cannot be loaded is tried again. */
  async answer(request, compiled, question, canceled) {
    for (;;) {
      this.start(request.address, compiled);
      try {
        const answer = await Promise.race([this.send(request, question), canceled]);
        this.bots.report(null);
        return answer;
      } catch (error) {
        if (!(error instanceof NotLoaded)) throw error;
        this.bots.report(error.message);
        await Promise.race([nextTry(), canceled]);
      }
    }
  }

  /** Cancels the current question, whose promise is rejected with `Stopped`. */
  stop() {
    const request = this.request;
    if (!request) return;
    this.request = null;
    request.cancel();
    request.interrupt?.();
  }

  /** Starts a worker with the module at an address, unless it is running. */
  start(address, compiled) {
    if (this.worker && this.address === address) return;
    this.end();
    this.worker = new Worker("doublecross/worker.js", { type: "module" });
    this.address = address;
    this.worker.postMessage({ module: compiled });
  }

  /** Ends the worker. */
  end() {
    this.worker?.terminate();
    this.worker = null;
  }

  /** Sends a question to the worker, and returns a promise of the answer. */
  send(request, question) {
    return new Promise((resolve, reject) => {
      const worker = this.worker;
      request.running = new Promise((free) => {
        worker.onmessage = ({ data }) => {
          if (data.id !== request.id) return;
          free();
          if (data.error === undefined) return resolve(data.answer);
          // A module that has trapped cannot be asked again.
          if (this.worker === worker) this.end();
          reject(new Error(texts.bots.failed(data.error)));
        };
        worker.onerror = (event) => {
          if (this.worker === worker) this.end();
          free();
          reject(workerError(event, texts.bots.workerFailed));
        };
        request.interrupt = () => {
          const ending = setTimeout(() => {
            if (this.worker === worker) this.end();
            free();
          }, GRACE_MS);
          request.running.then(() => clearTimeout(ending));
        };
      });
      worker.postMessage({ id: request.id, question });
    });
  }
}
