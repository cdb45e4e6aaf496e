// The training runs that the page shows, each with the sign by which it is told from the others.
import { Unreachable } from "../page/connection.js";
import { readProgress } from "./run-progress.js";
import { texts } from "../texts.js";

/** The largest file that is opened, as the server has it: twenty thousand generations have less. */
const MOST_BYTES = 16 * 2 ** 20;

/** A training run: followed at an address, or read once from a file. */
export class Run {
  /** `slot` decides the run's letter, color and line. `address` is null for a file. */
  constructor(name, slot, address = null) {
    Object.assign(this, { name, slot, address, text: null, rows: [], faults: [], torn: false, error: null });
  }

  /** The letter that stands at the end of the run's lines. */
  get letter() {
    return this.slot < 26 ? String.fromCharCode(65 + this.slot) : String(this.slot + 1);
  }

  /** Takes the text of a progress file. Returns true if it is a new one. */
  take(text) {
    const isNew = text !== this.text || this.error !== null;
    if (text !== this.text) Object.assign(this, readProgress(text));
    Object.assign(this, { text, error: null });
    return isNew;
  }

  /** Reads the run anew from its address, and returns true if it has changed. Keeps what it had on an error. */
  async fetch() {
    try {
      const response = await fetch(this.address, { cache: "no-cache" }).catch(() => {
        throw new Unreachable();
      });
      const text = await response.text();
      if (!response.ok) throw new Error(response.status === 500 ? text.trim() : `${response.status}`);
      return this.take(text);
    } catch (error) {
      const isNew = this.error !== error.message;
      this.error = error.message;
      return isNew;
    }
  }
}

/** Returns the text of a file that a person has chosen. */
export async function textOf(file) {
  if (file.size > MOST_BYTES) throw new Error(texts.training.tooLarge);
  return file.text();
}

/** Returns the lowest number that no run has as its slot. */
export function freeSlot(runs) {
  const taken = new Set(runs.map(({ slot }) => slot));
  let slot = 0;
  while (taken.has(slot)) slot++;
  return slot;
}

/** Returns the runs that bots.json lists as `{name, progress}`. */
export function listedRuns(list) {
  const runs = Array.isArray(list?.runs) ? list.runs : [];
  return runs.filter((run) => typeof run?.name === "string" && typeof run?.progress === "string");
}
