// The stage: players and scores, the status and the balance of the game, the board, its ending, and
// the controls below.
import { BoardView } from "../board/board-view.js";
import { byId } from "../page/dom.js";
import { Ending } from "./ending.js";
import { costNote } from "../board/analysis-overlay.js";
import { PERSON } from "./table.js";
import { moveWords, statusWords } from "./game-words.js";
import { texts } from "../texts.js";

/** Windows in which the board stands beside the rest of the stage, as on a phone that lies. */
const LOW = matchMedia("(max-height: 540px) and (min-width: 560px)");

/** The ratios of width to height below which a board is tall, and above which it is flat. */
const TALL = 0.62;
const FLAT = 1.7;

export class Stage {
  /**
   * `onDraw` is called with the edge that a person draws, and `onPoint` with the edge that a person
   * points at while the analysis is shown, or null.
   */
  constructor(onDraw, onPoint) {
    this.board = new BoardView(byId("board"), onDraw, (edge) => {
      const cost = edge === null ? null : this.board.costs?.get(edge) ?? null;
      this.board.layers.detail.replaceChildren(...(cost ? [costNote(this.board.game.board, edge, cost)] : []));
      onPoint(cost ? edge : null);
    });
    this.ending = new Ending(this.board);
    this.announced = null;
    LOW.addEventListener("change", () => this.arrange());
  }

  /**
   * Shows a table. `result` is the analysis of the position, `hint` an edge to recommend, and `lesson`
   * what the review says about the last move, as `{words, better}`; each may be null. A review is
   * shown if `reviewing`, and the coordinates of the board if `named`.
   */
  show(table, { seated, watching, thinking, loading, result, hint, lesson, reviewing, named }) {
    const { game } = table;
    document.querySelector(".stage").classList.toggle("reviewing", reviewing);
    const isOther = this.board.game?.board.name !== game.board.name;
    this.board.show(game, { open: table.personsTurn, result, hint, named: named || hint !== null });
    this.board.light("better", lesson ? [lesson.better] : []);
    if (isOther) this.arrange();
    showPlayers(table);
    showBalance(game, result);
    showControls(table, { seated, watching, thinking, reviewing });
    this.ending.show(table);
    const status = statusWords(table, { thinking, loading, watching });
    const advice = hint === null ? "" : texts.play.hintIs(game.board.nameOf(hint));
    byId("status").textContent = table.fault ?? lesson?.words ?? `${status} ${advice}`.trim();
    this.announce(table, status, advice);
  }

  /** Puts a tall board, and any board in a low window, beside the rest of the stage. */
  arrange() {
    const { classList } = document.querySelector(".stage");
    classList.toggle("beside", LOW.matches || this.board.ratio < TALL);
    classList.toggle("flat", this.board.ratio > FLAT);
  }

  /** Announces changes to screen readers. */
  announce(table, status, advice) {
    const { game } = table;
    if (this.announced !== game) {
      const before = table.games[table.at - 1];
      const next = before !== undefined && before === this.announced;
      byId("announcer").textContent = next ? moveWords(table) : texts.play.afterMoves(table.at, status);
      this.announced = game;
    } else if (table.fault ?? advice) {
      byId("announcer").textContent = table.fault ?? advice;
    }
  }
}

function showPlayers({ game, seats, alone }) {
  for (const seat of [0, 1]) {
    const isPerson = seats[seat].id === PERSON;
    const name = isPerson ? (alone ? seats[seat].called ?? texts.play.you : texts.board.colors[seat]) : seats[seat].name;
    byId(`score-${seat}`).textContent = game.scores[seat];
    byId(`name-${seat}`).textContent = name;
    byId(`about-${seat}`).textContent = name === texts.board.colors[seat] ? "" : texts.board.colors[seat];
  }
  for (const card of document.querySelectorAll(".player")) {
    card.classList.toggle("active", !game.over && Number(card.dataset.seat) === game.mover);
  }
}

/** Shows each player's share of the boxes at the end, as the analysis expects it. */
function showBalance(game, result) {
  const bar = byId("balance");
  bar.classList.toggle("off", !result && !game.over);
  const { boxes } = game.board;
  const asBlue = (lead) => (result.mover === 0 ? lead : -lead);
  const share = (margin) => (boxes + margin) / 2;
  const isExact = game.over || (result && result.lower === result.upper);
  const margin = game.over ? game.margin(0) : result ? asBlue(isExact ? result.lower : result.expected) : 0;
  const [low, high] = result && !game.over ? [asBlue(result.lower), asBlue(result.upper)].sort((a, b) => a - b) : [margin, margin];
  const percent = (lead) => `${(100 * Math.max(0, Math.min(boxes, share(lead)))) / boxes}%`;
  bar.style.setProperty("--share", percent(margin));
  bar.style.setProperty("--low", percent(low));
  bar.style.setProperty("--high", percent(high));
  const [blue, orange] = [share(margin), share(-margin)].map((value) => value.toFixed(isExact ? 0 : 1));
  bar.setAttribute("aria-label", texts.play.balance(blue, orange, isExact));
  bar.title = bar.getAttribute("aria-label");
}

function showControls(table, { seated, watching, thinking, reviewing }) {
  const { game, at, atEnd, length } = table;
  const undone = table.undoTo !== null || table.before !== null;
  const redone = table.redoTo !== null || table.after !== null;
  const reviewed = reviewing && (table.held || atEnd);
  const waits = seated && length === 0 && table.held && table.seats[game.mover].bot !== null;
  const disabled = {
    undo: !undone, redo: !redone, hint: !table.personsTurn, "move-now": !thinking,
    run: game.over || (atEnd && !table.seats[game.mover].bot),
    first: at === 0, back: at === 0, forward: atEnd, last: atEnd,
    "play-on": game.over || (atEnd && !table.viewed && (!table.held || table.personsTurn)),
  };
  // What cannot be used is not shown, but for what a person waits for.
  const hidden = {
    undo: !seated || reviewed || (length === 0 && !undone), redo: !seated || reviewed || table.looksBack || !redone, hint: !seated || game.over || table.looksBack || table.person < 0, "move-now": !thinking,
    run: !watching && !waits, "play-on": watching, browse: length === 0,
  };
  for (const [id, is] of Object.entries(disabled)) byId(id).disabled = is;
  for (const [id, is] of Object.entries(hidden)) byId(id).hidden = is;
  byId("run").textContent = table.running ? texts.play.pause : at > 0 ? texts.play.goOn : texts.play.start;
  byId("position").max = length;
  byId("position").value = at;
  byId("position-text").textContent = `${at} / ${length}`;
}
