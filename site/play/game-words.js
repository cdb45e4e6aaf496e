// Sentences about a game: its status, its moves, and the player in control.
import { count } from "../page/dom.js";
import { edgeWords } from "../share/notation.js";
import { COLORS } from "./table.js";

/** Returns the name of a seat's player: "You", a name or a color. */
export function playerName({ seats, alone, person }, seat) {
  if (alone && seat === person) return seats[seat].called ?? "You";
  const { bot, name } = seats[seat];
  return bot && name !== seats[1 - seat].name ? name : COLORS[seat];
}

/** Returns the seat with more boxes, or null if both have the same number. */
export function winnerOf({ scores: [blue, orange] }) {
  return blue === orange ? null : Number(orange > blue);
}

/** Says who has won a table's finished game. */
export function winnerWords(table) {
  const winner = winnerOf(table.game);
  if (winner === null) return "A tie";
  const name = playerName(table, winner);
  return name === "You" ? "You win" : `${name} wins`;
}

/** Describes the result of a table's finished game. */
export function resultWords(table) {
  const [most, least] = [...table.game.scores].sort((a, b) => b - a);
  return `${winnerWords(table)}${most === least ? "," : ""} ${most} to ${least}`;
}

/** Describes the status of a table. */
export function statusWords(table, { thinking, loading }) {
  const { game } = table;
  const result = game.over ? `${resultWords(table)}.` : null;
  if (table.caption) return result ? `${table.caption} ${result}` : table.caption;
  if (result) return result;
  const again = game.captured.length ? " again" : "";
  if (loading) return `${table.seats[game.mover].name} is loading …`;
  if (thinking) return `${table.seats[game.mover].name} is thinking …`;
  if (table.looksBack) return `After move ${table.at} of ${table.length}.`;
  if (table.alone && table.personsTurn) return `Your turn${again}.`;
  return `${COLORS[game.mover]} to move${again}.`;
}

/** Describes the move that led to a table's state, for screen readers. */
export function moveWords(table) {
  const after = table.game;
  const mover = COLORS[after.before.mover];
  const taken = after.captured.length;
  const parts = [`${mover} draws ${edgeWords(after.board, after.last)}.`];
  if (taken) parts.push(`${mover} takes ${count(taken, "box", "boxes")}${taken === 2 ? " by a double-cross" : ""}.`);
  parts.push(`Blue ${after.scores[0]}, Orange ${after.scores[1]}.`);
  if (after.over) parts.push(`${resultWords(table)}.`);
  else parts.push(taken ? `${mover} moves again.` : `${COLORS[after.mover]} to move.`);
  return parts.join(" ");
}

/** Describes safe edges, boxes on offer and control. */
export function controlWords(result) {
  const parts = [];
  if (result.offered) parts.push(`${count(result.offered, "box", "boxes")} can be taken now.`);
  parts.push(result.safe ? `${count(result.safe, "safe line")} left.` : "No safe line is left.");
  if (result.controls === 0 || result.controls === 1) {
    const [controller, opener] = [COLORS[result.controls], COLORS[1 - result.controls]];
    parts.push(`With best play, ${opener} has to open the first long chain or loop, so ${controller} will be in control.`);
  } else if (result.safe) {
    parts.push("Who will be in control is not known yet.");
  }
  return parts.join(" ");
}

/** The least boxes of a long chain. */
const LONG = 3;

/** Describes a chain or loop, and the cost of opening it if that is known. */
export function groupWords({ length, isLoop, cost }) {
  const kind = isLoop ? `Loop of ${length}` : `${length < LONG ? "Short chain" : "Chain"} of ${length}`;
  if (!cost) return `${kind}: not examined yet.`;
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
