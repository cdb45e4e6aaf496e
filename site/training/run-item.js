// A run in the list of runs: its sign, name and headline, what could not be read, and a button that removes it.
import { el } from "../page/dom.js";
import { runSign } from "./run-sign.js";
import { faultWords, headline } from "./run-words.js";
import { texts } from "../texts.js";

export class RunItem {
  /** `onName` is called when the run got another name, and `onRemove` when it is to be removed. */
  constructor(run, onName, onRemove) {
    this.run = run;
    this.sign = runSign(run);
    this.headline = el("p", { class: "headline" });
    this.fault = el("p", { class: "fault" });
    this.button = el("button", { type: "button", class: "quiet", onclick: onRemove }, texts.training.remove);
    this.element = el("li", { "data-run": run.letter },
      el("div", { class: "row" }, this.sign, run.address ? el("b", { class: "name" }, run.name) : this.input(onName),
        el("span", { class: "note" }, run.address ? texts.training.followed : texts.training.fromFile), this.button),
      this.headline, this.fault);
  }

  /** Returns the field for the name of a file's run, since all such files have the same name. */
  input(onName) {
    const { run } = this;
    return el("input", {
      type: "text", class: "name", value: run.name, maxlength: 40, spellcheck: "false", autocomplete: "off",
      "aria-label": texts.training.nameOf(run.letter), title: texts.training.giveName,
      onchange: ({ target }) => {
        run.name = target.value.trim() || run.fileName;
        target.value = run.name;
        onName();
      },
    });
  }

  /** Updates the item. Its sign is needed beside other runs only. */
  show(several) {
    const { run } = this;
    this.sign.toggleAttribute("hidden", !several);
    this.headline.textContent = headline(run);
    this.fault.textContent = faultWords(run);
    this.button.setAttribute("aria-label", texts.training.removeRun(run.name));
  }
}
