// The address of the page, which holds the game of the play tab or names another tab, and the entries
// of the browser's history, which lead back to tabs and to games as they were.
import { fragmentOf } from "./notation.js";

/** The delay before the address is updated, since browsers refuse more than a few changes in a second. */
const DELAY_MS = 300;

/** Returns the fragment of a game on a table, with the players if the table's address names them. */
const fragmentOn = (table, game) => fragmentOf(game, table.isNamed ? table.seats.map(({ id }) => id) : null);

export class Address {
  constructor() {
    /** The tables by the names that the entries of the history have for them. Names do not outlive the page. */
    this.tables = new Map();
    this.session = Math.random();
    /** The update that is due soon, or null. */
    this.due = null;
    this.timer = null;
    /** The game that is shown instead of the one in the address, which is kept; or null. */
    this.standIn = null;
  }

  /** Returns the table to which an entry of the history leads back, or null. */
  tableOf(entry) {
    return this.tables.get(entry?.table) ?? null;
  }

  /** Makes the current entry of the history lead back to a table of the play tab. */
  enter(table, address = "") {
    table.entry ??= `${this.session}-${this.tables.size}`;
    this.tables.set(table.entry, table);
    const state = {
      table: table.entry, seats: table.seats.map(({ id }) => id), helps: [...table.helps], duration: table.duration,
      // The address has the moves up to the state on show alone.
      whole: table.atEnd ? null : fragmentOf(table.games.at(-1)), at: table.at, held: table.held,
    };
    history.replaceState(state, "", address);
  }

  /** Adds an entry of the history for a tab. `play` is the table of the play tab. */
  push(tab, play) {
    if (this.due) this.write(...this.due);
    this.standIn = null;
    history.pushState({ tab }, "", tab === "play" ? fragmentOn(play, play.game) : `#${tab}`);
    if (tab === "play") this.enter(play);
  }

  /** Updates the address soon. `play` is the table of the play tab, on which `game` is on show. */
  update(play, game) {
    this.stay();
    this.due = [play, game];
    this.timer = setTimeout(() => this.write(play, game), DELAY_MS);
  }

  /** Leaves the address as it is. */
  stay() {
    clearTimeout(this.timer);
    this.due = null;
  }

  /** Keeps the address until another game than this one is shown. */
  keepFor(game) {
    this.standIn = game;
  }

  write(play, game) {
    this.stay();
    if (this.standIn === game) return;
    this.standIn = null;
    // A page that was just opened keeps its plain address until a move is made.
    this.enter(play, game.moves.length || location.hash ? fragmentOn(play, game) : location.href);
  }
}
