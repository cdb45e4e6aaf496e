// The settings of the next game: opponent, seat and board. They are kept in the browser's storage
// if there is one.
import { byId, el } from "./dom.js";
import { Board } from "./doublecross/rules.js";
import { descriptionOf, GIVEN_NETWORKS, LEVELS, OTHER_BOTS, strengthOf } from "./strengths.js";
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
    byId("opponent").append(...givenOptions(), ...levelOptions(), option(PERSON, "Another person"));
    byId("opponent").value = "level:3";
    fillBoards(byId("size"), bots);
    this.restore();
    if (GIVEN_NETWORKS.length) this.suggest(GIVEN_NETWORKS[0]);
    this.note();
    byId("play-panel").addEventListener("change", (event) => {
      if (event.target === byId("opponent")) this.suit(strengthOf(byId("opponent").value));
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

  /** Selects an opponent for the next game, on a board that it was trained on. */
  suggest(strength) {
    choose(byId("opponent"), strength.id);
    this.suit(strength);
  }

  /** Selects a board that an opponent was trained on, unless one is selected. */
  suit(strength) {
    if (strength?.boards && !strength.boards.includes(this.board.name)) choose(byId("size"), strength.boards[0]);
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
    const isTrained = strength?.boards ? strength.boards.includes(this.board.name) : this.bots.knows(this.board);
    if (strength?.bot === "net" && !isTrained) {
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
      for (const id of FIELDS) choose(byId(id), kept?.[id]);
    } catch {
      // Damaged settings are ignored.
    }
  }
}

const option = (value, name) => el("option", { value }, name);

/** Returns an option for each level. */
const levelOptions = () => LEVELS.map(({ id, label }) => option(id, label));

/** Returns the group of the networks that `serve` was given, if there are any. */
function givenOptions() {
  const options = GIVEN_NETWORKS.map(({ id, label }) => option(id, label));
  return options.length ? [el("optgroup", { label: "Your networks" }, ...options)] : [];
}

/** Returns an option for each bot, in groups. */
export function botOptions() {
  const others = OTHER_BOTS.map(({ id, name }) => option(id, name));
  return [
    ...givenOptions(), el("optgroup", { label: "Levels" }, ...levelOptions()),
    el("optgroup", { label: "Other bots" }, ...others),
  ];
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
