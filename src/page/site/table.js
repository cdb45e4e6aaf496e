// A table: two seats, a game, and the place in it that one looks at. Undo and redo move that place.
// Knows the rules and nothing of the page.
import { Game } from "./rules.js";
import { strengthOf } from "./strengths.js";

export const PERSON = "person";
export const COLOURS = ["Blue", "Orange"];

/** Who sits at a table: a person, a bot of some strength, or a name in a record. */
function seatOf(id) {
  if (id === PERSON) return { id, name: "Person", bot: null };
  const strength = strengthOf(id);
  return strength ? { id, name: strength.name, bot: strength } : { id, name: id, bot: null };
}

export class Table {
  /** `seats` are two ids; `games` the states of a game already begun. */
  constructor(board, seats, games = [new Game(board)]) {
    this.board = board;
    this.seats = seats.map(seatOf);
    this.games = games;
    this.at = games.length - 1;
    this.nonce = Math.floor(Math.random() * 2 ** 31);
    /** A table that is held waits for a person, whoever's turn it is. */
    this.held = false;
    /** Whether moves that are already there are played again, one after another. */
    this.follows = false;
    /** The shortest time between two moves of bots. */
    this.pause = 350;
    /** What a person was helped by; such a game does not count as a result. */
    this.helps = new Set();
    this.recorded = false;
    this.fault = null;
    /** The line of a log that this game was read from. */
    this.record = null;
    this.seconds = [0, 0];
    this.longest = [0, 0];
    this.since = performance.now();
  }

  get game() {
    return this.games[this.at];
  }

  get length() {
    return this.games.length - 1;
  }

  get atEnd() {
    return this.at === this.length;
  }

  get person() {
    return this.seats.findIndex((seat) => seat.id === PERSON);
  }

  /** Whether the mover is a person who may draw now. */
  get personsTurn() {
    return !this.game.over && this.seats[this.game.mover].id === PERSON;
  }

  /** The bot that has to move now, or null. */
  get botsTurn() {
    return this.held || this.game.over || !this.atEnd ? null : this.seats[this.game.mover].bot;
  }

  /** Whether the table goes on by itself: a bot moves, or moves are played again. */
  get running() {
    return this.botsTurn !== null || (this.follows && !this.atEnd);
  }

  /**
   * Draws an edge where one looks; moves that came after it are gone. `ms` is how long it was thought about: since the
   * last move, if not told.
   */
  play(edge, ms = performance.now() - this.since) {
    const next = this.game.play(edge);
    const seat = this.game.mover;
    const took = ms / 1000;
    this.since = performance.now();
    this.seconds[seat] += took;
    this.longest[seat] = Math.max(this.longest[seat], took);
    this.games = [...this.games.slice(0, this.at + 1), next];
    this.at += 1;
    this.held = false;
    this.fault = null;
  }

  goTo(at) {
    this.at = Math.max(0, Math.min(this.length, at));
    this.held = true;
    this.follows = false;
    this.fault = null;
    this.since = performance.now();
  }

  /** Goes on from where one looks as though nothing had been played after it. */
  playOn() {
    if (!this.atEnd) this.helps.add("undo");
    this.games = this.games.slice(0, this.at + 1);
    this.held = false;
    this.fault = null;
    this.since = performance.now();
  }

  /** The place of the person's last own turn before this one, or null. */
  get undoTo() {
    for (let at = this.at - 1; at >= 0; at--) if (this.seats[this.games[at].mover].id === PERSON) return at;
    return null;
  }

  /** The place of the person's next own turn, or the end; null at the end. */
  get redoTo() {
    for (let at = this.at + 1; at <= this.length; at++) {
      if (at === this.length || this.seats[this.games[at].mover].id === PERSON) return at;
    }
    return null;
  }

  undo() {
    if (this.undoTo === null) return;
    this.helps.add("undo");
    this.goTo(this.undoTo);
    this.held = false;
  }

  redo() {
    if (this.redoTo === null) return;
    this.goTo(this.redoTo);
    this.held = false;
  }
}
