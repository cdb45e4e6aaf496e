// The rules of Dots and Boxes: the edges and boxes of a board, the states of a game, which are
// immutable, and their text forms. Texts come from people and other programs, so whatever reads one
// throws an Error with the reason if it is invalid. This module uses no other one.

const LONGEST_SIDE = 9;
const MOST_EDGES = 180;

/** The letters of columns in the notations of players. */
const LETTERS = "abcdefghijklmnopqrs";

/**
 * A board of `rows` x `cols` boxes. Edges are numbered: the horizontal ones row by row, then the
 * vertical ones.
 */
export class Board {
  constructor(rows, cols) {
    if (!Board.fits(rows, cols)) throw new RangeError(`no board of ${rows} x ${cols} boxes`);
    this.rows = rows;
    this.cols = cols;
    this.boxes = rows * cols;
    this.horizontals = (rows + 1) * cols;
    this.edges = this.horizontals + rows * (cols + 1);
    this.name = `${rows}x${cols}`;
  }

  toString() {
    return this.name;
  }

  toJSON() {
    return this.name;
  }

  /** Returns true if there is a board of this size. */
  static fits(rows, cols) {
    const side = (n) => Number.isInteger(n) && n >= 1 && n <= LONGEST_SIDE;
    return side(rows) && side(cols) && (rows + 1) * cols + rows * (cols + 1) <= MOST_EDGES;
  }

  /** Returns the board of a text, as in `5x5`. */
  static parse(text) {
    const found = /^([1-9])x([1-9])$/.exec(String(text));
    if (found && Board.fits(Number(found[1]), Number(found[2]))) return new Board(Number(found[1]), Number(found[2]));
    throw new Error(`"${text}" is not a board: write rows and columns from 1 to ${LONGEST_SIDE}, at most ${MOST_EDGES} edges, as in 5x5`);
  }

  /** Returns a board that is given as one or as its text. */
  static of(board) {
    if (board instanceof Board) return board;
    if (typeof board === "string") return Board.parse(board);
    throw new TypeError(`${board} is not a board; expected a Board or its text, as in 5x5`);
  }

  /** Returns all boards, in the order of their rows and columns. */
  static all() {
    const boards = [];
    for (let rows = 1; rows <= LONGEST_SIDE; rows++)
      for (let cols = 1; cols <= LONGEST_SIDE; cols++) if (Board.fits(rows, cols)) boards.push(new Board(rows, cols));
    return boards;
  }

  /** Returns the edge above box (row, col); `row` may be `rows`, for the lowest edges. */
  horizontal(row, col) {
    return row * this.cols + col;
  }

  /** Returns the edge left of box (row, col); `col` may be `cols`, for the rightmost edges. */
  vertical(row, col) {
    return this.horizontals + row * (this.cols + 1) + col;
  }

  /** Returns the orientation, row and column of an edge. */
  place(edge) {
    if (!(Number.isInteger(edge) && edge >= 0 && edge < this.edges))
      throw new RangeError(`${edge} is not an edge of the ${this.name} board: its edges are 0 to ${this.edges - 1}`);
    if (edge < this.horizontals) return { horizontal: true, row: Math.floor(edge / this.cols), col: edge % this.cols };
    const rest = edge - this.horizontals;
    return { horizontal: false, row: Math.floor(rest / (this.cols + 1)), col: rest % (this.cols + 1) };
  }

  /** Returns the name of an edge, as in `H0,1`. */
  nameOf(edge) {
    const { horizontal, row, col } = this.place(edge);
    return `${horizontal ? "H" : "V"}${row},${col}`;
  }

  /** Returns the edge with this name. */
  edge(name) {
    const found = /^([HV])(\d),(\d)$/.exec(name);
    if (!found) throw new Error(`"${name}" is not an edge`);
    const [row, col] = [Number(found[2]), Number(found[3])];
    const horizontal = found[1] === "H";
    const inside = horizontal ? row <= this.rows && col < this.cols : row < this.rows && col <= this.cols;
    if (!inside) throw new Error(`${name} is not an edge of the ${this.name} board`);
    return horizontal ? this.horizontal(row, col) : this.vertical(row, col);
  }

  /** Returns the cell of an edge in the lattice of dots, edges and boxes, as players write it: `b11`. */
  cellOf(edge) {
    const { horizontal, row, col } = this.place(edge);
    const below = 2 * (this.rows - row);
    return horizontal ? `${LETTERS[2 * col + 1]}${below + 1}` : `${LETTERS[2 * col]}${below}`;
  }

  /**
   * Returns the edges of a word of a game: one as in `H0,1`, or in a notation of players, in which numbers and a dot may
   * come before them: cells, as in `b11d9`, or pairs of dots with commas between them, as in `a6-b6,a5-a6`.
   */
  movesOf(word) {
    if (/^[HV]/.test(word)) return [this.edge(word)];
    const edges = new Map();
    for (let edge = 0; edge < this.edges; edge++) {
      const { horizontal, row, col } = this.place(edge);
      const dot = (right, down) => `${LETTERS[col + right]}${this.rows + 1 - row - down}`;
      const dots = [dot(0, 0), horizontal ? dot(1, 0) : dot(0, 1)];
      for (const name of [this.cellOf(edge), dots.join("-"), dots.reverse().join("-")]) edges.set(name, edge);
    }
    const parts = word.split(",").map((part) => part.replace(/^\d+\./, "")).filter(Boolean);
    const names = parts.flatMap((part) => (part.includes("-") ? part : part.split(/(?<=\d)(?=[a-z])/)));
    return names.map((name) => {
      if (!edges.has(name)) throw new Error(`"${name}" is not an edge of the ${this.name} board`);
      return edges.get(name);
    });
  }

