// The results of a person's games: a table by strength and board, the latest games, export and
// deletion.
import { byId, el, save, signed } from "./dom.js";
import { clearResults, listenToResults, readResults, tally } from "./results.js";
import { allStrengths, strengthOf } from "./strengths.js";
import { COLORS } from "./table.js";

const LATEST = 20;

export class ScoresPanel {
  constructor() {
    listenToResults(() => this.show());
    byId("scores-export").addEventListener("click", () => {
      const { results, aside } = readResults();
      const all = aside.length ? { results, damaged: aside } : { results };
      save("doublecross-results.json", `${JSON.stringify(all, null, 1)}\n`);
    });
    byId("scores-clear").addEventListener("click", () => {
      if (!confirm("Delete all results in this browser?")) return;
      clearResults();
      this.show();
    });
  }

  /** Shows the results. */
  show() {
    const { results, fault } = readResults();
    byId("scores-note").textContent = fault
      ?? "Games with a hint, an undo or analysis, and games from a given position, are listed but do not count.";
    const strengths = allStrengths();
    const order = (row) => strengths.findIndex(({ id }) => id === row.strength);
    const rows = tally(results).sort((a, b) => order(a) - order(b) || a.board.localeCompare(b.board));
    byId("scores-table").replaceChildren(table(
      ["Bot", "Board", "Won", "Lost", "Tied", "Best margin"],
      rows.map((row) => [nameOf(row.strength), row.board, row.won, row.lost, row.tied, signed(row.best)]),
    ));
    byId("scores-latest").replaceChildren(table(
      ["Date", "Bot", "Board", "You played", "Margin", "Counts"],
      results.slice(-LATEST).reverse().map(({ date, strength, board, seat, margin, helps }) => {
        const counts = helps.length ? `no (${helps.join(", ")})` : "yes";
        return [date.slice(0, 10), nameOf(strength), board, COLORS[seat], signed(margin), counts];
      }),
    ));
  }
}

const nameOf = (id) => strengthOf(id)?.name ?? id;

function table(heads, rows) {
  if (!rows.length) return el("p", { class: "note" }, "No games yet.");
  return el("table", {},
    el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, ...rows.map((cells) => el("tr", {}, ...cells.map((cell) => el("td", {}, String(cell)))))));
}
