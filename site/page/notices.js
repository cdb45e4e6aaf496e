// The messages above the page, one for each subject.
import { byId } from "./dom.js";

const messages = new Map();

/** Shows a message on a subject, in the place of an earlier one, or removes it for null. */
export function showNotice(subject, message) {
  if (message) messages.set(subject, message);
  else messages.delete(subject);
  byId("notice").hidden = messages.size === 0;
  byId("notice").textContent = [...messages.values()].join(" ");
}
