// The results of a person's games: high scores by bot and board, the games by opponent, and the
// person's name.
import { byId, el } from "../page/dom.js";
import { byStrength, GamesTable, nameOf } from "./games-table.js";
import { HighScores } from "./high-scores.js";
import { showNotice } from "../page/notices.js";
import { nameIn, readResults, resultsIn, setComment } from "./results.js";
import { listenToFiles } from "./scores-file.js";
import { texts } from "../texts.js";

/** The number of games that are shown at first, and added with each "More". */
const AT_ONCE = 20;

export class ScoresPanel {
  /** `onOpen` is called with a result whose game is to be opened. */
  constructor(onOpen) {
    this.name = nameIn();
    this.most = AT_ONCE;
    this.high = new HighScores(byId("scores-table"), onOpen);
    this.games = new GamesTable(byId("scores-latest"), onOpen, (result, comment) => {
      showNotice("scores", setComment(result, comment));
      this.show();
    });
    byId("scores-name").addEventListener("change", ({ target }) => {
      this.name.update(() => target.value.trim());
      this.show();
    });
    byId("scores-opponent").addEventListener("change", () => {
      this.most = AT_ONCE;
      this.show();
    });
    byId("scores-more").addEventListener("click", () => {
      const { most } = this;
      this.most += AT_ONCE;
      this.show();
      this.games.focus(most);
    });
    for (const kept of [resultsIn(), this.name]) kept.listen(() => this.show());
    listenToFiles(() => this.show());
  }

  /** Shows the results, unless they are hidden. */
  show(visible = !byId("scores").hidden) {
    if (!visible) return;
    const { results, fault } = readResults();
    byId("scores-note").textContent = [fault ?? texts.scores.note, this.name.fault].filter(Boolean).join(" ");
    if (byId("scores-name") !== document.activeElement) byId("scores-name").value = this.name.value;
    this.offerOpponents(results);
    const opponent = byId("scores-opponent").value;
    const games = results.filter(({ strength }) => opponent === "" || strength === opponent).reverse();
    this.high.show(games);
    this.games.show(games.slice(0, this.most));
    byId("scores-more").hidden = games.length <= this.most;
    byId("scores-shown").textContent = games.length ? texts.scores.shown(Math.min(this.most, games.length), games.length) : "";
  }

  /** Offers the bots that were played, in the order of their strength. */
  offerOpponents(results) {
    const select = byId("scores-opponent");
    const chosen = select.value;
    const played = [...new Set(results.map(({ strength }) => strength))].sort(byStrength);
    select.replaceChildren(el("option", { value: "" }, texts.scores.all), ...played.map((id) => el("option", { value: id }, nameOf(id))));
    select.value = played.includes(chosen) ? chosen : "";
  }
}
