// The buttons below the scores: export and import of all that the page stores, and deletion of the results.
import { exportAll, importAll } from "./all-stored.js";
import { byId, count, save } from "../page/dom.js";
import { clearResults, readResults } from "./results.js";

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
      if (file.size > LARGEST) throw new Error("it is too large");
      say(...wordsOf(importAll(await file.text())));
      // As if another tab had changed what is stored.
      dispatchEvent(new StorageEvent("storage", { key: null }));
    } catch (error) {
      say(`${file.name} cannot be imported: ${error.message}. Choose a file that was exported here.`);
    }
    // Without this, choosing the same file again would not be a change.
    target.value = "";
    onChange();
  });
  byId("scores-clear").addEventListener("click", () => {
    if (!confirm(clearWords())) return;
    say(clearResults() ?? "The games were deleted.");
    onChange();
  });
}

/** Says what an import has added and what it has left out. */
function wordsOf({ added, left }) {
  const news = added.length ? `Added: ${added.join(", ")}.` : "Nothing was added: what the file holds is here already.";
  return [left.length && !added.length ? "Nothing was added." : news, left.length ? `Left out: ${left.join("; ")}.` : null];
}

/** Asks whether to delete the results. */
function clearWords() {
  const { results, aside } = readResults();
  const damaged = aside.length ? `, and ${count(aside.length, "damaged text")} kept aside` : "";
  return `Delete ${count(results.length, "game")} with results, moves and comments${damaged}? `
    + "Course, puzzles and settings stay. Export first to keep a copy.";
}
