// A mistake tried again: the position before it, in which a person draws another line and the solver judges it.
import { BotClient } from "../page/bots.js";
import { byId, focusBoard } from "../page/dom.js";
import { Grader, isBest } from "../learn/grader.js";
import { LearnPart } from "../learn/learn-part.js";
import { texts } from "../texts.js";

export class RetryPanel extends LearnPart {
  /** `light` is called with the edges to light up on the board, and `onChange` after each change. */
  constructor(bots, light, onChange) {
    super(new Grader(new BotClient(bots), bots.levels), onChange);
    this.highlight = light;
    for (const name of ["retry", "light", "again"]) {
      byId(`try-${name}`).addEventListener("click", () => {
        if (this.act(name) === "board") focusBoard();
      });
    }
  }

  /** Asks for a better line than the one that followed these states. */
  ask(games) {
    const start = games.at(-1);
    this.begin({
      games,
      async grade(grader, game, edge) {
        const right = isBest(game, await grader.analyze(game), edge);
        if (right === null) throw new Error(texts.learn.unsolved);
        return right;
      },
      isOver: (game) => game !== start,
    });
  }

  /** Shows what is asked, or what came of the answer. */
  show() {
    const { phase, person } = this.exercise;
    const solved = phase === "solved";
    const { words = texts.review.ask(person), tone = "", buttons = [] } = solved
      ? { words: texts.review.right, tone: "right" } : this.answer;
    byId("retry-words").textContent = words;
    byId("retry-words").dataset.tone = tone;
    const offered = [...buttons.map(([name]) => name), ...(phase === "asking" ? ["light"] : [])];
    for (const name of ["retry", "light", "again"]) byId(`try-${name}`).hidden = !offered.includes(name);
    this.highlight(this.lit);
  }
}
