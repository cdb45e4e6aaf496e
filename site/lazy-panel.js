// A panel whose modules are loaded when it is used for the first time.

export class LazyPanel {
  /** `load` returns a promise of the panel, and `onFault` is called with the error if it fails. */
  constructor(load, onFault) {
    this.load = load;
    this.onFault = onFault;
    this.loading = null;
    /** The panel, or null until it is loaded. */
    this.panel = null;
  }

  /** Calls `action` with the panel once it is loaded. */
  async use(action) {
    if (this.panel) return action(this.panel);
    this.loading ??= this.load();
    try {
      this.panel = await this.loading;
    } catch (error) {
      this.loading = null;
      return this.onFault(error);
    }
    action(this.panel);
  }
}
