// The mouse, pen or finger on the board: it marks the nearest undrawn edge, and draws it. A finger
// may slide to another edge before it is lifted.
import { edgeNear } from "./geometry.js";

/** The time after a finger was lifted in which a click is the same touch. */
const SAME_TOUCH_MS = 800;

export class Pointer {
  /** Handles the pointers on the board of a `BoardView`. */
  constructor(view) {
    this.view = view;
    this.lifted = -Infinity;
    const { host } = view;
    host.addEventListener("pointerdown", (event) => this.move(event));
    host.addEventListener("pointermove", (event) => this.move(event));
    host.addEventListener("pointerup", (event) => this.lift(event));
    for (const name of ["pointerleave", "pointercancel"]) host.addEventListener(name, () => view.point(null));
    host.addEventListener("click", (event) => this.click(event));
  }

  /** Returns the edge at a pointer, or null. */
  edgeAt({ clientX, clientY }) {
    const { host, game } = this.view;
    const point = new DOMPoint(clientX, clientY).matrixTransform(host.getScreenCTM().inverse());
    return edgeNear(game, point);
  }

  move(event) {
    if (this.view.shown) return;
    // A finger is captured by the element that it touched first, which would hide the others.
    if (event.type === "pointerdown") event.target.releasePointerCapture?.(event.pointerId);
    this.view.point(this.edgeAt(event));
  }

  lift(event) {
    if (event.pointerType === "mouse") return;
    this.lifted = performance.now();
    const edge = this.edgeAt(event);
    this.view.point(null);
    if (this.view.open) this.view.choose(edge);
  }

  click(event) {
    if (performance.now() - this.lifted < SAME_TOUCH_MS) return;
    // The clicks of assistive technology are at an element, and have no place.
    const placed = event.detail > 0 && (event.clientX || event.clientY);
    this.view.choose(placed ? this.edgeAt(event) : this.view.edgeAt(event.target));
  }
}
