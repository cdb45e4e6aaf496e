// Edges in words, and games in the fragment of an address, as in `#5x5/000f`, which may name the players,
// as in `#5x5/000f?blue=level:3&orange=person`. A fragment comes from people, so reading one throws an
// Error with the reason if it is invalid.
import { Board, Game } from "../doublecross/rules.js";
import { PERSON } from "../play/table.js";
import { texts } from "../texts.js";

/** The base of the numbers in a fragment. */
const BASE = 36;

/** The names of the seats in a fragment. */
const SEATS = ["blue", "orange"];

/** The most characters of a player's name. */
const MAX_NAME = 60;

/** Describes an edge in words, for screen readers. */
export const edgeWords = (board, edge) => texts.board.edge(board.place(edge));

/** Returns the states after each move of a line, which is a list of edges by name. */
export function statesOfLine(game, line) {
  const states = [];
  for (const name of line) states.push((states.at(-1) ?? game).play(name));
  return states;
}

/** Returns the moves of a game as text, with two base-36 digits for each. */
export const movesText = ({ moves }) => moves.map((edge) => edge.toString(BASE).padStart(2, "0")).join("");

/**
 * Returns the fragment of an address that opens a game: its board, its moves, and the ids or names of its
 * players if they are given.
 */
export function fragmentOf(game, players = null) {
  const named = players?.map((name, seat) => `${SEATS[seat]}=${encoded(tidy(name) || texts.share.nobody)}`);
  return `#${game.board.name}/${movesText(game)}${named ? `?${named.join("&")}` : ""}`;
}

/** Returns the fragment in a text that is or ends in an address of this page, or null. */
const fragmentIn = (text) => /#\dx\d.*$/.exec(text.trim())?.[0] ?? null;

/** Returns the states of the game in a text, as `Game.parse` reads it, or in an address of this page. */
export function gamesOfText(text) {
  const fragment = fragmentIn(text);
  if (fragment) return gamesOfFragment(fragment);
  const { board, moves } = Game.parse(text.trim());
  return Game.replay(board, moves);
}

/** Returns the states of the game in a fragment. */
export function gamesOfFragment(fragment) {
  const found = /^#([^/?]*)\/?([^?]*)/.exec(fragment);
  if (!found) throw new Error(texts.share.noHash);
  const board = Board.parse(found[1]);
  if (!/^([0-9a-z]{2})*$/.test(found[2])) throw new Error(texts.share.torn);
  const moves = (found[2].match(/../g) ?? []).map((pair) => parseInt(pair, BASE));
  return Game.replay(board, moves);
}

/** Returns the players that an address of this page in a text names, as `playersOfFragment`. */
export const playersOfText = (text) => playersOfFragment(fragmentIn(text) ?? "");

/**
 * Returns the ids or names of the players that a fragment names, or null if it names none. A seat that
 * it leaves out is a person's.
 */
export function playersOfFragment(fragment) {
  const parts = (/\?(.*)$/s.exec(fragment)?.[1] ?? "").split("&").filter(Boolean);
  const players = [null, null];
  for (const part of parts) {
    const [, name, text] = /^(\w+)=(.+)$/s.exec(part) ?? [];
    const seat = SEATS.indexOf(name);
    if (seat < 0) throw new Error(texts.share.noPlayer(shortened(part)));
    if (players[seat] !== null) throw new Error(texts.share.twice(name));
    players[seat] = nameOf(text);
  }
  return parts.length ? players.map((player) => player ?? PERSON) : null;
}

/** Reads a name of a fragment. */
function nameOf(text) {
  let name;
  try {
    name = decodeURIComponent(text);
  } catch {
    throw new Error(texts.share.notName(shortened(text)));
  }
  if ([...name].length > MAX_NAME) throw new Error(texts.share.longName(MAX_NAME, shortened(name)));
  if (tidy(name) === "") throw new Error(texts.share.emptyName);
  return tidy(name);
}

/** Returns a name without characters that could not be sent or would turn the text around them. */
function tidy(name) {
  const clean = name.replace(/[\p{Cc}\p{Surrogate}\p{Bidi_Control}]/gu, " ").replace(/\s+/g, " ").trim();
  return [...clean].slice(0, MAX_NAME).join("");
}

/**
 * Encodes a name so that programs that find addresses in a text find all of it: they leave out
 * punctuation at the end and in brackets.
 */
function encoded(name) {
  const hex = (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(name).replace(/[!'()*.~]/g, hex).replace(/%3A(?=\w)/g, ":");
}

const shortened = (text) => ([...text].length > 40 ? `${[...text].slice(0, 40).join("")}…` : text);
