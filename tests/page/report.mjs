// Runs checks one after another and prints a line for each: `ok NAME` or `FAILED NAME: REASON`.
import assert from "node:assert/strict";

export { assert };

/** Returns a storage as a browser has it, in which a text is stored under a key, if one is given. */
export function storageOf(key, text) {
  const texts = new Map(key === undefined ? [] : [[`doublecross.${key}`, text]]);
  return {
    getItem: (name) => texts.get(name) ?? null,
    setItem: (name, value) => texts.set(name, String(value)),
    removeItem: (name) => texts.delete(name),
    key: (at) => [...texts.keys()][at] ?? null,
    get length() {
      return texts.size;
    },
  };
}

export class Report {
  constructor() {
    this.failed = 0;
  }

  async check(name, body) {
    try {
      await body();
      console.log(`ok ${name}`);
    } catch (error) {
      this.failed += 1;
      console.log(`FAILED ${name}: ${String(error?.message ?? error).split("\n").slice(0, 12).join(" | ")}`);
    }
  }

  /** Ends the program, with status 1 if a check has failed. */
  end() {
    process.exit(this.failed ? 1 : 0);
  }
}
