// The elements of the dialog that shares a game. They are made when somebody shares one.
import { el } from "../page/dom.js";

const button = (id, text, attributes = {}) => el("button", { id, type: "button", ...attributes }, text);

/** Returns a text that can be copied; `subject` is what it is. */
const toCopy = (id, label, subject) => el("p", { class: "to-copy" },
  el("label", { for: id }, label), el("input", { id, type: "text", readonly: true }),
  button(`${id}-copy`, "Copy", { "aria-label": `Copy ${subject}` }));

/** Returns the dialog. `subjects` says what the texts to copy are, by the ids of their fields. */
export function shareDialog(subjects) {
  const text = (id, label) => toCopy(id, label, subjects[id]);
  return el("dialog", { id: "share-dialog", "aria-labelledby": "share-title" },
    el("h2", { id: "share-title", tabindex: "-1", autofocus: true }, "Share this game"),
    el("img", { id: "share-image", alt: "" }),
    text("share-link", "Link"),
    el("h3", {}, "Moves as text"), text("share-moves", "Edges"), text("share-cells", "Cells"),
    el("h3", {}, "Save"),
    el("p", { class: "row" }, button("share-png", "Image (PNG)"), button("share-svg", "Image (SVG)"),
      button("share-animation", "Animation (SVG)"), button("share-log", "Match log")),
    el("form", { method: "dialog", class: "row" }, el("button", { class: "main" }, "Close"),
      button("share-system", "Share …", { hidden: !navigator.share }),
      el("span", { id: "share-note", class: "note", role: "status" })));
}
