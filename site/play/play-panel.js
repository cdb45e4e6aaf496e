// The settings of the next game: board, opponent and who begins. They are kept in the browser's storage if there is one.
// A game that has not begun follows them; once it has, they fold away.
import { BoardChoice } from "./board-choice.js";
import { Choice } from "./choice.js";
import { byId, el } from "../page/dom.js";
import { Board } from "../doublecross/rules.js";
import { Ladder } from "./ladder.js";
import { readResults, resultsIn, starsOf } from "../scores/results.js";
import { settingText } from "../scores/stored-value.js";
import { GIVEN_NETWORKS, LEVELS, OTHER_BOTS, strengthOf } from "./strengths.js";
import { PERSON } from "./table.js";
import { texts } from "../texts.js";

/** What somebody plays who has never played here. */
const FIRST = { opponent: "level:1", seat: "0", size: "3x3" };
const FIELDS = Object.keys(FIRST);

export class PlayPanel {
  /**
   * `onStart` is called to start a game with these settings, `onChange` after they have changed, and
   * `onNetwork` after another network was chosen for a board.
   */
  constructor(bots, { onStart, onChange, onNetwork }) {
    this.bots = bots;
    this.networksOf = null;
    this.choices = {
      opponent: new Ladder(),
      seat: new Choice(byId("seat"), [{ value: "0", label: [texts.play.you] }, { value: "1", label: [texts.play.yourOpponent] }]),
      size: new BoardChoice(bots),
    };
    /** True while the settings are open beside a game that has begun. */
    this.opened = false;
    this.restore();
    if (GIVEN_NETWORKS.length) this.choices.opponent.value = GIVEN_NETWORKS[0].id;
    this.suit(GIVEN_NETWORKS[0]);
    this.note();
    this.showStars();
    resultsIn().listen(() => this.showStars());
    byId("setup-open").addEventListener("click", () => {
      this.opened = !this.opened;
      onChange();
      if (this.opened) byId("opponent").querySelector(":checked").focus();
    });
    byId("play-panel").addEventListener("change", (event) => {
      if (event.target === byId("network")) {
        bots.choose(this.board, event.target.value);
        return onNetwork();
      }
      if (event.target.name === "opponent") this.suit(strengthOf(this.opponent));
      this.choices.size.arrange();
      this.keep();
      this.note();
      onChange();
    });
    byId("play-panel").addEventListener("submit", (event) => {
      event.preventDefault();
      this.opened = false;
      onStart();
    });
  }

  get board() {
    return Board.parse(this.choices.size.value);
  }

  get opponent() {
    return this.choices.opponent.value;
  }

  get seats() {
    return this.choices.seat.value === "0" ? [PERSON, this.opponent] : [this.opponent, PERSON];
  }

  /** Gives the person the other seat, until the page is left. */
  swapSeats() {
    this.choices.seat.value = this.choices.seat.value === "0" ? "1" : "0";
  }

  /** Selects a board for the next game. */
  offer(board) {
    this.choices.size.value = board.name;
    this.note();
  }

  /** Selects a board that an opponent was trained on, unless one is selected. */
  suit(strength) {
    if (strength?.boards && !strength.boards.includes(this.board.name)) this.choices.size.value = strength.boards[0];
  }

  /** Folds the settings away beside a game that has begun, and names what it is. */
  show(table) {
    byId("welcome").hidden = this.hasPlayed || table.helps.has("position");
    const begun = table.length > 0 || table.running;
    byId("setup").hidden = begun && !this.opened;
    byId("setup-open").hidden = !begun;
    byId("setup-open").textContent = this.opened ? texts.play.close : texts.play.change;
    byId("setup-open").setAttribute("aria-expanded", String(this.opened));
    byId("again").hidden = !table.game.over || table.person < 0;
    byId("setup-summary").hidden = !byId("setup").hidden;
    byId("setup-summary").textContent = summaryOf(table);
    byId("new-game").textContent = begun ? texts.play.newGame : texts.play.start;
  }

  /** Shows the stars that a person has won. */
  showStars() {
    const { results } = readResults();
    this.hasPlayed = results.length > 0;
    this.choices.opponent.show((id) => starsOf(results, id));
  }

  /** Offers the networks of the board, if there is a choice. */
  offerNetworks() {
    if (this.networksOf === this.board.name) return;
    this.networksOf = this.board.name;
    const networks = this.bots.networksFor(this.board);
    byId("network").replaceChildren(...networks.map(({ module, name }) => el("option", { value: module }, name ?? module)));
    byId("network-choice").hidden = networks.length < 2;
    if (networks.length) byId("network").value = this.bots.moduleFor(this.board);
  }

  /** Says what is special about the opponent on the board. */
  note() {
    this.offerNetworks();
    const strength = strengthOf(this.opponent);
    byId("seat").hidden = strength === null;
    const isTrained = strength?.boards ? strength.boards.includes(this.board.name) : this.bots.knows(this.board);
    byId("play-note").textContent = strength?.bot === "net" && !isTrained ? texts.play.untrained : "";
  }

  /** Saves the settings. */
  keep() {
    settingText("settings", JSON.stringify(Object.fromEntries(FIELDS.map((id) => [id, this.choices[id].value]))));
  }

  /** Restores the saved settings. */
  restore() {
    let kept = null;
    try {
      kept = JSON.parse(settingText("settings"));
    } catch {
      // Damaged settings are ignored.
    }
    for (const id of FIELDS) {
      this.choices[id].value = FIRST[id];
      this.choices[id].value = kept?.[id];
    }
  }
}

/** Returns who plays at a table, and on which board. */
function summaryOf({ seats, person, alone, board }) {
  const size = `${board.rows} × ${board.cols}`;
  if (person < 0) return texts.play.twoBots(seats[0].name, seats[1].name, size);
  return alone ? texts.play.against(seats[1 - person].name, size) : texts.play.twoPeople(size);
}

/** Returns an option for each bot, in groups. */
export function botOptions() {
  const option = ({ id, label, name }) => el("option", { value: id }, label ?? name);
  const groups = [[texts.bots.networks, GIVEN_NETWORKS], [texts.bots.allLevels, LEVELS], [texts.bots.others, OTHER_BOTS]];
  return groups.filter(([, bots]) => bots.length).map(([label, bots]) => el("optgroup", { label }, ...bots.map(option)));
}
