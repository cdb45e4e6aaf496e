// The games of a person as a table, each with its comment and a button that opens it.
import { el, fit } from "../page/dom.js";
import { keyOf, LONGEST_COMMENT, scoreOf } from "./results.js";
import { allStrengths, strengthOf } from "../play/strengths.js";
import { texts } from "../texts.js";

/** Compares bots: the weakest first, and those that the page has no longer last. */
export function byStrength(one, other) {
  const ids = allStrengths().map(({ id }) => id);
  const order = (id) => (ids.includes(id) ? ids.indexOf(id) : ids.length);
  return order(one) - order(other) || one.localeCompare(other);
}

/** Returns the name of a bot, or its id if the page has it no longer. */
export const nameOf = (strength) => strengthOf(strength)?.name ?? strength;

/** Returns the date of a result in words, as in "Nov 25, 2025", or as it is if it cannot be read. */
export function dateWords(date) {
  const time = new Date(date);
  return Number.isNaN(time.getTime()) ? date : texts.scores.date(time);
}

/** Returns a time as in 3:20 or 1:03:20, or nothing if it is not known. */
export function timeWords(seconds) {
  if (seconds === undefined) return "";
  const two = (number) => String(number).padStart(2, "0");
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(whole % 60)}`;
}

/** Returns the score of a result, the person's boxes first. */
export function scoreParts(result) {
  const [mine, theirs] = scoreOf(result);
  const { seat } = result;
  return [el("b", { class: `by-${seat}` }, String(mine)), " – ", el("b", { class: `by-${1 - seat}` }, String(theirs))];
}

/** Returns a button that opens the game of a result, or null if its moves are not kept. */
export function openButton(result, onOpen) {
  if (!result.moves) return null;
  return el("button", { type: "button", "aria-label": texts.scores.openGame(...aboutOf(result)), onclick: () => onOpen(result) }, texts.scores.open);
}

const aboutOf = ({ strength, board, date }) => [nameOf(strength), board, dateWords(date)];

export class GamesTable {
  /** `onOpen` is called with a result whose game is to be opened, and `onComment` with a result and a new comment. */
  constructor(parent, onOpen, onComment) {
    Object.assign(this, { parent, onOpen, onComment });
    /** The rows on show by the keys of their results. They stay while others come, with what is being written in them. */
    this.rows = new Map();
    this.body = el("tbody");
    this.table = el("table", { class: "games" },
      el("thead", {}, el("tr", {}, ...texts.scores.heads.map((head) => el("th", { scope: "col" }, head)))), this.body);
  }

  /** Shows results in this order. */
  show(results) {
    this.rows = new Map(results.map((result) => {
      const key = `${keyOf(result)} ${Boolean(result.moves)}`;
      const row = this.rows.get(key) ?? this.row(result);
      const input = row.querySelector("input");
      if (input !== document.activeElement) input.value = result.comment ?? "";
      return [key, row];
    }));
    fit(this.body, [...this.rows.values()]);
    fit(this.parent, results.length ? [this.table] : [el("p", { class: "note" }, texts.scores.none)]);
  }

  row(result) {
    const { date, strength, board, seat, seconds, helps } = result;
    const cell = (name, ...parts) => el("td", { class: name, "data-word": texts.scores.words[name] }, ...parts);
    const comment = el("input", {
      type: "text", maxlength: LONGEST_COMMENT, placeholder: texts.scores.comment, "aria-label": texts.scores.commentOn(...aboutOf(result)),
      onchange: () => this.onComment(result, comment.value),
    });
    return el("tr", { tabindex: -1 },
      cell("date", el("time", { datetime: date, title: texts.scores.dateAndTime(new Date(date)) }, dateWords(date))),
      cell("opponent", nameOf(strength)), cell("board", board), cell(`seat by-${seat}`, texts.board.colors[seat]),
      cell("score", ...scoreParts(result)), cell("time", timeWords(seconds)), cell("help", helps.map((help) => texts.scores.helps[help] ?? help).join(", ")),
      cell("comment", comment), cell("open", openButton(result, this.onOpen) ?? el("span", { class: "note" }, texts.scores.notKept)));
  }

  /** Moves the focus to a row. */
  focus(at) {
    this.body.children[at]?.focus();
  }
}
