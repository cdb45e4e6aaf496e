// Texts for edges, games and addresses: `H0,1`, `5x5 H0,0 V1,2` and the address's fragment `#5x5/000f`.
// What is read here comes from people and other programs, so every reader says what is wrong by throwing an Error.
import { Board, Game } from "./rules.js";

const DIGITS = 36;

export function edgeName(board, edge) {
  const { horizontal, row, col } = board.place(edge);
  return `${horizontal ? "H" : "V"}${row},${col}`;
}

export function edgeOf(board, name) {
  const found = /^([HV])(\d),(\d)$/.exec(name);
  if (!found) throw new Error(`«${name}» is no edge`);
  const [row, col] = [Number(found[2]), Number(found[3])];
  const horizontal = found[1] === "H";
  const inside = horizontal ? row <= board.rows && col < board.cols : row < board.rows && col <= board.cols;
  if (!inside) throw new Error(`${name} is outside of a ${board.name} board`);
  return horizontal ? board.horizontal(row, col) : board.vertical(row, col);
}

/** An edge in words, for people who hear the board. */
export function edgeWords(board, edge) {
  const { horizontal, row, col } = board.place(edge);
  return `${horizontal ? "horizontal" : "vertical"} edge, row ${row + 1}, column ${col + 1}`;
}

export function boardOf(text) {
  const found = /^([1-9])x([1-9])$/.exec(String(text));
  if (!found || !Board.fits(Number(found[1]), Number(found[2]))) throw new Error(`«${text}» is no board`);
  return new Board(Number(found[1]), Number(found[2]));
}

export function gameText(game) {
  return [game.board.name, ...game.moves.map((edge) => edgeName(game.board, edge))].join(" ");
}

/** The fragment of an address that opens a game: its board, and two base-36 digits for each move. */
export function fragmentOf(game) {
  return `#${game.board.name}/${game.moves.map((edge) => edge.toString(DIGITS).padStart(2, "0")).join("")}`;
}

/** The states of the game in a fragment. */
export function gamesOfFragment(fragment) {
  const found = /^#([^/]*)\/?(.*)$/.exec(fragment);
  if (!found) throw new Error("it does not begin with #");
  const board = boardOf(found[1]);
  if (!/^([0-9a-z]{2})*$/.test(found[2])) throw new Error("its moves are not pairs of digits and small letters");
  const moves = (found[2].match(/../g) ?? []).map((pair) => parseInt(pair, DIGITS));
  return Game.replay(board, moves);
}
