// The high scores: a row for each bot and board, and its best games below it.
import { el, fit, signed } from "../page/dom.js";
import { byStrength, dateWords, nameOf, openButton, scoreParts, timeWords } from "./games-table.js";
import { scoreOf, tally } from "./results.js";
import { texts } from "../texts.js";

export class HighScores {
  /** `onOpen` is called with a result whose game is to be opened. */
  constructor(parent, onOpen) {
    Object.assign(this, { parent, onOpen });
    /** The groups of rows on show, by what they show. */
    this.groups = new Map();
    /** The bots and boards whose best games are on show. */
    this.opened = new Set();
    const heads = texts.scores.highHeads.map((head) => el("th", { scope: "col" }, head));
    this.table = el("table", { class: "high" }, el("thead", {}, el("tr", {}, ...heads)));
  }

  /** Shows the high scores of results. */
  show(results) {
    const rows = tally(results).sort((a, b) => byStrength(a.strength, b.strength) || a.board.localeCompare(b.board));
    this.groups = new Map(rows.map((row) => {
      const key = JSON.stringify(row);
      return [key, this.groups.get(key) ?? this.group(row)];
    }));
    fit(this.table, [this.table.tHead, ...this.groups.values()]);
    fit(this.parent, rows.length ? [this.table] : [el("p", { class: "note" }, texts.scores.none)]);
  }

  group(row) {
    const { strength, board, games, won, lost, tied, share, mean, best } = row;
    const name = `${strength} ${board}`;
    const list = el("tr", { class: "list", hidden: !this.opened.has(name) },
      el("td", { colspan: texts.scores.highHeads.length }, el("ol", {}, ...best.map((result) => this.item(result)))));
    const toggle = el("button", {
      type: "button", "aria-expanded": String(!list.hidden),
      "aria-label": texts.scores.bestGames(scoreOf(best[0]).join(" – "), nameOf(strength), board),
      onclick: () => {
        list.hidden = !list.hidden;
        toggle.setAttribute("aria-expanded", String(!list.hidden));
        if (list.hidden) this.opened.delete(name);
        else this.opened.add(name);
      },
    }, ...scoreParts(best[0]));
    const cells = {
      opponent: nameOf(strength), board, all: games, won, lost, tied,
      share: `${Math.round(100 * share)}%`, mean: signed(mean, 1), best: toggle,
    };
    const cell = ([name, content]) => el("td", { class: name, "data-word": texts.scores.words[name] }, content);
    return el("tbody", {}, el("tr", {}, ...Object.entries(cells).map(cell)), list);
  }

  item(result) {
    const { name, seconds, date, comment } = result;
    const about = [name, timeWords(seconds), dateWords(date)].filter(Boolean).join(" · ");
    return el("li", {},
      el("span", { class: "score" }, ...scoreParts(result)), el("span", { class: "note" }, about),
      comment ? el("q", {}, comment) : null, openButton(result, this.onOpen));
  }
}
