import type { Board, Game, Seat } from "./rules.js";

export { Board, Game, type Seat } from "./rules.js";
export { boardSvg, type DrawingOptions, gameSvg } from "./svg.js";

/** A compiled module, where the types of WebAssembly are known. */
type CompiledModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : object;

/** A bot's module: its bytes, an address, in node a path, or the compiled module. */
export type Source = string | { readonly href: string } | ArrayBuffer | ArrayBufferView | CompiledModule;

/** The cost of an answer, in counts, so that it does not depend on the machine. */
export interface Budget {
  /** Simulations of the tree search, a whole number: 200 unless told, no more than 100,000. */
  simulations?: number;
  /** Nodes of the exact solver: 50,000 unless told, no more than 100,000,000; in an analysis for each edge, too. */
  nodes?: number;
}

export type Level = `level:${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10}`;

export interface PlayOptions extends Budget {
  /** The player: the network unless told, a level with a budget of its own, or a rule of thumb. */
  bot?: "net" | "chains" | "greedy" | "first" | "random" | Level;
  /** A whole number that chooses among moves that are about as good, and the mistakes of a level: 0 unless told. */
  nonce?: number;
}

export interface Move {
  /** The edge by name. */
  edge: string;
  /** True if the move is proved to be a best one. */
  settled: boolean;
}

/** Margins are final ones in boxes, with those captured so far, for the player to move. */
export interface EdgeAnalysis {
  edge: string;
  /** The share of this edge in the search, or the network's probability without one. */
  policy: number;
  /** The expected final margin when it is drawn; `null` where the search never looked. */
  expected: number | null;
  /** The proved bounds of the final margin when it is drawn. */
  lower: number;
  upper: number;
}

export interface Analysis {
  mover: Seat;
  /** Boxes of each seat so far. */
  scores: [number, number];
  /** The number of undrawn edges. */
  undrawn: number;
  /** The proved bounds of the final margin; equal where it is settled. */
  lower: number;
  upper: number;
  /** The expected final margin; exact where the bounds meet. */
  expected: number;
  /** Each undrawn edge. */
  edges: EdgeAnalysis[];
  /** Final margins with their probabilities, as the network sees them. */
  finals: [margin: number, probability: number][];
  /** The moves that are expected, at most 24. */
  line: string[];
  /** The chains and the loops once the boxes on offer are taken. */
  chains: { boxes: number[]; length: number }[];
  loops: { boxes: number[]; length: number }[];
  /** Boxes that can be taken at once, one after another. */
  offered: number;
  /** Safe edges once those are taken. */
  safe: number;
  /** The seat that will be in control, where that is known. */
  controls: Seat | null;
}

/** An arena's question about a game. */
export interface Observation {
  /** The seat of the bot. */
  you: Seat;
  /** The seat to move. */
  to_move: Seat;
  /** True for each horizontal edge that is drawn: `rows + 1` rows of `cols`. */
  h: boolean[][];
  /** True for each vertical edge that is drawn: `rows` rows of `cols + 1`. */
  v: boolean[][];
  /** The owner of each box, -1 for none: `rows` rows of `cols`. */
  owner: number[][];
  /** The same on all turns of a match. It may be larger than what a number holds; see `Bot.act`. */
  nonce?: number;
  [field: string]: unknown;
}

/** The answer to an observation: the orientation, the row and the column of an edge. */
export interface Action {
  orient: "H" | "V";
  r: number;
  c: number;
}

/** A bot in memory. Its calls return when they are done, and it remembers what its solver has found. */
export class Bot {
  private constructor();
  /** Loads a module that `doublecross export --form wasm` wrote. */
  static load(source: Source): Promise<Bot>;
  /** Returns the move in a game, given as a `Game` or its text. Throws an `Error` if there is none. */
  play(game: Game | string, options?: PlayOptions): Move;
  /** Returns what is known of the position of a game. Throws an `Error` if it is no game. */
  analyze(game: Game | string, options?: Budget): Analysis;
  /** Returns the action for an arena's observation, given as an object or as the JSON that came, with the exported budget. */
  act(observation: Observation | string): Action;
  /** Returns the answer to a question of the query API, which is `{error}` where it cannot be answered. */
  ask(question: object): unknown;
}

/** A bot in a worker of a browser or of node, so that a long search does not stop the rest. Questions are answered in turn. */
export class BotWorker {
  private constructor();
  /** Starts a worker with the bot of a module, which is given as for `Bot.load`. node goes on until it is ended. */
  static load(source: Source): Promise<BotWorker>;
  /** Returns a promise of the move in a game, given as a `Game` or its text. */
  play(game: Game | string, options?: PlayOptions): Promise<Move>;
  /** Returns a promise of what is known of the position of a game. */
  analyze(game: Game | string, options?: Budget): Promise<Analysis>;
  /** Returns a promise of the action for an arena's observation, given as an object or as the JSON that came. */
  act(observation: Observation | string): Promise<Action>;
  /** Returns a promise of the answer to a question of the query API. */
  ask(question: object): Promise<unknown>;
  /** Ends the worker, also while it searches. Questions without an answer are rejected. */
  end(): void;
}

/** Returns a promise of the bot of this package that plays a board best. */
export function pretrained(board: Board | string): Promise<Bot>;

/** Returns a promise of the same bot in a worker. */
export function pretrainedWorker(board: Board | string): Promise<BotWorker>;

/** Returns a promise of a bot of half a megabyte for the levels 1 to 8, rules of thumb and exact values, without a network. */
export function levels(): Promise<Bot>;

/** Returns a promise of the same bot in a worker. */
export function levelsWorker(): Promise<BotWorker>;
