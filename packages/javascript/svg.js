// Drawings of games as SVG texts, which stand alone and look like the board of the page: a position, or a game
// that plays its moves. This module uses the rules and the geometry of the board alone.
import { boxAt, DIAMOND, diamondPath, DISC, DOT, dotsOf, GAP, lineOf, PAD, SIDE, sizeOf } from "./geometry.js";
import { Game } from "./rules.js";

/** The colors of each theme, with those of a seat in a list. */
export const THEMES = {
  light: {
    surface: "#ffffff", ink: "#1d2330", ghost: "#d9d5ca",
    lines: ["#2f7de0", "#e2660f"], fills: ["#c3dcf7", "#fbd6b2"], texts: ["#1b62b5", "#b04a00"],
  },
  dark: {
    surface: "#1b2029", ink: "#e8ebf1", ghost: "#3b4454",
    lines: ["#5aa5ff", "#ff9a45"], fills: ["#214468", "#63411f"], texts: ["#6fb4ff", "#ffab5e"],
  },
};

/** The widths of lines: of undrawn edges, of drawn ones, and of the last one. */
export const WIDTHS = { ghost: 4, ink: 11, last: 17 };

/** The time of a move, the time in which its line is drawn, and how long the last position stays, in seconds. */
export const MOVE_S = 0.35;
const DRAW_S = 0.18;
export const END_S = 3;

/** The least width of a drawing, so that a name has room below a small board. */
const LEAST_WIDTH = 440;
/** A player's row below the board: its height, the scale of its sign, where the score ends and the name begins. */
const ROW = 46;
const SIGN_SCALE = 2 / 3;
const SCORE_END = PAD + 72;
const NAME_START = PAD + 88;
const NAME_SIZE = 27;

/** Returns the drawing of a game, given as a `Game` or its text. Options are `names` and `dark`. */
export function boardSvg(game, options) {
  return drawing([typeof game === "string" ? Game.parse(game) : game], options);
}

/**
 * Returns a drawing that plays the moves from the first of these states to the last, again and again. Where
 * the system asks for less motion, it shows the last state.
 */
export function gameSvg(states, options) {
  return drawing(states, options);
}

function drawing(states, { names = ["Blue", "Orange"], dark = false, ...others } = {}) {
  for (const name in others) throw new TypeError(`there is no option ${name}: the options are names, dark`);
  if (!(Array.isArray(states) && states.at(-1) instanceof Game)) {
    throw new TypeError("there is no game to draw: expected a list of games, as Game.replay returns it");
  }
  const game = states.at(-1);
  const { board } = game;
  const colors = dark ? THEMES.dark : THEMES.light;
  const size = sizeOf(board);
  const [width, height] = [Math.max(size.width, LEAST_WIDTH), size.height + 2 * ROW + PAD / 2];
  const clock = new Clock(states);
  const seats = [0, 1];
  const parts = [
    `<rect width="${width}" height="${height}" fill="${colors.surface}"/>`,
    `<g transform="translate(${(width - size.width) / 2})">`,
    ...seats.map((seat) => `<g fill="${colors.fills[seat]}">${boxesOf(game, seat, colors, clock)}</g>`),
    `<g fill="none" stroke-linecap="round" stroke-width="${WIDTHS.ink}">`,
    `<path d="${ghosts(board)}" stroke="${colors.ghost}" stroke-width="${WIDTHS.ghost}"/>`,
    ...seats.map((seat) => `<g stroke="${colors.lines[seat]}">${linesOf(game, seat, clock)}</g>`),
    "</g>",
    `<g fill="${colors.ink}">${dotsOf(board).map(({ x, y }) => `<circle cx="${x}" cy="${y}" r="${DOT}"/>`).join("")}</g>`,
    "</g>",
    ...seats.map((seat) => playerRow(seat, names[seat], size.height + (seat + 0.5) * ROW, { states, width, colors, clock })),
  ];
  const title = escaped(`Dots and Boxes, ${board.name}: ${seats.map((seat) => `${names[seat]} ${game.scores[seat]}`).join(", ")}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${title}</title>`, clock.style, ...parts, "</svg>\n",
  ].join("");
}

/** The times at which the parts of a drawing appear and disappear, as CSS animations. */
class Clock {
  constructor(states) {
    this.states = states;
    this.moves = states.length - 1;
    this.seconds = this.moves * MOVE_S + END_S;
    this.rules = new Map();
  }

  /** Returns how far the animation is after so many seconds. */
  percent(seconds) {
    return `${Number(((100 * seconds) / this.seconds).toFixed(2))}%`;
  }

  /** Returns the attribute of what appears with a move, given by its state, or nothing for what is there from the beginning. */
  from(state) {
    if (state <= 0) return "";
    const start = state * MOVE_S;
    const isLast = state === this.moves;
    const thin = isLast ? "" : `${this.percent(start + MOVE_S)}{stroke-width:${WIDTHS.last}px}`
      + `${this.percent(start + MOVE_S + DRAW_S)}{stroke-width:${WIDTHS.ink}px}`;
    return this.named(`m${state}`, `0%,${this.percent(start)}{visibility:hidden;stroke-dashoffset:1;stroke-width:${WIDTHS.last}px}`
      + `${this.percent(start + DRAW_S)}{stroke-dashoffset:0}${thin}`);
  }

