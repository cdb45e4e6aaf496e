// Sentences about a game: its status, its moves, and the player in control.
import { edgeWords } from "../share/notation.js";
import { texts } from "../texts.js";

/** Returns the name of a seat's player: "You", a name or a color. */
export function playerName({ seats, alone, person }, seat) {
  if (alone && seat === person) return seats[seat].called ?? texts.play.you;
  const { bot, name } = seats[seat];
  return bot && name !== seats[1 - seat].name ? name : texts.board.colors[seat];
}

/** Returns the seat with more boxes, or null if both have the same number. */
export function winnerOf({ scores: [blue, orange] }) {
  return blue === orange ? null : Number(orange > blue);
}

/** Returns the name of the winner of a table's finished game, or null for a tie. */
export function winnerName(table) {
  const winner = winnerOf(table.game);
  return winner === null ? null : playerName(table, winner);
}

/** Describes the result of a table's finished game. */
export function resultWords(table) {
  const { scores } = table.game;
  return texts.play.result(winnerName(table), Math.max(...scores), Math.min(...scores));
}

/** Describes the status of a table. */
export function statusWords(table, { thinking, loading, watching }) {
  const { game } = table;
  const result = game.over ? resultWords(table) : null;
  if (table.caption) return result ? `${table.caption} ${result}` : table.caption;
  if (result) return result;
  const isAgain = game.captured.length > 0;
  if (loading) return texts.play.loading(table.seats[game.mover].name);
  if (thinking) return texts.play.thinking(table.seats[game.mover].name);
  if (table.looksBack) return texts.play.afterMove(table.at, table.length);
  if (watching && table.held && table.length) return texts.play.stopped;
  if (table.alone && table.personsTurn) return texts.play.yourTurn(isAgain);
  return texts.play.toMove(game.mover, isAgain);
}

/** Describes the move that led to a table's state, for screen readers. */
export function moveWords(table) {
  const after = table.game;
  const { mover } = after.before;
  const taken = after.captured.length;
  const next = taken ? texts.play.movesAgain(mover) : texts.play.toMove(after.mover, false);
  return [
    texts.play.draws(mover, edgeWords(after.board, after.last)), taken ? texts.play.takes(mover, taken) : "",
    texts.play.scores(after.scores), after.over ? resultWords(table) : next,
  ].filter(Boolean).join(" ");
}

/** Describes safe edges, boxes on offer and control. */
export function controlWords(result) {
  const { offered, safe, controls } = result;
  const isKnown = controls === 0 || controls === 1;
  return [
    offered ? texts.analysis.offered(offered) : "", texts.analysis.safe(safe),
    isKnown ? texts.analysis.control(controls) : safe ? texts.analysis.controlOpen : "",
  ].filter(Boolean).join(" ");
}

/** The least boxes of a long chain. */
const LONG = 3;

/** Describes a chain or loop, and the cost of opening it if that is known. */
export function groupWords({ length, isLoop, cost }) {
  const group = texts.analysis.group(length, isLoop, length >= LONG);
  if (!cost) return texts.analysis.notExamined(group);
  // A chain of two is opened for least by its middle line.
  return texts.analysis.opening(group, cost.grade === 0 ? null : cost.words, length === 2 && !isLoop);
}

/** The spread of the final margin, in boxes, up to which a forecast is sure, and not quite so. */
const SURE = 1.5;
const UNSURE = 4;

/** Describes how sure a forecast is that gives each final margin its share. */
export function sureWords(finals) {
  const mean = finals.reduce((sum, [margin, share]) => sum + margin * share, 0);
  const spread = Math.sqrt(finals.reduce((sum, [margin, share]) => sum + share * (margin - mean) ** 2, 0));
  if (spread <= SURE) return texts.analysis.sure;
  return spread <= UNSURE ? texts.analysis.unsure : texts.analysis.open;
}
