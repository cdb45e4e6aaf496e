// The ladder of opponents: the networks that `serve` was given, the levels with what each is like and the stars that a
// person has won against it, and another person.
import { Choice } from "./choice.js";
import { byId, el } from "../page/dom.js";
import { descriptionOf, GIVEN_NETWORKS, LEVELS } from "./strengths.js";
import { PERSON } from "./table.js";
import { texts } from "../texts.js";

const MOST_STARS = 3;

export class Ladder extends Choice {
  constructor() {
    const stars = new Map(LEVELS.map(({ id }) => [id, el("span", { class: "stars", role: "img" })]));
    super(byId("opponent"), [
      ...GIVEN_NETWORKS.map((network) => rung(network, "◇", null)),
      ...LEVELS.map((level, index) => rung(level, index + 1, stars.get(level.id))),
      rung({ id: PERSON, name: texts.play.anotherPerson, description: texts.play.twoHere }, "&", null),
    ]);
    this.stars = stars;
  }

  /** Shows the stars that were won: `starsOf` is given a level's id and returns their number. */
  show(starsOf) {
    for (const [id, place] of this.stars) {
      const won = starsOf(id);
      place.textContent = "★".repeat(won) + "☆".repeat(MOST_STARS - won);
      place.setAttribute("aria-label", texts.play.stars(won, MOST_STARS));
      place.classList.toggle("none", won === 0);
    }
  }
}

/** Returns the option of an opponent, with its sign and its stars. */
function rung(strength, sign, stars) {
  const name = strength.label?.includes(":") ? strength.label : strength.name;
  return {
    value: strength.id,
    kind: "rung",
    label: [
      el("span", { class: "number", "aria-hidden": "true" }, String(sign)),
      el("b", {}, name),
      stars ?? el("span"),
      el("span", { class: "like" }, descriptionOf(strength)),
    ],
  };
}
