// The games to watch: a new one between two bots, or a recorded one from a match log.
import { fillBoards } from "./board-choice.js";
import { byId, el } from "../page/dom.js";
import { Board } from "../doublecross/rules.js";
import { readLog } from "../share/match-log.js";
import { botOptions } from "./play-panel.js";
import { GIVEN_NETWORKS } from "./strengths.js";
import { RECORDED, Table } from "./table.js";
import { texts } from "../texts.js";

const MAX_GAMES = 2000;
/** The largest log that is opened: some hundred thousand games. */
const MOST_BYTES = 64 * 2 ** 20;
const MAX_FAULTS = 3;

export class WatchPanel {
  /** `onOpen` is called with each new table. */
  constructor(bots, onOpen) {
    this.onOpen = onOpen;
    this.records = [];
    byId("watch-0").append(...botOptions());
    byId("watch-1").append(...botOptions());
    byId("watch-0").value = GIVEN_NETWORKS[0]?.id ?? "level:8";
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

  /** Returns a table for the two bots that are selected, whose game has not begun. */
  table() {
    const table = new Table(Board.parse(byId("watch-size").value), [byId("watch-0").value, byId("watch-1").value]);
    table.held = true;
    return table;
  }

  /** Starts a game between the bots. */
  live() {
    const table = this.table();
    table.held = false;
    table.follows = true;
    this.onOpen(table);
  }

  /** Reads a file that a person has chosen. */
  async open(input) {
    const file = input.files[0];
    if (!file) return;
    try {
      if (file.size > MOST_BYTES) throw new Error(texts.watch.tooLarge);
      this.offer(file.name, readLog(await file.text(), MAX_GAMES));
    } catch (error) {
      byId("replay-note").textContent = texts.watch.unreadable(file.name, error.message);
    }
    input.value = "";
  }

  /** Lists the games of a log that was read. */
  offer(name, { records, count, faults }) {
    const left = faults.slice(0, MAX_FAULTS).map(({ line, reason }) => texts.watch.line(line, reason));
    if (faults.length > MAX_FAULTS) left.push("…");
    const damage = faults.length ? texts.watch.leftOut(left) : null;
    const more = count > records.length ? texts.watch.firstOnly(records.length) : null;
    byId("replay-note").textContent = [texts.watch.games(name, count), more, damage].filter(Boolean).join(" ");
    byId("replay-choice").hidden = records.length < 2;
    this.records = records;
    byId("replay-games").replaceChildren(...records.map(({ names, scores, board }, index) => {
      const result = `${names.join(" – ")}, ${scores.join(" : ")}`;
      return el("option", { value: index }, `${index + 1}. ${result} (${board.name})`);
    }));
    if (records.length) this.choose(0);
  }

  /** Opens a game of the file. */
  choose(index) {
    const logged = this.records[index];
    const table = new Table(logged.board, logged.names.map((name) => name + RECORDED), logged.games());
    table.goTo(0);
    table.record = logged.record;
    this.onOpen(table);
  }
}
