// Keyboard shortcuts: a key presses a button if that is visible and enabled.
import { byId } from "./dom.js";

/**
 * Returns the character of a key as a shortcut names it, whatever Caps Lock is: the one that it writes
 * or, on a keyboard with other letters than Latin ones, the one at its place on an American keyboard.
 */
function characterOf({ key, code }) {
  const isOther = key.length === 1 && key > "\u007f";
  return isOther ? code.replace(/^Key/, "").toLowerCase() : key.toLowerCase();
}

/** Listens to keys. `shortcuts` maps each key to the id of a button. */
export function listenToKeys(shortcuts) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest("input:not([type=range]), select, textarea, dialog")) return;
    const button = byId(shortcuts[characterOf(event)]);
    if (!button || button.disabled || !button.checkVisibility()) return;
    event.preventDefault();
    button.click();
  });
}
