// Values in the browser's storage, which may be missing, full, forbidden or damaged.
import { browserStorage } from "./results.js";

/**
 * A value that is kept under a key. `read` is given what was kept, or null, and returns the value to
 * use, whatever it is given.
 */
export class StoredValue {
  constructor(key, read, storage = browserStorage()) {
    this.key = `doublecross.${key}`;
    this.storage = storage;
    /** The message of the last error, or null. */
    this.fault = null;
    this.value = this.restore(read);
  }

  restore(read) {
    try {
      return read(JSON.parse(this.storage.getItem(this.key) ?? "null"));
    } catch (error) {
      this.fault = `What this browser has kept cannot be read: ${error.message}`;
      return read(null);
    }
  }

  /** Replaces the value. If it cannot be kept, it lasts as long as the page. */
  set(value) {
    this.value = value;
    try {
      this.storage.setItem(this.key, JSON.stringify(value));
      this.fault = null;
    } catch (error) {
      this.fault = `This browser cannot keep your progress: ${error.message}`;
    }
  }
}
