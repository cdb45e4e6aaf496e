/** A compiled module, where the types of WebAssembly are known. */
type CompiledModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : object;

/** A bot's module: its bytes, an address, in node a path, or the compiled module. */
export type Source = string | { readonly href: string } | ArrayBuffer | ArrayBufferView | CompiledModule;

/** A seat: 0 moves first. */
export type Seat = 0 | 1;

/** A board of `rows` x `cols` boxes, at most 9 along a side and 180 edges. */
export class Board {
  constructor(rows: number, cols: number);
  /** Reads a board, as in `5x5`. Throws an `Error` if it is none. */
  static parse(text: string): Board;
  /** Returns true if there is a board of this size. */
  static fits(rows: number, cols: number): boolean;
  /** Returns all boards, in the order of their rows and columns. */
  static all(): Board[];

  readonly rows: number;
  readonly cols: number;
  /** The number of boxes. They are numbered row by row. */
  readonly boxes: number;
  /** The number of edges. The horizontal ones are numbered first, row by row, then the vertical ones. */
  readonly edges: number;
  /** The number of horizontal edges. */
  readonly horizontals: number;
  /** As in `5x5`. */
  readonly name: string;

  /** Returns the edge above box (row, col); `row` may be `rows`, for the lowest edges. */
  horizontal(row: number, col: number): number;
  /** Returns the edge left of box (row, col); `col` may be `cols`, for the rightmost edges. */
  vertical(row: number, col: number): number;
  /** Returns the orientation, row and column of an edge. */
  place(edge: number): { horizontal: boolean; row: number; col: number };
  /** Returns the name of an edge, as in `H0,1`. */
  nameOf(edge: number): string;
  /** Returns the edge with this name. Throws an `Error` if there is none. */
  edge(name: string): number;
  /** Returns the cell of an edge in the lattice of dots, edges and boxes, as players write it: `b11`. */
  cellOf(edge: number): string;
  /** Returns the edges of a word of a game, as in `H0,1`, `b11d9` or `a6-b6,a5-a6`. Throws an `Error` if one is none. */
  movesOf(word: string): number[];
  /** Returns the one or two boxes beside an edge. */
  boxesOf(edge: number): number[];
  /** Returns the four edges of a box: above, below, left, right. */
  edgesOf(box: number): number[];
}

/** A state of a game, which never changes: a position, and the moves that led to it. */
export class Game {
  /** The empty board. Throws an `Error` if it is none. */
  constructor(board: Board | string);
  /**
   * Reads a board and edges by name, as in `5x5 H0,0 V1,2`, or in a notation of players, as in `5x5 b11d9`; or a link to a
   * game of players, which ends in `#5,b11d9`. Throws an `Error` if it is no game.
   */
  static parse(text: string): Game;
  /** Returns the states from the empty board to the end of `moves`, which need not be a whole game. */
  static replay(board: Board | string, moves: readonly (number | string)[]): Game[];

  readonly board: Board;
  /** The state before the last move. */
  readonly before: Game | null;
  /** The edges in the order in which they were drawn. */
  readonly moves: readonly number[];
  /** True for each edge that is drawn. */
  readonly drawn: readonly boolean[];
  /** The seat that drew each edge. */
  readonly drawers: readonly (Seat | null)[];
  /** The seat that owns each box. */
  readonly owners: readonly (Seat | null)[];
  /** The boxes of each seat. */
  readonly scores: readonly [number, number];
  /** The seat to move. After a capture it is the same one. */
  readonly mover: Seat;
  /** The boxes that the last move captured. */
  readonly captured: readonly number[];
  /** The board and the moves as text. */
  readonly text: string;
  /** The board and the moves in the notation of players, as in `5x5 b11d9`. */
  readonly cells: string;
  /** True once all edges are drawn. */
  readonly over: boolean;
  /** The edge drawn last. */
  readonly last: number | null;

  /** Returns the boxes of `seat` less those of the other seat. */
  margin(seat: Seat): number;
  /** Returns all undrawn edges. */
  undrawn(): number[];
  /** Returns true if an edge, given by number or name, can be drawn. */
  legal(edge: number | string): boolean;
  /** Returns the state after an edge is drawn, given by number or name. Throws an `Error` if it cannot be drawn. */
  play(edge: number | string): Game;
}

export interface DrawingOptions {
  /** The players' names, of which as much is drawn as there is room for: Blue and Orange unless told. */
  names?: readonly [string, string];
  /** True for a dark ground: false unless told. */
  dark?: boolean;
}

/** Returns the drawing of a position as the text of an SVG file: the board, and the players' names and scores. */
export function boardSvg(game: Game | string, options?: DrawingOptions): string;
/**
 * Returns the text of an SVG file that plays the moves between the first and the last of these states again and again, as
 * `Game.replay` returns them. Where the system asks for less motion it shows the last state.
 */
export function gameSvg(states: readonly Game[], options?: DrawingOptions): string;

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

/** A bot in a worker of a browser, so that a long search does not stop the page. Questions are answered one after another. */
export class BotWorker {
  private constructor();
  /** Starts a worker with the bot of a module, which is given as for `Bot.load`. Rejects where there are no workers. */
  static load(source: Source): Promise<BotWorker>;
  /** Returns a promise of the move in a game, given as a `Game` or its text. */
  play(game: Game | string, options?: PlayOptions): Promise<Move>;
  /** Returns a promise of what is known of the position of a game. */
  analyze(game: Game | string, options?: Budget): Promise<Analysis>;
  /** Returns a promise of the answer to a question of the query API. */
  ask(question: object): Promise<unknown>;
  /** Ends the worker, also while it searches. Questions without an answer are rejected. */
  end(): void;
}

/** Returns a promise of the bot of this package that plays a board best. */
export function pretrained(board: Board | string): Promise<Bot>;

/** Returns a promise of the same bot in a worker of a browser. */
export function pretrainedWorker(board: Board | string): Promise<BotWorker>;
