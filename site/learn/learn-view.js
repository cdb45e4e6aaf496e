// The texts and buttons of the learn tab: what to do above the board, and beside or below it what
// came of it.
import { byId, el, write } from "../page/dom.js";
import { texts } from "../texts.js";

/** The buttons that go on, as opposed to those that help. */
const MAIN = ["next", "retry", "start", "load"];

/** The signs of right and wrong answers, beside their colors. */
const SIGNS = { right: "✓", wrong: "✗" };

export class LearnView {
  /** `onPart` is called with the name of a part, `onAction` with that of a button. */
  constructor(onPart, onAction) {
    const button = (name, text, act) =>
      el("button", { type: "button", id: `learn-${name}`, onclick: () => act(name) }, text);
    this.parts = Object.entries(texts.learn.parts).map(([name, text]) => button(name, text, onPart));
    this.title = el("h2", { id: "learn-title", tabindex: "-1" });
    this.teach = el("p", { id: "learn-teach" });
    this.task = el("p", { id: "learn-task" });
    const parts = el("div", { class: "row parts", role: "group", "aria-label": texts.learn.ways }, ...this.parts);
    byId("learn-text").append(parts, this.title, this.teach, this.task);
    this.sign = el("span", { class: "sign", "aria-hidden": "true" });
    this.words = el("span", { id: "learn-words" });
    this.feedback = el("p", { id: "learn-feedback", role: "status" }, this.sign, this.words);
    this.buttons = new Map(Object.entries(texts.learn.buttons).map(([name, text]) => [name, button(name, text, onAction)]));
    this.more = el("div", { id: "learn-more" });
    this.answer = el("div", { class: "answer" }, this.feedback,
      el("div", { class: "row", id: "learn-buttons" }, ...this.buttons.values()));
    byId("learn-panel").append(this.answer, this.more);
  }

  /**
   * Shows a part: its `title`, `teach`, `task`, `words` with a `tone`, the visible `buttons`, each as
   * `[name]` or `[name, text]`, and `more` below.
   */
  show(name, { title, teach = "", task = "", words = "", tone = "", buttons = [], more }) {
    this.parts.forEach((button) => button.setAttribute("aria-pressed", String(button.id === `learn-${name}`)));
    const isNew = words !== "" && words !== this.words.textContent;
    for (const [name, text] of Object.entries({ title, teach, task, words })) write(this[name], text);
    this.sign.textContent = SIGNS[tone] ?? "";
    this.feedback.dataset.tone = tone;
    this.feedback.hidden = words === "";
    for (const [known, button] of this.buttons) {
      const at = buttons.findIndex(([shown]) => shown === known);
      button.hidden = at < 0;
      if (at < 0) continue;
      button.textContent = buttons[at][1] ?? texts.learn.buttons[known];
      button.style.order = at;
      button.classList.toggle("main", MAIN.includes(known));
    }
    byId("learn-buttons").hidden = buttons.length === 0;
    if (this.more.firstChild !== more) this.more.replaceChildren(more);
    this.focusMain(buttons[0]?.[0]);
    // On a phone the answer is below the board.
    if (isNew) this.answer.scrollIntoView({ block: "nearest" });
  }

  /** Moves the focus from the board, when it is closed, to the button that goes on. */
  focusMain(name) {
    if (!name || !byId("board").contains(document.activeElement) || byId("board").classList.contains("open")) return;
    this.buttons.get(name).focus({ preventScroll: true });
  }

  /** Begins to read at the title, after another task was chosen. */
  focusTitle() {
    this.title.focus({ preventScroll: true });
    this.showTop();
  }

  /** Scrolls up to the title, if it is not in view. */
  showTop() {
    if (this.title.getBoundingClientRect().top < 0) byId("learn-text").scrollIntoView({ block: "start" });
  }
}
