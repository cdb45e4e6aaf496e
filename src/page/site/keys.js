// Shortcuts: a key presses the button of that id, where the button is on show and may be pressed.
import { byId } from "./dom.js";

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
