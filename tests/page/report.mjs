// Runs checks one after another and prints a line for each: `ok NAME` or `FAILED NAME: REASON`.
import assert from "node:assert/strict";

export { assert };

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
