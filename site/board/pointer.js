// The mouse, pen or finger on the board: it marks the edge that it means, and draws it when it is lifted.
// A stroke from dot to dot draws the line between them, and otherwise a pointer may slide to another edge.
import { edgeOfStroke } from "./geometry.js";

/** The time after which a finger reads the cost of a line, and draws nothing. */
const HOLD_MS = 400;

/** The time after a pointer was lifted in which a click belongs to it. */
const SAME_POINTER_MS = 800;

export class Pointer {
  /** Handles the pointers on the board of a `BoardView`. */
  constructor(view) {
    this.view = view;
    /** Where the pointer was pressed that is down, in the drawing, or null. */
    this.pressed = null;
    this.lifted = -Infinity;
    /** True from the end of a touch that has read a cost, which stays on show, to the next touch. */
    this.hasRead = false;
    const { host } = view;
    host.addEventListener("pointerdown", (event) => this.press(event));
    host.addEventListener("pointermove", (event) => this.move(event));
    host.addEventListener("pointerup", (event) => this.lift(event));
    host.addEventListener("pointerleave", () => this.hasRead || view.point(null));
    host.addEventListener("pointercancel", () => {
      this.pressed = null;
      view.point(null);
    });
    host.addEventListener("click", (event) => this.click(event));
  }

  /** Returns the place of a pointer in the drawing. */
  placeOf({ clientX, clientY }) {
    return new DOMPoint(clientX, clientY).matrixTransform(this.view.host.getScreenCTM().inverse());
  }

  /** Returns the edge that a pointer means, or null. */
  edgeAt(event) {
    const place = this.placeOf(event);
    return edgeOfStroke(this.view.game, this.pressed ?? place, place);
  }

  press(event) {
    if (event.button !== 0 || !event.isPrimary) return;
    // A finger is captured by the element that it touched first, which would hide the others.
    event.target.releasePointerCapture?.(event.pointerId);
    this.pressed = this.placeOf(event);
    this.pressedAt = performance.now();
    this.hasRead = false;
    this.move(event);
  }

  move(event) {
    // A button may have been released outside of the board.
    if (event.buttons === 0) this.pressed = null;
    if (event.isPrimary && !this.view.shown) this.view.point(this.edgeAt(event));
  }

  lift(event) {
    if (event.button !== 0 || this.pressed === null) return;
    const edge = this.edgeAt(event);
    this.pressed = null;
    this.lifted = performance.now();
    this.hasRead = event.pointerType !== "mouse" && this.view.costs?.size > 0 && this.lifted - this.pressedAt >= HOLD_MS;
    if (this.hasRead) return;
    if (event.pointerType !== "mouse") this.view.point(null);
    if (!this.view.shown) this.view.choose(edge);
  }

  /** Draws the edge of a click without a pointer, as assistive technology makes it. */
  click(event) {
    if (event.detail > 0 && performance.now() - this.lifted < SAME_POINTER_MS) return;
    const placed = event.detail > 0 && (event.clientX || event.clientY);
    this.view.choose(placed ? this.edgeAt(event) : this.view.edgeAt(event.target));
  }
}
