// Text forms of edges, games and addresses: `H0,1`, `5x5 H0,0 V1,2` and the fragment `#5x5/000f` of
// an address. The texts come from people and other programs, so every function that reads one
// throws an Error with the reason if it is invalid.
import { Board, Game } from "./rules.js";

/** The base of the numbers in a fragment. */
const BASE = 36;

/** Returns the name of an edge, as in `H0,1`. */
export function edgeName(board, edge) {
  const { horizontal, row, col } = board.place(edge);
  return `${horizontal ? "H" : "V"}${row},${col}`;
}

/** Returns the edge with this name. */
export function edgeOf(board, name) {
  const found = /^([HV])(\d),(\d)$/.exec(name);
  if (!found) throw new Error(`"${name}" is not an edge`);
  const [row, col] = [Number(found[2]), Number(found[3])];
  const horizontal = found[1] === "H";
  const inside = horizontal ? row <= board.rows && col < board.cols : row < board.rows && col <= board.cols;
  if (!inside) throw new Error(`${name} is not an edge of the ${board.name} board`);
  return horizontal ? board.horizontal(row, col) : board.vertical(row, col);
}

/** Describes an edge in words, for screen readers. */
export function edgeWords(board, edge) {
  const { horizontal, row, col } = board.place(edge);
  return `${horizontal ? "horizontal" : "vertical"} line, row ${row + 1}, column ${col + 1}`;
}

/** Returns the states after each move of a line, which is a list of edges by name. */
export function statesOfLine(game, line) {
  const states = [];
  for (const name of line) states.push((states.at(-1) ?? game).play(edgeOf(game.board, name)));
  return states;
}

/** Returns the board of a text, as in `5x5`. */
export function boardOf(text) {
  const found = /^([1-9])x([1-9])$/.exec(String(text));
  if (!found || !Board.fits(Number(found[1]), Number(found[2]))) throw new Error(`"${text}" is not a board`);
  return new Board(Number(found[1]), Number(found[2]));
}

/** Returns a game as text, as in `5x5 H0,0 V1,2`. */
export function gameText(game) {
  return [game.board.name, ...game.moves.map((edge) => edgeName(game.board, edge))].join(" ");
}

/**
 * Returns the fragment of an address that opens a game: its board, and two base-36 digits for each
 * move.
 */
export function fragmentOf(game) {
  return `#${game.board.name}/${game.moves.map((edge) => edge.toString(BASE).padStart(2, "0")).join("")}`;
}

/** Returns the states of the game in a fragment. */
export function gamesOfFragment(fragment) {
  const found = /^#([^/]*)\/?(.*)$/.exec(fragment);
  if (!found) throw new Error("it does not begin with #");
  const board = boardOf(found[1]);
  if (!/^([0-9a-z]{2})*$/.test(found[2])) throw new Error("a part of it is missing or changed");
  const moves = (found[2].match(/../g) ?? []).map((pair) => parseInt(pair, BASE));
  return Game.replay(board, moves);
}
