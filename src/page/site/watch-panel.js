// What can be watched: a new game of two bots, or a game from a replay or match log.
import { byId, count, el } from "./dom.js";
import { readLog } from "./log.js";
import { boardOf } from "./notation.js";
import { fillBoards, strengthOptions } from "./play-panel.js";
import { Game } from "./rules.js";
import { Table } from "./table.js";

const MOST_SHOWN = 2000;
const FAULTS_TOLD = 3;

export class WatchPanel {
  /** `opened` is called with each new table. */
  constructor(bots, opened) {
    this.opened = opened;
    this.records = [];
    byId("watch-0").append(...strengthOptions());
    byId("watch-1").append(...strengthOptions());
    byId("watch-0").value = "medium";
    byId("watch-1").value = "chains";
    fillBoards(byId("watch-size"), bots);
    byId("live").addEventListener("submit", (event) => {
      event.preventDefault();
      this.live();
    });
    byId("replay-file").addEventListener("change", (event) => this.open(event.target));
    byId("replay-games").addEventListener("change", (event) => this.choose(Number(event.target.value)));
  }

  get pause() {
    return Number(byId("speed").value);
  }

  /** A table for the two bots chosen, not yet begun. */
  table() {
    const table = new Table(boardOf(byId("watch-size").value), [byId("watch-0").value, byId("watch-1").value]);
    table.held = true;
    return table;
  }

  live() {
    const table = this.table();
    table.held = false;
    table.follows = true;
    this.opened(table);
  }

  async open(input) {
    const file = input.files[0];
    if (!file) return;
    try {
      const { records, faults } = readLog(await file.text());
      this.offer(file.name, records, faults);
    } catch (error) {
      byId("replay-note").textContent = `${file.name} cannot be read: ${error.message}`;
    }
    input.value = "";
  }

  offer(name, records, faults) {
    const told = faults.slice(0, FAULTS_TOLD).map(({ line, why }) => `line ${line} (${why})`);
    if (faults.length > FAULTS_TOLD) told.push("…");
    const damage = faults.length ? ` Left out: ${told.join("; ")}.` : "";
    const more = records.length > MOST_SHOWN ? ` The first ${MOST_SHOWN} are listed.` : "";
    byId("replay-note").textContent = `${name}: ${count(records.length, "game")}.${more}${damage}`;
    byId("replay-choice").hidden = records.length < 2;
    this.records = records.slice(0, MOST_SHOWN);
    byId("replay-games").replaceChildren(...this.records.map(({ names, game }, index) => {
      const result = `${names.join(" – ")}, ${game.scores.join(" : ")}`;
      return el("option", { value: index }, `${index + 1}. ${result} (${game.board.name})`);
    }));
    if (records.length) this.choose(0);
  }

  choose(index) {
    const { names, game, record } = this.records[index];
    const table = new Table(game.board, names.map((name) => `${name} (replay)`), Game.replay(game.board, game.moves));
    table.goTo(0);
    table.record = record;
    this.opened(table);
  }
}
