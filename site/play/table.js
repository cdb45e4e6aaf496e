// A table: two seats, a game, and the state of it that is on show, which undo and redo change. This
// module uses the rules and nothing of the page.
import { Game } from "../doublecross/rules.js";
import { strengthOf } from "./strengths.js";
import { texts } from "../texts.js";

export const PERSON = "person";

/** The end of the names of players whose game was recorded. */
export const RECORDED = texts.play.recorded;

/**
 * Returns the occupant of a seat: a person, a bot of some strength, or a name from a log or an address. A person whose
 * name is to be shown has it as `called`.
 */
function seatOf(id) {
  if (id === PERSON) return { id, name: texts.play.person, bot: null };
  const strength = strengthOf(id);
  return strength ? { id, name: strength.name, bot: strength } : { id, name: id, bot: null };
}

/** Returns true if a seat has a person or a bot, who can move. */
const isPresent = ({ id, bot }) => id === PERSON || bot !== null;

export class Table {
  /** `seats` are two ids; `games` are the states of a game that has begun. */
  constructor(board, seats, games = [new Game(board)]) {
    this.board = board;
    this.seat(seats);
    this.games = games;
    this.at = games.length - 1;
    this.nonce = Math.floor(Math.random() * 2 ** 31);
    /** True if bots do not move until a person does something. */
    this.stopped = false;
    /** True if a person has stepped to an earlier state. */
    this.looking = false;
    /** True if the game is only looked at until it is played on. */
    this.viewed = false;
    /** True if the moves after the one on show are replayed one after another. */
    this.follows = false;
    /** The least time between two moves of bots, in milliseconds. */
    this.pause = 350;
    /** The same after a capture, in milliseconds. */
    this.cascade = 220;
    /** The kinds of help that a person had. A game with help does not count as a result. */
    this.helps = new Set();
    this.recorded = false;
    /** True once a move was played on this table that ended its game. */
    this.finishedHere = false;
    /** The table whose place this one took, to which undo leads back from its beginning; or null. */
    this.before = null;
    /** The table that took the place of this one, to which redo leads on from its end; or null. */
    this.after = null;
    this.fault = null;
    /** What is said in place of whose turn it is, or null. */
    this.caption = null;
    /** The line of a log from which the game was read, or null. */
    this.record = null;
    /** True if the address names the players, since the one that opened the table did. */
    this.isNamed = false;
    /** The name of the table in the browser's history, once it has one. */
    this.entry = null;
    /** The time from the first move on, in seconds, or null if that was made elsewhere. */
    this.duration = null;
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

  /** True if one person plays alone against a bot. */
  get alone() {
    return this.seats.filter(({ id }) => id === PERSON).length === 1;
  }

  /** True if somebody has a seat who is only named. */
  get hasNamed() {
    return !this.seats.every(isPresent);
  }

  /** Seats two players by their ids. */
  seat(ids) {
    this.seats = ids.map(seatOf);
  }

  /** Gives the seat of a player who is only named to a person, and the seats of two to the players with these ids. */
  replaceNamed(ids) {
    this.seat(this.seats.some(isPresent) ? this.seats.map((seat) => (isPresent(seat) ? seat.id : PERSON)) : ids);
  }

  /** True if a person may draw now. */
  get personsTurn() {
    return !this.viewed && !this.game.over && !this.looksBack && this.seats[this.game.mover].id === PERSON;
  }

  /** True if bots wait. */
  get held() {
    return this.stopped || this.looking;
  }

  set held(held) {
    Object.assign(this, { stopped: held, looking: false });
  }

  /** True if an earlier state is on show, from which the game goes on only if a person says so. */
  get looksBack() {
    return this.held && !this.atEnd;
  }

  /** The bot that has to move now, or null. */
  get botsTurn() {
    return this.held || this.game.over || !this.atEnd ? null : this.seats[this.game.mover].bot;
  }

  /** True if the table changes by itself: a bot moves, or moves are replayed. */
  get running() {
    return this.botsTurn !== null || (this.follows && !this.atEnd);
  }

  /**
   * Draws an edge in the state on show, and removes the moves after it. `ms` is the time that the
   * move took, which is by default the time since the last one.
   */
  play(edge, ms = performance.now() - this.since) {
    const next = this.game.play(edge);
    const seat = this.game.mover;
    const took = ms / 1000;
    if (this.at === 0) this.duration = 0;
    else if (this.duration !== null) this.duration += (performance.now() - this.since) / 1000;
    this.since = performance.now();
    this.seconds[seat] += took;
    this.longest[seat] = Math.max(this.longest[seat], took);
    this.games = [...this.games.slice(0, this.at + 1), next];
    this.at += 1;
    this.held = false;
    this.after = null;
    this.fault = null;
    this.finishedHere = next.over;
  }

  /** Shows the state after so many moves. Bots wait until the last one is shown again. */
  goTo(at) {
    this.at = Math.max(0, Math.min(this.length, at));
    this.looking = !this.atEnd;
    this.follows = false;
    this.fault = null;
    this.since = performance.now();
  }

  /** Continues the game from the state on show, without the moves after it. */
  playOn() {
    if (!this.atEnd) this.helps.add("undo");
    this.games = this.games.slice(0, this.at + 1);
    this.held = false;
    this.viewed = false;
    this.fault = null;
    this.since = performance.now();
  }

  /** The index of the person's previous turn, or null. */
  get undoTo() {
    for (let at = this.at - 1; at >= 0; at--) if (this.seats[this.games[at].mover].id === PERSON) return at;
    return null;
  }

  /** The index of the person's next turn, or of the end; null at the end. */
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
