// A choice of one of several: radio buttons in a fieldset, each with what it stands for in its label.
import { el } from "../page/dom.js";

export class Choice {
  /** `fieldset` gets a radio button for each of `options`, as `{value, label, kind}` with the nodes of its label. */
  constructor(fieldset, options) {
    this.fieldset = fieldset;
    fieldset.append(...options.map(({ value, label, kind }) => el("label", { class: kind },
      el("input", { type: "radio", class: "visually-hidden", name: fieldset.id, value }), ...label)));
  }

  get inputs() {
    return [...this.fieldset.querySelectorAll(":scope > label > input")];
  }

  get value() {
    return this.inputs.find((input) => input.checked)?.value ?? null;
  }

  /** Chooses a value if it is one of the choice. */
  set value(value) {
    const input = this.inputs.find((candidate) => candidate.value === value);
    if (input) input.checked = true;
  }
}
