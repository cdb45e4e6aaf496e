// The rules of Dots and Boxes: a board's edges and boxes, and a game as a state that never changes once made.
// Knows nothing of the page, of bots or of notation.

const LONGEST_SIDE = 9;
const MOST_EDGES = 64;

/** A board of `rows` x `cols` boxes. Edges are numbered: horizontals row by row, then verticals row by row. */
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

  static fits(rows, cols) {
    const side = (n) => Number.isInteger(n) && n >= 1 && n <= LONGEST_SIDE;
    return side(rows) && side(cols) && (rows + 1) * cols + rows * (cols + 1) <= MOST_EDGES;
  }

  /** Every board there is, smallest first. */
  static all() {
    const boards = [];
    for (let rows = 1; rows <= LONGEST_SIDE; rows++)
      for (let cols = 1; cols <= LONGEST_SIDE; cols++) if (Board.fits(rows, cols)) boards.push(new Board(rows, cols));
    return boards;
  }

  /** The line above box (row, col); `row` may be `rows`, for the lowest line. */
  horizontal(row, col) {
    return row * this.cols + col;
  }

  /** The line left of box (row, col); `col` may be `cols`, for the rightmost line. */
  vertical(row, col) {
    return this.horizontals + row * (this.cols + 1) + col;
  }

  place(edge) {
    if (edge < this.horizontals) return { horizontal: true, row: Math.floor(edge / this.cols), col: edge % this.cols };
    const rest = edge - this.horizontals;
    return { horizontal: false, row: Math.floor(rest / (this.cols + 1)), col: rest % (this.cols + 1) };
  }

  /** The one or two boxes beside an edge. */
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

  /** The four edges around a box. */
  edgesOf(box) {
    const row = Math.floor(box / this.cols);
    const col = box % this.cols;
    return [
      this.horizontal(row, col), this.horizontal(row + 1, col),
      this.vertical(row, col), this.vertical(row, col + 1),
    ];
  }
}

/** A position with the moves that led to it. `play` gives a new one. */
export class Game {
  constructor(board) {
    this.board = board;
    this.moves = [];
    this.drawn = new Array(board.edges).fill(false);
    this.owners = new Array(board.boxes).fill(null);
    this.scores = [0, 0];
    this.mover = 0;
    this.captured = [];
  }

  /** The states from the empty board to the end of `moves`, which may be fewer than all of the edges. */
  static replay(board, moves) {
    const games = [new Game(board)];
    for (const edge of moves) games.push(games[games.length - 1].play(edge));
    return games;
  }

  get over() {
    return this.moves.length === this.board.edges;
  }

  get last() {
    return this.moves.length ? this.moves[this.moves.length - 1] : null;
  }

  /** Boxes of `seat` less boxes of the other. */
  margin(seat) {
    return this.scores[seat] - this.scores[1 - seat];
  }

  undrawn() {
    const edges = [];
    this.drawn.forEach((drawn, edge) => drawn || edges.push(edge));
    return edges;
  }

  legal(edge) {
    return Number.isInteger(edge) && edge >= 0 && edge < this.board.edges && !this.drawn[edge];
  }

  play(edge) {
    if (!this.legal(edge)) throw new RangeError(`edge ${edge} cannot be drawn as move ${this.moves.length + 1}`);
    const next = Object.create(Game.prototype);
    next.board = this.board;
    next.moves = [...this.moves, edge];
    next.drawn = this.drawn.slice();
    next.drawn[edge] = true;
    next.captured = this.board.boxesOf(edge).filter((box) => this.board.edgesOf(box).every((side) => next.drawn[side]));
    next.owners = this.owners.slice();
    for (const box of next.captured) next.owners[box] = this.mover;
    next.scores = this.scores.slice();
    next.scores[this.mover] += next.captured.length;
    next.mover = next.captured.length ? this.mover : 1 - this.mover;
    return next;
  }
}
