// Keyboard shortcuts: a key presses a button if that is visible and enabled.
import { byId } from "./dom.js";

/** Listens to keys. `shortcuts` maps each key to the id of a button. */
export function listenToKeys(shortcuts) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest("input:not([type=range]), select, textarea, dialog")) return;
    const button = byId(shortcuts[event.key]);
    if (!button || button.disabled || !button.checkVisibility()) return;
    event.preventDefault();
    button.click();
  });
}