  /** Returns the one or two boxes beside an edge. */
  boxesOf(edge) {
    const { horizontal, row, col } = this.place(edge);
    const boxes = [];
    if (horizontal) {
      if (row > 0) boxes.push((row - 1) * this.cols + col);
      if (row < this.rows) boxes.push(row * this.cols + col);
    } else {
      if (col > 0) boxes.push(row * this.cols + col - 1);
      if (col < this.cols) boxes.push(row * this.cols + col);
    }
    return boxes;
  }

  /** Returns the four edges of a box. */
  edgesOf(box) {
    if (!(Number.isInteger(box) && box >= 0 && box < this.boxes))
      throw new RangeError(`${box} is not a box of the ${this.name} board: its boxes are 0 to ${this.boxes - 1}`);
    const row = Math.floor(box / this.cols);
    const col = box % this.cols;
    return [
      this.horizontal(row, col), this.horizontal(row + 1, col),
      this.vertical(row, col), this.vertical(row, col + 1),
    ];
  }
}

/** Returns the number of an edge that is given by number or name. */
const numberOf = (board, edge) => (typeof edge === "string" ? board.edge(edge) : edge);

/** A state of a game: a position, and the moves that led to it. */
export class Game {
  /** The empty board, which is given as a `Board` or by its name. */
  constructor(board) {
    this.board = Board.of(board);
    /** The state before the last move, or null. */
    this.before = null;
    this.moves = [];
    /** The seat that drew each edge, or null. */
    this.drawers = new Array(this.board.edges).fill(null);
    this.drawn = new Array(this.board.edges).fill(false);
    this.owners = new Array(this.board.boxes).fill(null);
    this.scores = [0, 0];
    this.mover = 0;
    this.captured = [];
  }

  /**
   * Returns the states from the empty board to the end of `moves`, which need not be a whole game.
   */
  static replay(board, moves) {
    const games = [new Game(board)];
    for (const edge of moves) games.push(games[games.length - 1].play(edge));
    return games;
  }

  /**
   * Returns the game of a text: a board and edges by name, as in `5x5 H0,0 V1,2`, or in a notation of players, as in
   * `5x5 b11d9`; or a link to a game of players, which ends in `#5,b11d9`.
   */
  static parse(text) {
    const [, side, cells] = /#(\d+)(?:,(.*))?$/s.exec(text) ?? [];
    const words = side ? [`${side}x${side}`, cells ?? ""] : [String(text)];
    const [name, ...moves] = words.join(" ").trim().split(/\s+/);
    const board = Board.parse(name);
    return moves.flatMap((word) => board.movesOf(word)).reduce((game, edge) => game.play(edge), new Game(board));
  }

  /** The board and the moves in the notation of players, as in `5x5 b11d9`. */
  get cells() {
    return `${this.board.name} ${this.moves.map((edge) => this.board.cellOf(edge)).join("")}`.trim();
  }

  /** The board and the moves as text, as in `5x5 H0,0 V1,2`. */
  get text() {
    return [this.board.name, ...this.moves.map((edge) => this.board.nameOf(edge))].join(" ");
  }

  toString() {
    return this.text;
  }

  toJSON() {
    return this.text;
  }

  /** What node's console shows. */
  [Symbol.for("nodejs.util.inspect.custom")]() {
    return `Game { ${this.text}; ${this.scores.join(" - ")}, ${this.over ? "over" : `seat ${this.mover} to move`} }`;
  }

  /** True once all edges are drawn. */
  get over() {
    return this.moves.length === this.board.edges;
  }

  /** The edge drawn last, or null. */
  get last() {
    return this.moves.length ? this.moves[this.moves.length - 1] : null;
  }

  /** Returns the boxes of `seat` less those of the other seat. */
  margin(seat) {
    return this.scores[seat] - this.scores[1 - seat];
  }

  /** Returns all undrawn edges. */
  undrawn() {
    const edges = [];
    this.drawn.forEach((drawn, edge) => drawn || edges.push(edge));
    return edges;
  }

  /** Returns true if an edge, given by number or name, can be drawn. */
  legal(edge) {
    const number = numberOf(this.board, edge);
    return Number.isInteger(number) && number >= 0 && number < this.board.edges && !this.drawn[number];
  }

  /** Returns the state after an edge is drawn, given by number or name. */
  play(move) {
    const edge = numberOf(this.board, move);
    if (!this.legal(edge)) {
      const name = this.board.nameOf(edge); // Throws for what is no edge.
      throw new RangeError(`move ${this.moves.length + 1}: ${this.over ? "the game is over" : `${name} is drawn already`}`);
    }
    const next = Object.create(Game.prototype);
    next.board = this.board;
    next.before = this;
    next.moves = [...this.moves, edge];
    next.drawn = this.drawn.slice();
    next.drawn[edge] = true;
    next.drawers = this.drawers.slice();
    next.drawers[edge] = this.mover;
    next.captured = this.board.boxesOf(edge).filter((box) => this.board.edgesOf(box).every((side) => next.drawn[side]));
    next.owners = this.owners.slice();
    for (const box of next.captured) next.owners[box] = this.mover;
    next.scores = this.scores.slice();
    next.scores[this.mover] += next.captured.length;
    next.mover = next.captured.length ? this.mover : 1 - this.mover;
    return next;
  }
}
