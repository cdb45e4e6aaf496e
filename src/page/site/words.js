// What the page says of a game: whose turn it is, what a move did, who is in control.
import { count } from "./dom.js";
import { edgeWords } from "./notation.js";
import { COLOURS, PERSON } from "./table.js";

export function resultWords(game) {
  const [blue, orange] = game.scores;
  if (blue === orange) return `Tied, ${blue} to ${orange}`;
  const winner = blue > orange ? 0 : 1;
  return `${COLOURS[winner]} wins ${Math.max(blue, orange)} to ${Math.min(blue, orange)}`;
}

export function statusWords(table, thinking) {
  const { game } = table;
  if (game.over) return `${resultWords(game)}.`;
  const mover = COLOURS[game.mover];
  if (thinking) return `${mover} (${table.seats[game.mover].name}) is thinking …`;
  const again = game.captured.length ? " again" : "";
  const alone = table.seats.filter(({ id }) => id === PERSON).length === 1;
  return alone && table.personsTurn ? `Your turn${again} (${mover}).` : `${mover} to move${again}.`;
}

/** A move for those who hear the game. */
export function moveWords(before, after) {
  const mover = COLOURS[before.mover];
  const parts = [`${mover} draws ${edgeWords(after.board, after.last)}.`];
  if (after.captured.length) parts.push(`${mover} takes ${count(after.captured.length, "box", "boxes")}.`);
  parts.push(`Blue ${after.scores[0]}, Orange ${after.scores[1]}.`);
  if (after.over) parts.push(`${resultWords(after)}.`);
  else parts.push(after.captured.length ? `${mover} moves again.` : `${COLOURS[after.mover]} to move.`);
  return parts.join(" ");
}

/** A chain of at least so many boxes is long: who opens it cannot help giving it away. */
const LONG = 3;

/** Chains, loops and control in a sentence or three. */
export function controlWords(look) {
  const lengths = (found) => found.map(({ length }) => length).sort((a, b) => a - b).join(", ");
  const long = look.chains.filter(({ length }) => length >= LONG);
  const short = look.chains.length - long.length;
  const found = [];
  if (long.length) found.push(`${count(long.length, "long chain")} (${lengths(long)})`);
  if (look.loops.length) found.push(`${count(look.loops.length, "loop")} (${lengths(look.loops)})`);
  if (short) found.push(count(short, "short chain"));
  const parts = [found.length ? `${found.join(", ")}.` : "No chains or loops."];
  if (look.offered) parts.push(`${count(look.offered, "box", "boxes")} can be taken now.`);
  parts.push(look.safe ? `${count(look.safe, "safe edge")} left.` : "No safe edge is left.");
  if (look.controls === 0 || look.controls === 1) {
    const [controller, opener] = [COLOURS[look.controls], COLOURS[1 - look.controls]];
    parts.push(`With best play ${opener} has to open the first long chain or loop: ${controller} will be in control.`);
  } else if (look.safe) {
    parts.push("Who will be in control is not known yet.");
  }
  return parts.join(" ");
}

/** A lead as the page says it: «Blue by 3», «a tie». */
export function leadWords(margin, digits = 0) {
  const size = Math.abs(margin).toFixed(digits);
  return Number(size) === 0 ? "a tie" : `${COLOURS[margin > 0 ? 0 : 1]} by ${size}`;
}
