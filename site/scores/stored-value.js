// A value in the browser's storage, which other tabs of the page change too, and which may be damaged.
// A damaged value is kept aside under another key before it is written anew.
import { texts } from "../texts.js";

/** The most damaged texts of a value that are kept aside. */
const MOST_ASIDE = 20;

/** The length of a text from which on it is made lighter if it can be, so that it leaves room for other values. */
const LONGEST = 2_000_000;

/** Returns the browser's storage. Access to `localStorage` throws if cookies are blocked. */
export function browserStorage() {
  try {
    return localStorage;
  } catch {
    const refuse = () => {
      throw new Error(texts.stored.blocked);
    };
    return { length: 0, key: () => null, getItem: refuse, setItem: refuse, removeItem: refuse };
  }
}

/**
 * Returns the text of a setting, or null, and stores it if one is given, or removes it if null is. Where that fails, it
 * lasts as long as the page.
 */
export function settingText(key, text) {
  try {
    if (text === null) browserStorage().removeItem(`doublecross.${key}`);
    else if (text !== undefined) browserStorage().setItem(`doublecross.${key}`, text);
    return browserStorage().getItem(`doublecross.${key}`);
  } catch {
    return null;
  }
}

export class StoredValue {
  /**
   * `read` is given what was stored under the key, or null, and returns the value, or throws an error
   * if it is damaged.
   *
   * `merge` is given the stored value and one from elsewhere, and returns both in one; it calls its last
   * argument for each damaged part that it leaves out. `lighten` is called if there is no room for a value,
   * and with what it must not take from; it returns `{value, dropped}`, a smaller value and the number of
   * parts that it lacks, or null.
   */
  constructor(key, read, storage = browserStorage(), { merge = (mine) => mine, lighten = () => null } = {}) {
    this.key = `doublecross.${key}`;
    Object.assign(this, { what: texts.stored.what[key], read, storage, merge, lighten });
    /** The messages of damage, and of the last access to the storage if that failed; or null. */
    this.damage = null;
    this.refusal = null;
    /** The message of the last change that could not be stored, until one is; or null. */
    this.unstored = null;
    /** The number of parts that were dropped to make room for the last change. */
    this.dropped = 0;
    /** The changes that could not be stored. They last as long as the page. */
    this.unsaved = [];
    this.text = null;
    this.stored = read(null);
    this.load();
  }

  /** The message of the last error, or null. */
  get fault() {
    return this.refusal ?? this.unstored ?? this.damage;
  }

  /** The value, with the changes of all tabs. */
  get value() {
    this.load();
    return this.unsaved.reduce((value, change) => change(value), this.stored);
  }

  /**
   * Changes the value. `change` is given the value as it is now stored and returns the new one. If that
   * cannot be stored, it lasts as long as the page. Nothing is taken from what is in `sacred`.
   */
  update(change, sacred) {
    this.unsaved.push(change);
    this.access("stored", () => {
      const { value } = this;
      if (this.refusal !== null) return;
      this.store(value, sacred);
      this.unsaved = [];
    });
    this.unstored = this.unsaved.length ? this.refusal : null;
  }

  /** Stores a value, or a lighter one if there is no room for it. */
  store(value, sacred) {
    this.dropped = 0;
    for (;;) {
      const text = JSON.stringify(value);
      let lighter = text.length > LONGEST ? this.lighten(value, sacred) : null;
      if (!lighter) {
        try {
          this.storage.setItem(this.key, text);
          return Object.assign(this, { text, stored: value });
        } catch (error) {
          lighter = this.lighten(value, sacred);
          if (!lighter) throw error;
        }
      }
      value = lighter.value;
      this.dropped += lighter.dropped;
    }
  }

  /**
   * Merges a value from elsewhere into this one, from which nothing is dropped. Returns the number of
   * damaged parts that were left out. Throws an error if nothing of it can be taken.
   */
  take(theirs) {
    const sound = this.read(theirs);
    const { value } = this;
    let damaged = 0;
    this.update((mine) => {
      damaged = 0;
      return this.merge(mine, sound, () => (damaged += 1));
    }, value);
    if (this.unstored === null) return damaged;
    const { unstored } = this;
    this.unsaved.pop();
    this.unstored = this.unsaved.length ? unstored : null;
    throw new Error(unstored);
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
      this.damage = texts.stored.damaged(this.what, error.message, name);
      return this.read(null);
    }
  }

  /** Copies a damaged text to another key, and returns that key. */
  setAside(text) {
    const name = this.asideNames().find((key) => [null, text].includes(this.storage.getItem(key)));
    if (!name) throw new Error(texts.stored.tooMany);
    this.storage.setItem(name, text);
    return name;
  }

  /** The damaged texts that are kept aside. */
  get aside() {
    let kept = [];
    this.access("read", () => (kept = this.asideNames().map((name) => this.storage.getItem(name))));
    return kept.filter((text) => text !== null);
  }

  /** Deletes the value, and all that is kept aside. */
  clear() {
    this.access("deleted", () => {
      for (const name of [this.key, ...this.asideNames()]) this.storage.removeItem(name);
    });
    Object.assign(this, { damage: null, unstored: null, unsaved: [] });
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
      this.refusal = texts.stored.refused(this.what, done, error.message);
    }
  }
}
