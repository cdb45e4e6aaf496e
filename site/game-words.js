// Sentences about a game: its status, its moves, and the player in control.
import { count } from "./dom.js";
import { edgeWords } from "./notation.js";
import { COLORS } from "./table.js";

/** Describes the result of a finished game. `person` is the seat that is called "you", if any. */
export function resultWords(game, person = null) {
  const [blue, orange] = game.scores;
  if (blue === orange) return `Tied, ${blue} to ${orange}`;
  const winner = blue > orange ? 0 : 1;
  const who = winner === person ? "You win" : `${COLORS[winner]} wins`;
  return `${who} ${Math.max(blue, orange)} to ${Math.min(blue, orange)}`;
}

/** Describes the status of a table. */
export function statusWords(table, thinking) {
  const { game } = table;
  if (game.over) return `${resultWords(game, table.alone ? table.person : null)}.`;
  const again = game.captured.length ? " again" : "";
  if (thinking) return `${table.seats[game.mover].name} is thinking …`;
  if (table.looksBack) return `After move ${table.at} of ${table.length}.`;
  if (table.alone && table.personsTurn) return `Your turn${again}.`;
  return `${COLORS[game.mover]} to move${again}.`;
}

/** Describes a move, for screen readers. */
export function moveWords(before, after) {
  const mover = COLORS[before.mover];
  const parts = [`${mover} draws ${edgeWords(after.board, after.last)}.`];
  if (after.captured.length) parts.push(`${mover} takes ${count(after.captured.length, "box", "boxes")}.`);
  parts.push(`Blue ${after.scores[0]}, Orange ${after.scores[1]}.`);
  if (after.over) parts.push(`${resultWords(after)}.`);
  else parts.push(after.captured.length ? `${mover} moves again.` : `${COLORS[after.mover]} to move.`);
  return parts.join(" ");
}

/** Describes safe edges, boxes on offer and control. */
export function controlWords(result) {
  const parts = [];
  if (result.offered) parts.push(`${count(result.offered, "box", "boxes")} can be taken now.`);
  parts.push(result.safe ? `${count(result.safe, "safe line")} left.` : "No safe line is left.");
  if (result.controls === 0 || result.controls === 1) {
    const [controller, opener] = [COLORS[result.controls], COLORS[1 - result.controls]];
    parts.push(`With best play ${opener} has to open the first long chain or loop, so ${controller} will be in control.`);
  } else if (result.safe) {
    parts.push("It is not known yet who will be in control.");
  }
  return parts.join(" ");
}

/** The least boxes of a long chain. */
const LONG = 3;

/** Describes a chain or loop, and the cost of opening it if that is known. */
export function groupWords({ length, isLoop, cost }) {
  const kind = isLoop ? `Loop of ${length}` : `${length < LONG ? "Short chain" : "Chain"} of ${length}`;
  if (!cost) return `${kind}: not looked at yet.`;
  // A chain of two is opened for least by its middle line.
  const opening = length === 2 && !isLoop ? "to open it in the middle" : "to open it";
  return cost.grade === 0 ? `${kind}: ${opening} is as good as any move.` : `${kind}: ${opening} ${cost.words}.`;
}

/** The spread of the final margin, in boxes, up to which a forecast is sure, and not quite so. */
const SURE = 1.5;
const UNSURE = 4;

/** Describes how sure a forecast is that gives each final margin its share. */
export function sureWords(finals) {
  const mean = finals.reduce((sum, [margin, share]) => sum + margin * share, 0);
  const spread = Math.sqrt(finals.reduce((sum, [margin, share]) => sum + share * (margin - mean) ** 2, 0));
  if (spread <= SURE) return "Fairly sure";
  return spread <= UNSURE ? "A bit unsure" : "Wide open";
}

/** Formats a lead of Blue: "Blue by 3", "a tie". */
export function leadWords(margin, digits = 0) {
  const size = Math.abs(margin).toFixed(digits);
  return Number(size) === 0 ? "a tie" : `${COLORS[margin > 0 ? 0 : 1]} by ${size}`;
}
