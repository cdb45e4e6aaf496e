// A panel whose modules are loaded when it is used for the first time.
import { fetchFile, nextTry } from "./connection.js";

export class LazyPanel {
  /**
   * `make` returns the panel, given the module at `path` within the page's folder. `onFault` is called with the error if that
   * cannot be loaded, after which it is tried again, and with null once it is loaded.
   */
  constructor(path, make, onFault) {
    Object.assign(this, { path, make, onFault });
    /** The last action that waits for the panel, or null. */
    this.waiting = null;
    /** The panel, or null until it is loaded. */
    this.panel = null;
  }

  /** Calls `action` with the panel once it is loaded, unless another action comes before that. */
  async use(action) {
    if (this.panel) return action(this.panel);
    const isLoading = this.waiting !== null;
    this.waiting = action;
    if (isLoading) return;
    while (!this.panel) {
      try {
        this.panel = this.make(await this.load());
        this.onFault(null);
      } catch (error) {
        this.onFault(error);
        await nextTry();
      }
    }
    this.waiting(this.panel);
  }

  /** Imports the module if the server answers. Some browsers never again import what has failed once. */
  async load() {
    await fetchFile(this.path);
    return import(new URL(this.path, document.baseURI).href);
  }
}
