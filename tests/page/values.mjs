// Exact values of every position of a small board by the bare rules, and the analyses that follow
// from them in the form of the program's answers. Nothing here knows chains, so that it is
// independent of what it is compared with.
import { site } from "./site.mjs";

const { Game } = await site("doublecross/rules.js");

/** Answers to whether the player to move will be in control. */
export const [YES, NO, NEITHER] = [1, 2, 4];

/** Bit masks of the edges around each box, and the masks of the boxes beside each edge. */
function masksOf(board) {
  const around = Array.from({ length: board.boxes }, (_, box) => board.edgesOf(box).reduce((m, e) => m | (1 << e), 0));
  const beside = Array.from({ length: board.edges }, (_, edge) => board.boxesOf(edge).map((box) => around[box]));
  return { around, beside };
}

/** Returns a generator of numbers from 0 to 1, which the seed determines. */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

/** The values of a board of at most 24 edges. A position is the mask of its drawn edges. */
export class Values {
  constructor(board) {
    const { around, beside } = masksOf(board);
    Object.assign(this, { board, around, beside, full: 2 ** board.edges - 1 });
    const [first, second] = [beside.map((masks) => masks[0]), beside.map((masks) => masks[1] ?? 0)];
    this.known = new Uint8Array(2 ** board.edges);
    /** The margin still to come for the player to move. */
    this.table = new Int8Array(2 ** board.edges);
    for (let mask = this.full - 1; mask >= 0; mask--) {
      let best = -128;
      for (let edge = 0; edge < board.edges; edge++) {
        const next = mask | (1 << edge);
        if (next === mask) continue;
        const taken = ((next & first[edge]) === first[edge] ? 1 : 0)
          + (second[edge] && (next & second[edge]) === second[edge] ? 1 : 0);
        const value = taken ? taken + this.table[next] : -this.table[next];
        if (value > best) best = value;
      }
      this.table[mask] = best;
    }
  }

  /** Returns the mask of a game's drawn edges. */
  maskOf(game) {
    return game.drawn.reduce((mask, is, edge) => (is ? mask | (1 << edge) : mask), 0);
  }

  edges(mask) {
    return [...this.beside.keys()].filter((edge) => !(mask & (1 << edge)));
  }

  /** Returns the boxes that an edge takes. */
  taken(mask, edge) {
    return this.beside[edge].filter((box) => ((mask | (1 << edge)) & box) === box).length;
  }

  /** Returns the boxes that an edge gives a third side. */
  given(mask, edge) {
    return this.beside[edge].filter((box) => this.sides((mask | (1 << edge)) & box) === 3).length;
  }

  /** Returns the number of drawn sides in a mask of them. */
  sides(mask) {
    let count = 0;
    for (let left = mask; left; left &= left - 1) count++;
    return count;
  }

  /** Returns the margin still to come after an edge, for the player who draws it. */
  after(mask, edge) {
    const taken = this.taken(mask, edge);
    const rest = this.table[mask | (1 << edge)];
    return taken ? taken + rest : -rest;
  }

  /** Returns the edges with the best value. */
  best(mask) {
    return this.edges(mask).filter((edge) => this.after(mask, edge) === this.table[mask]);
  }

  /** Returns the boxes that can be taken one after another, as their number and the position left. */
  takeAll(mask) {
    let [rest, boxes] = [mask, 0];
    for (;;) {
      const edge = this.edges(rest).find((other) => this.taken(rest, other));
      if (edge === undefined) return { rest, boxes };
      boxes += this.taken(rest, edge);
      rest |= 1 << edge;
    }
  }

  /**
   * Returns the edges of best play that decide control: those that take boxes or else leave them,
   * then safe ones, then those that open a chain with which the opponent cannot keep control.
   */
  quiet(mask) {
    const best = this.best(mask);
    const takes = best.filter((edge) => this.taken(mask, edge));
    if (takes.length) return takes;
    if (this.takeAll(mask).boxes) return best;
    const safe = best.filter((edge) => !this.given(mask, edge));
    return safe.length ? safe : best.filter((edge) => !this.canKeepControl(mask | (1 << edge)));
  }

  /**
   * Returns the answers to "will the player to move be in control?" by all lines of best play, as a
   * sum of `YES`, `NO` and `NEITHER`. The controller is the opponent of the one who has no quiet
   * edge left.
   */
  controllers(mask) {
    if (mask === this.full) return NEITHER;
    if (this.known[mask]) return this.known[mask];
    const quiet = this.quiet(mask);
    let answers = quiet.length ? 0 : NO;
    for (const edge of quiet) answers |= this.turned(mask, edge, this.controllers(mask | (1 << edge)));
    this.known[mask] = answers;
    return answers;
  }

  /** Returns the answers for the player who draws an edge, from those for the next player. */
  turned(mask, edge, answers) {
    if (this.taken(mask, edge)) return answers;
    return (answers & YES ? NO : 0) | (answers & NO ? YES : 0) | (answers & NEITHER);
  }

  /** Returns the answer of one line of best play. */
  controller(mask) {
    if (mask === this.full) return NEITHER;
    const [edge] = this.quiet(mask);
    return edge === undefined ? NO : this.turned(mask, edge, this.controller(mask | (1 << edge)));
  }

  /** Returns true if an edge at the boxes on offer takes none of them, and so leaves them behind. */
  canKeepControl(mask) {
    const { rest } = this.takeAll(mask);
    return this.edges(mask).some((edge) => rest & (1 << edge) && !this.taken(mask, edge));
  }

  /** Returns the analysis of a game's position, exact as the program's with a large budget. */
  analyze(game) {
    const [mask, lead] = [this.maskOf(game), game.margin(game.mover)];
    const margin = lead + this.table[mask];
    const name = (edge) => this.board.nameOf(edge);
    const edges = this.edges(mask).map((edge) => {
      const value = lead + this.after(mask, edge);
      return { edge: name(edge), expected: value, lower: value, upper: value };
    });
    const controls = { [YES]: game.mover, [NO]: 1 - game.mover, [NEITHER]: null }[this.controller(mask)];
    const line = this.line(mask).map(name);
    return { mover: game.mover, lower: margin, upper: margin, expected: margin, edges, line, controls };
  }

  /** Returns a line of best play: captures first, then safe edges. */
  line(mask) {
    const line = [];
    for (let at = mask; at !== this.full; at |= 1 << line.at(-1)) {
      const best = this.best(at);
      line.push(best.find((edge) => this.taken(at, edge)) ?? best.find((edge) => !this.given(at, edge)) ?? best[0]);
    }
    return line;
  }

  /**
   * Returns the states of a game of players who draw any edge, a careful one or the best one, by
   * chance. The seed determines it.
   */
  game(seed) {
    const next = numbers(seed);
    next();
    const [any, careful] = [[1, 0], [0.3, 0.5], [0.1, 0.5], [0.1, 0.2]][seed % 4];
    const pick = (edges) => (edges.length ? edges[Math.floor(next() * edges.length)] : null);
    const games = [new Game(this.board)];
    while (!games.at(-1).over) {
      const mask = this.maskOf(games.at(-1));
      const all = this.edges(mask);
      const takes = all.filter((edge) => this.taken(mask, edge));
      const care = pick(takes) ?? pick(all.filter((edge) => !this.given(mask, edge)));
      const chance = next();
      const edge = chance < any ? null : chance < any + careful ? care : pick(this.best(mask));
      games.push(games.at(-1).play(edge ?? pick(all)));
    }
    return games;
  }
}
