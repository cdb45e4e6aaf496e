// The buttons below the scores: export and import of all that the page stores, and deletion of the results.
import { exportAll, importAll } from "./all-stored.js";
import { byId, save } from "../page/dom.js";
import { clearResults, readResults } from "./results.js";
import { texts } from "../texts.js";

/** The most bytes of a file. */
const LARGEST = 20_000_000;

/** Listens to the buttons. `onChange` is called after what is stored has changed. */
export function listenToFiles(onChange) {
  const say = (...sentences) => (byId("scores-file-note").textContent = sentences.filter(Boolean).join(" "));
  byId("scores-export").addEventListener("click", () => {
    const text = exportAll();
    save(`doublecross-${new Date().toISOString().slice(0, 10)}.json`, text);
    say("");
  });
  byId("scores-import").addEventListener("change", async ({ target }) => {
    const [file] = target.files;
    if (!file) return;
    try {
      if (file.size > LARGEST) throw new Error(texts.stored.tooLarge);
      say(...wordsOf(importAll(await file.text())));
      // As if another tab had changed what is stored.
      dispatchEvent(new StorageEvent("storage", { key: null }));
    } catch (error) {
      say(texts.scores.notImported(file.name, error.message));
    }
    // Without this, choosing the same file again would not be a change.
    target.value = "";
    onChange();
  });
  byId("scores-clear").addEventListener("click", () => {
    const { results, aside } = readResults();
    if (!confirm(texts.scores.sureToClear(results.length, aside.length))) return;
    say(clearResults() ?? texts.scores.deleted);
    onChange();
  });
}

/** Says what an import has added and what it has left out. */
function wordsOf({ added, left }) {
  const nothing = left.length ? texts.scores.nothingAdded : texts.scores.nothingNew;
  return [added.length ? texts.scores.added(added) : nothing, left.length ? texts.scores.leftOut(left) : null];
}
