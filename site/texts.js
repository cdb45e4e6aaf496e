// The texts of the page in its language, and those of index.html in their places: `data-text` names the text of an element,
// `data-label` and `data-title` those of its attributes. Another language is one more file in texts/, chosen here.
import { english } from "./texts/english.js";

export const texts = english;

/** Returns the text with a name as in "page.title". */
const textOf = (name) => name.split(".").reduce((group, key) => group[key], texts);

if (globalThis.document) {
  document.documentElement.lang = texts.language;
  document.title = texts.page.title;
  for (const element of document.querySelectorAll("[data-text], [data-label], [data-title]")) {
    const { text, label, title } = element.dataset;
    // Before the field of a label, and after the picture of a button.
    if (text) element.insertAdjacentHTML(element.localName === "label" ? "afterbegin" : "beforeend", textOf(text));
    if (label) element.setAttribute("aria-label", textOf(label));
    if (title) element.title = textOf(title);
  }
  document.documentElement.dataset.texts = "ready";
}
