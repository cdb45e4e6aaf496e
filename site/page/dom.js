// Helpers to create elements. Styles are never set by attribute, which the Content-Security-Policy
// forbids.

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

/** Sets attributes and listeners, and appends children. */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Creates an HTML element. Attributes that begin with "on" are listeners. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Creates an SVG element. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Makes elements the only children of another, and leaves alone those that are in their places. */
export function fit(parent, children) {
  for (const child of [...parent.children]) if (!children.includes(child)) child.remove();
  children.forEach((child, at) => {
    if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null);
  });
}

/** Writes a text into an element, if it is another one. */
export function write(element, text) {
  if (element.textContent !== String(text)) element.textContent = text;
}

/** Scrolls to the board if it is out of sight, as it may be on a phone. */
export function showBoard() {
  const { top, bottom } = byId("board").getBoundingClientRect();
  if (bottom < 100 || top > innerHeight - 100) byId("board").scrollIntoView({ block: "start", behavior: "smooth" });
}

/** Puts the focus on the board. */
export function focusBoard() {
  byId("board").querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
}

/** Offers a file to save. */
export function save(name, text, type = "application/json") {
  const address = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Formats a number of boxes with its sign: +3, −1.5, 0. */
export function signed(value, digits = 0) {
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : `${value < 0 ? "−" : "+"}${text}`;
}
