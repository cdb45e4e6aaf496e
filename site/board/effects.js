// Short movements on the board at a move: captured boxes, and two boxes closed by one line. The
// style sheet moves the line itself. Nothing moves if a person prefers that.
import { svg } from "../page/dom.js";
import { middleOf } from "./geometry.js";
import { texts } from "../texts.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** The number of pieces that fly over the board at the end of a game. */
const PIECES = 60;

/** Shows the effects of the last move of a game. */
export function celebrateMove(view, game) {
  view.layers.effects.replaceChildren();
  if (still.matches) return;
  game.captured.forEach((box, order) => {
    const timing = { duration: 420, delay: 90 + 130 * order, easing: "cubic-bezier(0.2, 1.5, 0.4, 1)", fill: "backwards" };
    view.boxes[box].querySelector("rect").animate([{ transform: "scale(0)" }, { transform: "scale(1)" }], timing);
    view.boxes[box].querySelector(`.sign-${game.owners[box]}`).animate(
      [{ transform: "scale(0) rotate(-40deg)" }, { transform: "scale(1) rotate(0)" }], timing,
    );
  });
  if (game.captured.length === 2) doubleCross(view, game);
}

/** Shows the words "double-cross" at the line that closed two boxes. */
function doubleCross(view, game) {
  const { x, y } = middleOf(game.board, game.last);
  const words = svg("text", { class: `cry by-${game.drawers[game.last]}`, x, y: y - 12 }, texts.board.doubleCross);
  view.layers.effects.append(words);
  words.animate(
    [
      { opacity: 0, transform: "scale(0.4)" }, { opacity: 1, transform: "scale(1.1)", offset: 0.2 },
      { opacity: 1, transform: "scale(1)", offset: 0.7 }, { opacity: 0, transform: "translateY(-30px)" },
    ],
    { duration: 1400, delay: 250, fill: "both", easing: "ease-out" },
  ).finished.then(() => words.remove(), () => {});
}

/** Lets discs and diamonds in a seat's color fall over the board. */
export function celebrateEnd(view, seat) {
  const { layers: { effects }, host } = view;
  effects.replaceChildren();
  if (still.matches) return;
  const { width, height } = host.viewBox.baseVal;
  for (let piece = 0; piece < PIECES; piece++) {
    const x = Math.random() * width;
    const name = `piece by-${piece % 5 ? seat : 1 - seat}`;
    const element = piece % 2 ? svg("circle", { class: name, cx: 0, cy: 0, r: 7 })
      : svg("path", { class: name, d: "M0,-9l9,9l-9,9l-9,-9z" });
    effects.append(element);
    const [sway, turn] = [(Math.random() - 0.5) * 160, Math.random() * 720];
    element.animate(
      [
        { transform: `translate(${x}px, -20px)`, opacity: 1 },
        { transform: `translate(${x + sway}px, ${height + 20}px) rotate(${turn}deg)`, opacity: 0.5 },
      ],
      { duration: 1300 + Math.random() * 1300, delay: Math.random() * 500, fill: "both", easing: "cubic-bezier(0.3, 0, 0.8, 1)" },
    ).finished.then(() => element.remove(), () => {});
  }
}
