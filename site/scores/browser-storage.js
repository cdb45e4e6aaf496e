// The browser's storage, which may be missing, full or forbidden.
import { texts } from "../texts.js";

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
