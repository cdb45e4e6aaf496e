// All that the page stores in the browser, in one place, and its export and import as one file. What is
// stored by a new `StoredValue` is to be listed here.
import { browserStorage } from "./stored-value.js";
import { stepsIn } from "../learn/course.js";
import { daysIn } from "../learn/daily.js";
import { nameIn, resultsIn } from "./results.js";
import { bestIn } from "../learn/rush.js";
import { texts } from "../texts.js";

const PREFIX = "doublecross.";
const PROGRAM = "doublecross page";
const VERSION = 1;

/** The values that are merged with those of a file, each in its own way. */
const MERGED = [resultsIn, nameIn, stepsIn, daysIn, bestIn];

/** The settings, which are taken from a file only where none are stored, like what is not listed here. */
const SETTINGS = ["settings", "game", "sound", "theme"];

/** The names under which damaged texts are kept aside. */
const ASIDE = /\.damaged\d*$/;

/** The names under which a file may store something. */
const NAME = /^[a-z][a-z0-9.-]{0,60}$/;

const nameOf = ({ key }) => key.slice(PREFIX.length);

/** Returns the names of all that is listed here. */
export const namesOfAll = () => [...MERGED.map((valueIn) => nameOf(valueIn())), ...SETTINGS];

/** Returns the text of a file with all that is stored. */
export function exportAll(storage) {
  // Those that are damaged are kept aside once they are read, and are then exported twice.
  const values = MERGED.map((valueIn) => valueIn(storage));
  const all = new Map(textsIn(storage ?? browserStorage()));
  for (const kept of values) if (kept.unsaved.length) all.set(nameOf(kept), JSON.stringify(kept.value));
  const isPlain = ([name, text]) => ASIDE.test(name) || parsed(text) === undefined;
  const stored = [...all].filter((entry) => !isPlain(entry)).map(([name, text]) => [name, parsed(text)]);
  return `${JSON.stringify({
    program: PROGRAM, version: VERSION, date: new Date().toISOString(), stored: Object.fromEntries(stored),
    texts: Object.fromEntries([...all].filter(isPlain)),
  }, null, 1)}\n`;
}

/** Returns the names and texts of all that is stored. */
function textsIn(storage) {
  const keys = Array.from({ length: storage.length }, (_, at) => storage.key(at));
  return keys.filter((key) => key.startsWith(PREFIX)).sort().map((key) => [key.slice(PREFIX.length), storage.getItem(key)]);
}

/** Returns the value of a text in JSON, or undefined if it is none. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Merges a file into what is stored, of which nothing is lost. Returns what was added and what was left
 * out, in words. Throws an error if the file is none of `exportAll`.
 */
export function importAll(text, storage) {
  const all = entriesIn(text);
  const values = new Map(MERGED.map((valueIn) => valueIn(storage)).map((kept) => [nameOf(kept), kept]));
  const added = new Set();
  const left = [];
  for (const [name, content] of all) {
    const kept = values.get(name.replace(ASIDE, ""));
    const what = kept?.what ?? texts.stored.settings[name] ?? name;
    try {
      const took = takes(kept, name, content, storage ?? browserStorage());
      if (took.isNew) added.add(what);
      if (took.damaged) left.push(texts.stored.leftOut(what, texts.stored.damagedParts(took.damaged)));
      if (took.dropped) left.push(texts.stored.leftOut(what, texts.stored.noRoom(took.dropped)));
    } catch (error) {
      left.push(texts.stored.leftOut(what, error.message));
    }
  }
  return { added: [...added], left };
}

/** Returns the names and texts in a file. */
function entriesIn(text) {
  const file = parsed(text);
  if (file === undefined) throw new Error(texts.stored.tornJson);
  if (file?.program !== PROGRAM) throw new Error(texts.stored.notExported);
  if (file.version !== VERSION) throw new Error(texts.stored.newer);
  const { stored, texts: plain = {} } = file;
  for (const part of [stored, plain]) {
    if (typeof part !== "object" || part === null || Array.isArray(part)) throw new Error(texts.stored.noStored);
  }
  return [...Object.entries(stored).map(([name, value]) => [name, JSON.stringify(value)]), ...Object.entries(plain)];
}

/**
 * Takes one text of a file, for `kept` if that is a value to merge. Returns whether it was new, and the
 * numbers of parts that were damaged or dropped.
 */
function takes(kept, name, text, storage) {
  if (!NAME.test(name) || typeof text !== "string") throw new Error(texts.stored.isDamaged);
  const key = PREFIX + name;
  if (kept && ASIDE.test(name)) {
    const isNew = !kept.aside.includes(text);
    if (isNew) kept.setAside(text);
    return { isNew };
  }
  const before = storage.getItem(key);
  if (!kept) {
    // Earlier versions stored an empty text where there was no game under way.
    const isNew = text !== "" && (before === null || before === "");
    if (isNew) storage.setItem(key, text);
    return { isNew };
  }
  const value = parsed(text);
  if (value === undefined) throw new Error(texts.stored.notJson);
  const damaged = kept.take(value);
  return { isNew: storage.getItem(key) !== before, damaged, dropped: kept.dropped };
}
