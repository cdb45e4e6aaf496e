// The end of a game: who won, by how much and by what, over the board, and what to do next.
import { byId, el, focusBoard } from "../page/dom.js";
import { celebrateEnd } from "../board/effects.js";
import { playerName, winnerName, winnerOf } from "./game-words.js";
import { texts } from "../texts.js";

/** The time for the last box to be filled before the result covers it. */
const DELAY_MS = 900;

export class Ending {
  /** Shows endings over the board of a `BoardView`. */
  constructor(view) {
    this.view = view;
    /** The finished game whose ending is on show or about to be, or null. */
    this.game = null;
    /** The finished games whose endings were closed, or passed over by stepping back. */
    this.closed = new WeakSet();
    this.timer = null;
    byId("ending-close").addEventListener("click", () => {
      this.close();
      focusBoard();
    });
    addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
      const hadFocus = byId("ending").contains(document.activeElement);
      this.close();
      if (hadFocus) focusBoard();
    });
  }

  /** Closes the ending on show for good. */
  close() {
    if (this.game) this.closed.add(this.game);
    this.hide();
  }

  hide() {
    clearTimeout(this.timer);
    this.game = null;
    byId("ending").hidden = true;
  }

  /** Shows the ending of a table once its game is over, and hides it otherwise. */
  show(table) {
    const { game } = table;
    // Whoever steps back has seen it.
    if (this.game && table.games.includes(this.game) && game !== this.game) this.close();
    if (!game.over || !table.finishedHere || this.closed.has(game)) return this.hide();
    if (this.game === game) return;
    this.hide();
    this.game = game;
    this.timer = setTimeout(() => this.open(table), DELAY_MS);
  }

  open(table) {
    const { game, person, alone } = table;
    const winner = winnerOf(game);
    byId("ending").dataset.winner = winner ?? "tie";
    byId("ending-title").textContent = texts.play.winner(winnerName(table));
    byId("ending-score").replaceChildren(
      el("b", { class: "by-0" }, String(game.scores[0])), " – ", el("b", { class: "by-1" }, String(game.scores[1])),
    );
    byId("ending-note").textContent = noteOf(table);
    byId("ending").hidden = false;
    if (winner !== null && (!alone || winner === person)) celebrateEnd(this.view, winner);
  }
}

/** Describes a result: the margin, the winner's longest run of boxes, and each player's double-crosses. */
function noteOf(table) {
  const runs = [0, 0];
  const doubles = [0, 0];
  let run = 0;
  for (const { captured, before } of table.games.slice(1, table.at + 1)) {
    run = captured.length ? run + captured.length : 0;
    runs[before.mover] = Math.max(runs[before.mover], run);
    doubles[before.mover] += captured.length === 2;
  }
  return texts.play.endOf({ margin: table.game.margin(0), runs, doubles, names: [playerName(table, 0), playerName(table, 1)] });
}
