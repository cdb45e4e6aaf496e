// A bot as a WebAssembly module, as `doublecross export --form wasm` writes it.

/** The cost of a move or an analysis unless told otherwise. */
const BUDGET = { simulations: 200, nodes: 50_000 };

/** The most of each number in a question. More would take hours. */
const MOST = { simulations: 100_000, nodes: 100_000_000, nonce: Number.MAX_SAFE_INTEGER };

/** What a bot's module exports. */
export const EXPORTS = ["memory", "alloc", "act", "ask"];

/** Shows that `Bot.load` makes a bot. */
const LOADED = Symbol("loaded");

/** The texts that are addresses. In node, any other one is a path. */
const ADDRESS = /^(https?|data|blob|file):/;

/** Node's module of files. Tools that bundle for browsers do not follow a name in a constant. */
const FILES = "node:fs/promises";

/** A bot in memory. Its calls return when they are done, and it remembers what its solver has found. */
export class Bot {
  #exports;

  /** Use `Bot.load`. */
  constructor(exports, key) {
    if (key !== LOADED) throw new TypeError("a Bot is made by Bot.load");
    this.#exports = exports;
  }

  /**
   * Returns a promise of the bot of a module: its bytes, an address, in node a path, or a
   * `WebAssembly.Module`.
   */
  static async load(source) {
    const { exports } = await WebAssembly.instantiate(await moduleOf(source));
    for (const name of EXPORTS)
      if (!(name in exports)) throw new Error(`the module exports no "${name}", so it is not an exported bot`);
    return new Bot(exports, LOADED);
  }

  /**
   * Returns the action for an arena's observation, given as an object or as the JSON that came,
   * whose nonce may be larger than what a number holds.
   */
  act(observation) {
    return this.#call("act", observation);
  }

  /**
   * Returns the answer to a question of the query API, which is `{error}` where it cannot be
   * answered.
   */
  ask(question) {
    return this.#call("ask", question);
  }

  /** Returns the move in a game as `{edge, settled}`. Throws an Error if there is none. */
  play(game, options = {}) {
    return this.#answer("play", game, options);
  }

  /** Returns what is known of the position of a game. Throws an Error if it is no game. */
  analyze(game, options = {}) {
    return this.#answer("analyze", game, options);
  }

  #answer(what, game, options) {
    return resultOf(this.ask(questionOf(what, game, options)));
  }

  /** Hands an object to a function of the module as JSON, and returns the object that it answers. */
  #call(name, question) {
    if (this.#exports === null) throw new Error("the bot has failed before; load it again");
    const { memory, alloc, [name]: answer } = this.#exports;
    const text = new TextEncoder().encode(typeof question === "string" ? question : JSON.stringify(question));
    try {
      const address = alloc(text.length);
      new Uint8Array(memory.buffer, address, text.length).set(text);
      const result = BigInt.asUintN(64, answer(address, text.length));
      const [at, length] = [Number(result >> 32n), Number(result & 0xffffffffn)];
      return JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, at, length)));
    } catch (error) {
      this.#exports = null; // Its memory may be in any state.
      throw error;
    }
  }
}

/** Returns a question of the query API about a game, with the options that are given. */
export function questionOf(what, game, options) {
  const text = typeof game === "string" ? game : game?.text;
  if (typeof text !== "string") throw new TypeError(`${game} is not a game; expected a Game or its text`);
  const given = Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== undefined));
  const names = what === "play" ? ["simulations", "nodes", "bot", "nonce"] : ["simulations", "nodes"];
  for (const [name, value] of Object.entries(given)) {
    if (!names.includes(name)) throw new TypeError(`there is no option ${name}: the options are ${names.join(", ")}`);
    const isRight = name === "bot" ? typeof value === "string" : Number.isInteger(value) && value >= 0 && value <= MOST[name];
    const shown = typeof value === "string" ? `"${value}"` : value;
    const expected = name === "bot" ? "a name" : `a whole number from 0 to ${MOST[name]}`;
    if (!isRight) throw new RangeError(`${name} is ${shown}; expected ${expected}`);
  }
  return { ...BUDGET, ...given, what, game: text };
}

/** Returns an answer of the query API, or throws the reason for which there is none. */
export function resultOf(answer) {
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer;
}

/** Returns a promise of the compiled module that `Bot.load` is given. */
export async function moduleOf(source) {
  return source instanceof WebAssembly.Module ? source : WebAssembly.compile(await bytesOf(source));
}

/** Returns a promise of the bytes of a module. */
async function bytesOf(source) {
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return source;
  const place = source?.href ?? source;
  const isAddress = ADDRESS.test(place);
  const isFile = !isAddress || new URL(place).protocol === "file:";
  if (isFile && globalThis.process?.versions?.node) {
    const { readFile } = await import(FILES);
    return readFile(isAddress ? new URL(place) : place);
  }
  const response = await fetch(place).catch((error) => {
    throw new Error(`${place}: ${error.message}`);
  });
  if (!response.ok) throw new Error(`${place}: ${response.status}`);
  return response.arrayBuffer();
}
