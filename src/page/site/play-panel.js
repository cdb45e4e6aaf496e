// What a person chooses for the next game: opponent, seat and board. Kept in the browser where it keeps anything.
import { byId, el } from "./dom.js";
import { boardOf } from "./notation.js";
import { Board } from "./rules.js";
import { saysOf, STRENGTHS, strengthOf } from "./strengths.js";
import { PERSON } from "./table.js";

const KEY = "doublecross.settings";
const FIELDS = ["opponent", "seat", "size"];
const FALLBACK = "5x5";

export class PlayPanel {
  /** `begin` is called to start a game with what is chosen. */
  constructor(bots, begin) {
    this.bots = bots;
    byId("opponent").append(...strengthOptions(), option(PERSON, "Another person"));
    byId("opponent").value = "medium";
    fillBoards(byId("size"), bots);
    this.restore();
    this.note();
    byId("play-panel").addEventListener("change", () => {
      this.keep();
      this.note();
    });
    byId("play-panel").addEventListener("submit", (event) => {
      event.preventDefault();
      begin();
    });
  }

  get board() {
    return boardOf(byId("size").value);
  }

  get seats() {
    const opponent = byId("opponent").value;
    return byId("seat").value === "0" ? [PERSON, opponent] : [opponent, PERSON];
  }

  /** Offers a board for the next game, where there is one like it. */
  offer(board) {
    choose(byId("size"), board.name);
    this.note();
  }

  note() {
    const strength = strengthOf(byId("opponent").value);
    byId("seat").disabled = strength === null;
    const parts = strength ? [`${strength.name}: ${saysOf(strength)}.`] : ["Two people at one screen."];
    if (strength?.bot === "net" && !this.bots.knows(this.board)) {
      parts.push("No network was trained for this board: random games and the exact solver stand in for it.");
    }
    byId("play-note").textContent = parts.join(" ");
  }

  keep() {
    try {
      localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(FIELDS.map((id) => [id, byId(id).value]))));
    } catch {
      // the choice then lasts as long as the page
    }
  }

  restore() {
    try {
      const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
      for (const id of FIELDS) choose(byId(id), kept?.[id]);
    } catch {
      // damaged settings are as good as none
    }
  }
}

const option = (value, name) => el("option", { value }, name);

export function strengthOptions() {
  return STRENGTHS.map(({ id, name }) => option(id, name));
}

/** Chooses a value where there is such an option. */
function choose(select, value) {
  if ([...select.options].some((candidate) => candidate.value === value)) select.value = value;
}

/** Offers every board, those with a network of their own first. */
export function fillBoards(select, bots) {
  const group = (label, boards) => {
    const options = boards.map(({ name, rows, cols }) => option(name, `${rows} × ${cols}`));
    if (options.length) select.append(el("optgroup", { label }, ...options));
  };
  group("With a network", Board.all().filter((board) => bots.knows(board)));
  group("Other boards", Board.all().filter((board) => !bots.knows(board)));
  choose(select, bots.knows({ name: FALLBACK }) ? FALLBACK : (bots.modules[0]?.board ?? FALLBACK));
}
