// The list of the moves of a game, with their costs where a review knows them. A click goes to the position.
import { byId, el, showBoard } from "../page/dom.js";
import { texts } from "../texts.js";

export class MoveList {
  /** `goTo` is called with the index of a state, and `light` with the edges to highlight on the board. */
  constructor(goTo, light) {
    this.goTo = goTo;
    this.light = light;
    /** The states of the game whose moves are listed, and the margins from which their costs are. */
    this.listed = { games: null, margins: null };
  }

  /** Lists the moves of a table's game, unless they are listed already. `costs` are those that `margins` give. */
  show(table, costs, margins) {
    if (this.listed.games === table.games && this.listed.margins === margins) return;
    const kept = this.listed.margins === margins ? this.listed.games ?? [] : [];
    this.listed = { games: table.games, margins };
    const list = byId("review-moves");
    const known = new Map(margins ? costs.map((cost) => [cost.at, cost]) : []);
    // The items of moves that have stayed the same stay, and so does the focus.
    let same = 0;
    while (same < table.length && same + 1 < kept.length && kept[same + 1] === table.games[same + 1]) same++;
    while (list.children.length > same) list.lastChild.remove();
    for (let at = same; at < table.length; at++) list.append(this.item(table.games[at + 1], at, known.get(at)));
  }

  /** Returns the list item of the move that led to `after`, whose cost may be known. */
  item(after, at, cost) {
    const seat = after.before.mover;
    const name = after.board.nameOf(after.last);
    const taken = after.captured.length ? `+${after.captured.length}` : "";
    const on = () => this.light([after.last]);
    const off = () => this.light([]);
    return el("li", {},
      el("button", {
        type: "button", "data-at": at + 1, class: costClass(cost), title: cost ? texts.review.cost(cost.cost, cost.exact) : texts.review.goTo,
        onclick: () => {
          this.goTo(at + 1);
          showBoard();
        },
        onmouseenter: on, onfocus: on, onmouseleave: off, onblur: off,
      },
      el("span", { class: "number" }, `${at + 1}.`),
      el("span", { class: `move by-${seat}`, "aria-label": texts.board.move(seat, name) }, name),
      el("span", { class: `taken by-${seat}`, "aria-label": taken && texts.review.takes(after.captured.length) }, taken),
      el("span", { class: "cost" }, cost ? worthOf(cost) : ""),
      cost?.mistake && el("span", { class: "words" }, cost.mistake.words)));
  }
}

const worthOf = ({ cost, exact }) => (exact ? String(cost) : `≈ ${cost.toFixed(1)}`);

const costClass = (cost) => (cost ? `${cost.mistake ? "blunder" : ""} ${cost.exact ? "exact" : "expected"}` : "");

/** Marks what belongs to the state on show, in lists and charts, and scrolls a list to it. */
export function markState(at) {
  if (at === 0) byId("review-moves").scrollTop = 0;
  for (const mark of document.querySelectorAll("[data-at]")) {
    const here = Number(mark.dataset.at) === at;
    if (here && !mark.classList.contains("here")) reveal(mark);
    mark.classList.toggle("here", here);
  }
}

/** Scrolls a list so that an item of it is visible, without scrolling the page. */
function reveal(mark) {
  const list = mark.closest("ol");
  if (!list) return;
  const { offsetTop, offsetHeight } = mark;
  if (offsetTop < list.scrollTop) list.scrollTop = offsetTop;
  const below = offsetTop + offsetHeight - list.clientHeight;
  if (below > list.scrollTop) list.scrollTop = below;
}
