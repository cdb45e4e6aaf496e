// Sentences about a game: its status, its moves, and the player in control.
import { count } from "./dom.js";
import { edgeWords } from "./notation.js";
import { COLOURS, PERSON } from "./table.js";

/** Describes the result of a finished game. */
export function resultWords(game) {
  const [blue, orange] = game.scores;
  if (blue === orange) return `Tied, ${blue} to ${orange}`;
  const winner = blue > orange ? 0 : 1;
  return `${COLOURS[winner]} wins ${Math.max(blue, orange)} to ${Math.min(blue, orange)}`;
}

/** Describes the status of a table. */
export function statusWords(table, thinking) {
  const { game } = table;
  if (game.over) return `${resultWords(game)}.`;
  const mover = COLOURS[game.mover];
  if (thinking) return `${mover} (${table.seats[game.mover].name}) is thinking …`;
  const again = game.captured.length ? " again" : "";
  const alone = table.seats.filter(({ id }) => id === PERSON).length === 1;
  return alone && table.personsTurn ? `Your turn${again} (${mover}).` : `${mover} to move${again}.`;
}

/** Describes a move, for screen readers. */
export function moveWords(before, after) {
  const mover = COLOURS[before.mover];
  const parts = [`${mover} draws ${edgeWords(after.board, after.last)}.`];
  if (after.captured.length) parts.push(`${mover} takes ${count(after.captured.length, "box", "boxes")}.`);
  parts.push(`Blue ${after.scores[0]}, Orange ${after.scores[1]}.`);
  if (after.over) parts.push(`${resultWords(after)}.`);
  else parts.push(after.captured.length ? `${mover} moves again.` : `${COLOURS[after.mover]} to move.`);
  return parts.join(" ");
}

/** The least boxes of a long chain. */
const LONG = 3;

/** Describes chains, loops, safe edges and control. */
export function controlWords(result) {
  const lengths = (found) => found.map(({ length }) => length).sort((a, b) => a - b).join(", ");
  const long = result.chains.filter(({ length }) => length >= LONG);
  const short = result.chains.length - long.length;
  const found = [];
  if (long.length) found.push(`${count(long.length, "long chain")} (${lengths(long)})`);
  if (result.loops.length) found.push(`${count(result.loops.length, "loop")} (${lengths(result.loops)})`);
  if (short) found.push(count(short, "short chain"));
  const parts = [found.length ? `${found.join(", ")}.` : "No chains or loops."];
  if (result.offered) parts.push(`${count(result.offered, "box", "boxes")} can be taken now.`);
  parts.push(result.safe ? `${count(result.safe, "safe edge")} left.` : "No safe edge is left.");
  if (result.controls === 0 || result.controls === 1) {
    const [controller, opener] = [COLOURS[result.controls], COLOURS[1 - result.controls]];
    parts.push(`With best play ${opener} has to open the first long chain or loop, so ${controller} will be in control.`);
  } else if (result.safe) {
    parts.push("It is not known yet who will be in control.");
  }
  return parts.join(" ");
}

/** Formats a lead of Blue: "Blue by 3", "a tie". */
export function leadWords(margin, digits = 0) {
  const size = Math.abs(margin).toFixed(digits);
  return Number(size) === 0 ? "a tie" : `${COLOURS[margin > 0 ? 0 : 1]} by ${size}`;
}