  /** Returns the attributes of what is shown from a state until another one, or until the end for null. */
  between(from, until) {
    const start = from ? `0%,${this.percent(from * MOVE_S)}{visibility:hidden}` : "";
    if (until === null) return start && this.named(`s${from}`, start);
    // Between two key frames with different values, what is visible in either is visible.
    const end = until * MOVE_S;
    const seen = `${from ? "" : "0%,"}${this.percent(end)}{visibility:visible}`;
    return `${this.named(`s${from}-${until}`, `${start}${seen}${this.percent(end + 0.01)}{visibility:hidden}`)} visibility="hidden"`;
  }

  named(name, frames) {
    this.rules.set(name, `.${name}{animation-name:${name}}@keyframes ${name}{${frames}}`);
    return ` class="${name}"`;
  }

  /** The style of all parts that were timed. */
  get style() {
    if (!this.rules.size) return "";
    const all = `[class]{animation:${Number(this.seconds.toFixed(2))}s linear infinite;stroke-dasharray:1}`;
    return `<style>@media(prefers-reduced-motion:no-preference){${all}${[...this.rules.values()].join("")}}</style>`;
  }
}

/** Returns the boxes of a seat with its signs. */
function boxesOf(game, seat, colors, clock) {
  const parts = game.owners.map((owner, box) => {
    if (owner !== seat) return "";
    const { x, y } = boxAt(game.board, box);
    const since = clock.from(clock.states.findIndex(({ captured }, at) => at > 0 && captured.includes(box)));
    const sign = signAt(seat, x + SIDE / 2, y + SIDE / 2, 1, colors);
    return `<g${since}><rect x="${x}" y="${y}" width="${SIDE}" height="${SIDE}"/>${sign}</g>`;
  });
  return parts.join("");
}

/** Returns the sign of a seat around a point. */
function signAt(seat, x, y, scale, { lines }) {
  const shape = seat === 0 ? `circle cx="${x}" cy="${y}" r="${DISC * scale}"` : `path d="${diamondPath(x, y, DIAMOND * scale)}"`;
  return `<${shape} fill="${lines[seat]}"/>`;
}

/** Returns the edges that a seat has drawn. */
function linesOf(game, seat, clock) {
  const before = game.moves.length - clock.moves;
  const parts = game.moves.map((edge, move) => {
    if (game.drawers[edge] !== seat) return "";
    const last = edge === game.last ? ` stroke-width="${WIDTHS.last}"` : "";
    return `<path d="${pathOf(lineOf(game.board, edge))}" pathLength="1"${last}${clock.from(move + 1 - before)}/>`;
  });
  return parts.join("");
}

/** Returns the path of the faint lines of all edges. */
function ghosts(board) {
  return Array.from({ length: board.edges }, (_, edge) => pathOf(lineOf(board, edge, GAP))).join("");
}

const pathOf = ([from, to]) => `M${from.x},${from.y}${from.y === to.y ? `H${to.x}` : `V${to.y}`}`;

/** Returns the sign, the score and the name of a player. */
function playerRow(seat, name, y, { states, width, colors, clock }) {
  const font = `font-family="system-ui,sans-serif" font-size="${NAME_SIZE}" font-weight`;
  const numbers = scoreTimes(states, seat).map(([score, from, until]) => `<text x="${SCORE_END}" y="${y + 10}" `
    + `text-anchor="end"${clock.between(from, until)}>${score}</text>`);
  const room = (width - PAD - NAME_START) / NAME_SIZE;
  return `${signAt(seat, PAD + DISC * SIGN_SCALE, y, SIGN_SCALE, colors)}<g fill="${colors.texts[seat]}" ${font}="700">${numbers.join("")}</g>`
    + `<text x="${NAME_START}" y="${y + 10}" fill="${colors.ink}" ${font}="600">${escaped(cut(name, room))}</text>`;
}

/** Returns the scores of a seat as `[score, from, until]`: the states between which it is shown, null for the end. */
function scoreTimes(states, seat) {
  const times = [];
  states.forEach(({ scores }, at) => {
    if (at > 0 && scores[seat] === times.at(-1)[0]) return;
    if (at > 0) times.at(-1)[2] = at;
    times.push([scores[seat], at, null]);
  });
  return times;
}

/** Returns a text cut to a width in ems. A letter's width is estimated, since it depends on the font. */
function cut(text, room) {
  const letters = [...text];
  const width = (letter) => (letter < "\u2e80" ? 0.62 : 1.1);
  let used = 0;
  const fitting = letters.findIndex((letter, at) => (used += width(letter)) > room - (at < letters.length - 1 ? 1 : 0));
  return fitting < 0 ? text : `${letters.slice(0, fitting).join("")}…`;
}

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Escapes a text for XML, without characters that XML does not allow. */
function escaped(text) {
  const allowed = text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");
  return allowed.replace(/[&<>"']/g, (found) => ESCAPES[found]);
}
