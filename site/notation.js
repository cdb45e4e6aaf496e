// Edges in words, and games in the fragment of an address, as in `#5x5/000f`. A fragment comes from
// people, so reading one throws an Error with the reason if it is invalid.
import { Board, Game } from "./doublecross/rules.js";

/** The base of the numbers in a fragment. */
const BASE = 36;

/** Describes an edge in words, for screen readers. */
export function edgeWords(board, edge) {
  const { horizontal, row, col } = board.place(edge);
  return `${horizontal ? "horizontal" : "vertical"} line, row ${row + 1}, column ${col + 1}`;
}

/** Returns the states after each move of a line, which is a list of edges by name. */
export function statesOfLine(game, line) {
  const states = [];
  for (const name of line) states.push((states.at(-1) ?? game).play(name));
  return states;
}

/** Returns the moves of a game as text, with two base-36 digits for each. */
export const movesText = ({ moves }) => moves.map((edge) => edge.toString(BASE).padStart(2, "0")).join("");

/** Returns the fragment of an address that opens a game: its board and its moves. */
export const fragmentOf = (game) => `#${game.board.name}/${movesText(game)}`;

/** Returns the states of the game in a text, as `Game.parse` reads it, or in an address of this page. */
export function gamesOfText(text) {
  const address = /#\dx\d.*$/.exec(text.trim());
  if (address) return gamesOfFragment(address[0]);
  const { board, moves } = Game.parse(text.trim());
  return Game.replay(board, moves);
}

/** Returns the states of the game in a fragment. */
export function gamesOfFragment(fragment) {
  const found = /^#([^/]*)\/?(.*)$/.exec(fragment);
  if (!found) throw new Error("it does not begin with #");
  const board = Board.parse(found[1]);
  if (!/^([0-9a-z]{2})*$/.test(found[2])) throw new Error("a part of it is missing or changed");
  const moves = (found[2].match(/../g) ?? []).map((pair) => parseInt(pair, BASE));
  return Game.replay(board, moves);
}
