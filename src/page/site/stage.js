// The stage: players and scores, the board, the status of the game, and the controls below.
import { BoardView } from "./board-view.js";
import { byId } from "./dom.js";
import { edgeName } from "./notation.js";
import { PERSON } from "./table.js";
import { moveWords, statusWords } from "./words.js";

export class Stage {
  /** `onDraw` is called with the edge that a person draws. */
  constructor(onDraw) {
    this.board = new BoardView(byId("board"), onDraw);
    this.announced = null;
  }

  /**
   * Shows a table. `result` is the analysis of the position and `hint` an edge to recommend; either
   * may be null.
   */
  show(table, { watching, thinking, result, hint }) {
    const { game } = table;
    this.board.show(game, { open: table.personsTurn, result, hint });
    showPlayers(table);
    showControls(table, watching, thinking);
    const status = statusWords(table, thinking);
    const advice = hint === null ? "" : ` Hint: ${edgeName(game.board, hint)}.`;
    byId("status").textContent = table.fault ?? status + advice;
    this.announce(table, status, advice);
  }

  /** Announces changes to screen readers. */
  announce(table, status, advice) {
    const { game } = table;
    if (this.announced !== game) {
      const before = table.games[table.at - 1];
      const next = before !== undefined && before === this.announced;
      byId("announcer").textContent = next ? moveWords(before, game) : `After ${table.at} moves. ${status}`;
      this.announced = game;
    } else if (table.fault ?? advice) {
      byId("announcer").textContent = table.fault ?? advice;
    }
  }
}

function showPlayers({ game, seats }) {
  for (const seat of [0, 1]) {
    byId(`score-${seat}`).textContent = game.scores[seat];
    byId(`name-${seat}`).textContent = seats[seat].id === PERSON ? "" : seats[seat].name;
  }
  for (const card of document.querySelectorAll(".player")) {
    card.classList.toggle("active", !game.over && Number(card.dataset.seat) === game.mover);
  }
}

function showControls(table, watching, thinking) {
  const { game, at, atEnd, length } = table;
  const disabled = {
    undo: table.undoTo === null && !table.before, redo: table.redoTo === null, hint: !table.personsTurn, "move-now": !thinking,
    run: game.over || (atEnd && !table.seats[game.mover].bot),
    first: at === 0, back: at === 0, forward: atEnd, last: atEnd,
  };
  const hidden = {
    undo: watching, redo: watching, hint: watching, run: !watching,
    browse: !watching && atEnd && !table.held && !game.over,
    "play-on": watching || game.over || (atEnd && (!table.held || table.personsTurn)),
  };
  for (const [id, is] of Object.entries(disabled)) byId(id).disabled = is;
  for (const [id, is] of Object.entries(hidden)) byId(id).hidden = is;
  byId("run").textContent = table.running ? "Pause" : at > 0 ? "Go on" : "Start";
  byId("position").max = length;
  byId("position").value = at;
  byId("position-text").textContent = `${at} / ${length}`;
}
