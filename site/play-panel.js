// The settings of the next game: opponent, seat and board. They are kept in the browser's storage
// if there is one.
import { byId, el } from "./dom.js";
import { Board } from "./doublecross/rules.js";
import { descriptionOf, LEVELS, OTHER_BOTS, strengthOf } from "./strengths.js";
import { PERSON } from "./table.js";

const KEY = "doublecross.settings";
const FIELDS = ["opponent", "seat", "size"];
const FALLBACK = "5x5";

export class PlayPanel {
  /**
   * `onStart` is called to start a game with these settings, `onNetwork` after another network was
   * chosen for a board.
   */
  constructor(bots, onStart, onNetwork) {
    this.bots = bots;
    this.networksOf = null;
    byId("opponent").append(...levelOptions(), option(PERSON, "Another person"));
    byId("opponent").value = "level:3";
    fillBoards(byId("size"), bots);
    this.restore();
    this.note();
    byId("play-panel").addEventListener("change", (event) => {
      this.keep();
      this.note();
      if (event.target !== byId("network")) return;
      bots.choose(this.board, event.target.value);
      onNetwork();
    });
    byId("play-panel").addEventListener("submit", (event) => {
      event.preventDefault();
      onStart();
    });
  }

  get board() {
    return Board.parse(byId("size").value);
  }

  get seats() {
    const opponent = byId("opponent").value;
    return byId("seat").value === "0" ? [PERSON, opponent] : [opponent, PERSON];
  }

  /** Gives the person the other seat. */
  swapSeats() {
    choose(byId("seat"), byId("seat").value === "0" ? "1" : "0");
    this.keep();
  }

  /** Selects a board for the next game. */
  offer(board) {
    choose(byId("size"), board.name);
    this.note();
  }

  /** Offers the networks of the board, if there is a choice. */
  offerNetworks() {
    if (this.networksOf === this.board.name) return;
    this.networksOf = this.board.name;
    const networks = this.bots.networksFor(this.board);
    byId("network").replaceChildren(...networks.map(({ module, name }) => option(module, name ?? module)));
    byId("network-choice").hidden = networks.length < 2;
    if (networks.length) byId("network").value = this.bots.moduleFor(this.board);
  }

  /** Shows a description of the opponent. */
  note() {
    this.offerNetworks();
    const strength = strengthOf(byId("opponent").value);
    byId("seat").disabled = strength === null;
    const parts = strength ? [`${strength.name}: ${descriptionOf(strength)}.`] : ["Two people play on this screen."];
    if (strength?.bot === "net" && !this.bots.knows(this.board)) {
      parts.push("The network was trained on other boards, and plays this one by what it learned there.");
    }
    byId("play-note").textContent = parts.join(" ");
  }

  /** Saves the settings. */
  keep() {
    try {
      localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(FIELDS.map((id) => [id, byId(id).value]))));
    } catch {
      // The settings then last as long as the page.
    }
  }

  /** Restores the saved settings. */
  restore() {
    try {
      const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
      // A bot that is no level was chosen on an earlier version of the page.
      const former = OTHER_BOTS.find(({ id }) => id === kept?.opponent);
      if (former) byId("opponent").append(option(former.id, former.name));
      for (const id of FIELDS) choose(byId(id), kept?.[id]);
    } catch {
      // Damaged settings are ignored.
    }
  }
}

const option = (value, name) => el("option", { value }, name);

/** Returns an option for each level. */
function levelOptions() {
  return LEVELS.map(({ id, label }) => option(id, label));
}

/** Returns an option for each bot, in two groups. */
export function botOptions() {
  const others = OTHER_BOTS.map(({ id, name }) => option(id, name));
  return [el("optgroup", { label: "Levels" }, ...levelOptions()), el("optgroup", { label: "Other bots" }, ...others)];
}

/** Selects a value if there is an option with it. */
function choose(select, value) {
  if ([...select.options].some((candidate) => candidate.value === value)) select.value = value;
}

/** Fills a select with all boards, those with a network first. */
export function fillBoards(select, bots) {
  const group = (label, boards) => {
    const options = boards.map(({ name, rows, cols }) => option(name, `${rows} × ${cols}`));
    if (options.length) select.append(el("optgroup", { label }, ...options));
  };
  group("With a network of its own", Board.all().filter((board) => bots.knows(board)));
  group("Other boards", Board.all().filter((board) => !bots.knows(board)));
  choose(select, FALLBACK);
  choose(select, bots.modules[0]?.board);
}
