// A value in the browser's storage, which other tabs of the page change too, and which may be damaged.
// A damaged value is kept aside under another key before it is written anew.
import { browserStorage } from "./browser-storage.js";

/** The most damaged texts of a value that are kept aside. */
const MOST_ASIDE = 20;

export class StoredValue {
  /**
   * `read` is given what was stored under the key, or null, and returns the value, or throws an error
   * if it is damaged. `what` names the value in messages, in the plural.
   */
  constructor(key, what, read, storage = browserStorage()) {
    this.key = `doublecross.${key}`;
    this.what = what;
    this.read = read;
    this.storage = storage;
    /** The messages of damage, and of the last access to the storage if that failed; or null. */
    this.damage = null;
    this.refusal = null;
    /** The changes that could not be stored. They last as long as the page. */
    this.unsaved = [];
    this.text = null;
    this.stored = read(null);
    this.load();
  }

  /** The message of the last error, or null. */
  get fault() {
    return this.refusal ?? this.damage;
  }

  /** The value, with the changes of all tabs. */
  get value() {
    this.load();
    return this.unsaved.reduce((value, change) => change(value), this.stored);
  }

  /**
   * Changes the value. `change` is given the value as it is now stored and returns the new one. If that
   * cannot be stored, it lasts as long as the page.
   */
  update(change) {
    this.unsaved.push(change);
    this.access("stored", () => {
      const { value } = this;
      if (this.refusal !== null) return;
      const text = JSON.stringify(value);
      this.storage.setItem(this.key, text);
      Object.assign(this, { text, stored: value, unsaved: [] });
    });
  }

  /** Calls a function when another tab has changed the value. */
  listen(onChange) {
    addEventListener("storage", ({ key }) => {
      if (key === this.key || key === null) onChange();
    });
  }

  /** Reads the value anew if its text has changed. */
  load() {
    this.access("read", () => {
      const text = this.storage.getItem(this.key);
      if (text === this.text) return;
      this.stored = this.parse(text);
      this.text = text;
    });
  }

  parse(text) {
    try {
      return this.read(JSON.parse(text ?? "null"));
    } catch (error) {
      const name = this.setAside(text);
      this.damage = `The ${this.what} in this browser cannot be read: ${error.message}. They are kept aside as "${name}".`;
      return this.read(null);
    }
  }

  /** Copies a damaged text to another key, and returns that key. */
  setAside(text) {
    const name = this.asideNames().find((key) => [null, text].includes(this.storage.getItem(key)));
    if (!name) throw new Error("too many damaged ones are kept aside");
    this.storage.setItem(name, text);
    return name;
  }

  /** The damaged texts that are kept aside. */
  get aside() {
    let texts = [];
    this.access("read", () => (texts = this.asideNames().map((name) => this.storage.getItem(name))));
    return texts.filter((text) => text !== null);
  }

  /** Deletes the value, and all that is kept aside. */
  clear() {
    this.access("deleted", () => {
      for (const name of [this.key, ...this.asideNames()]) this.storage.removeItem(name);
    });
    this.damage = null;
  }

  asideNames() {
    return Array.from({ length: MOST_ASIDE }, (_, at) => `${this.key}.damaged${at ? at + 1 : ""}`);
  }

  /** Accesses the storage, and keeps the message of an error. */
  access(done, body) {
    try {
      this.refusal = null;
      body();
    } catch (error) {
      this.refusal = `The ${this.what} cannot be ${done} in this browser: ${error.message}.`;
    }
  }
}
