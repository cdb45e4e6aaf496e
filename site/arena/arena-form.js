// The settings of a match in the arena: its bots, the board, the number of games, their openings and the
// time for a move; and the button that starts and stops it.
import { BotChoice } from "./arena-bots.js";
import { fillBoards } from "../play/board-choice.js";
import { el, write } from "../page/dom.js";
import { Board } from "../doublecross/rules.js";
import { texts } from "../texts.js";

export class ArenaForm {
  /** `onRun` is called with the settings when the button is pressed, `onBoard` after a board was chosen. */
  constructor(bots, onRun, onBoard) {
    this.choice = new BotChoice();
    this.size = el("select", { id: "arena-size" });
    fillBoards(this.size, bots);
    const number = (id, attributes) => el("input", { type: "number", id: `arena-${id}`, required: true, ...attributes });
    this.games = number("games", { min: 2, max: 1000, step: 2, value: 10 });
    this.opening = number("opening", { min: 0, value: 6 });
    this.seconds = number("seconds", { min: 0.1, max: 600, step: 0.1, value: 10 });
    this.settings = el("fieldset", { class: "settings" }, this.choice.element,
      el("div", { class: "numbers" },
        el("label", {}, texts.arena.board, this.size), el("label", {}, texts.arena.games, this.games),
        el("label", {}, texts.arena.opening, this.opening), el("label", {}, texts.arena.seconds, this.seconds)));
    this.button = el("button", { id: "arena-run", class: "main", type: "submit" });
    this.note = el("span", { id: "arena-note", role: "status" });
    this.element = el("form", {}, this.settings, el("p", { class: "row" }, this.button, this.note));
    this.size.addEventListener("change", () => {
      this.limitOpening();
      onBoard();
    });
    this.limitOpening();
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.choice.chosen.length < 2) this.say(texts.arena.chooseTwo);
      else onRun(this.values);
    });
  }

  get board() {
    return Board.parse(this.size.value);
  }

  /** The settings of a match. */
  get values() {
    return {
      board: this.board, bots: this.choice.chosen, games: this.games.valueAsNumber, opening: this.opening.valueAsNumber,
      limit: 1000 * this.seconds.valueAsNumber,
    };
  }

  /** Allows as many random lines as the board has. */
  limitOpening() {
    const { edges } = this.board;
    this.opening.max = edges;
    if (this.opening.valueAsNumber > edges) this.opening.value = edges;
  }

  /** Shows whether a match is played, during which its settings stay. */
  show(running) {
    this.settings.disabled = running;
    this.button.textContent = running ? texts.arena.stop : texts.arena.start;
  }

  /** Says how the match is going. */
  say(words) {
    write(this.note, words);
  }
}
