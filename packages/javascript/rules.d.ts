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

  /** The same as `name`, also as JSON. */
  toString(): string;
  toJSON(): string;
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

  /** The same as `text`, also as JSON. */
  toString(): string;
  toJSON(): string;
  /** Returns the boxes of `seat` less those of the other seat. */
  margin(seat: Seat): number;
  /** Returns all undrawn edges. */
  undrawn(): number[];
  /** Returns true if an edge, given by number or name, can be drawn. */
  legal(edge: number | string): boolean;
  /** Returns the state after an edge is drawn, given by number or name. Throws an `Error` if it cannot be drawn. */
  play(edge: number | string): Game;
}
