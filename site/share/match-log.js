// Match logs: one game, finished or not, as JSON on each line.
import { Board, Game } from "../doublecross/rules.js";
import { texts } from "../texts.js";

/**
 * Reads the games of a log, each as `{names, game, record}` with its last state and its line, and
 * the lines that cannot be read, each as `{line, reason}`. A log that is still being written may
 * end in half a line.
 */
export function readLog(text) {
  const records = [];
  const faults = [];
  text.split("\n").forEach((line, index) => {
    if (!line.trim()) return;
    try {
      records.push({ ...readGame(JSON.parse(line)), record: line.trim() });
    } catch (error) {
      faults.push({ line: index + 1, reason: error.message });
    }
  });
  return { records, faults };
}

/** Reads one game, or throws an error. */
function readGame(entry) {
  if (entry === null || typeof entry !== "object") throw new Error(texts.watch.notObject);
  const board = Board.parse(entry.board);
  if (!Array.isArray(entry.moves)) throw new Error(texts.watch.noMoves);
  const names = [0, 1].map((seat) => String(entry.bots?.[seat] ?? texts.share.nobody).slice(0, 60));
  return { names, game: Game.replay(board, entry.moves).pop() };
}

/**
 * Formats a line of a log. `seconds` and `longest` are each seat's times for all moves and for its
 * longest one, `opening` is the number of moves that no player chose.
 */
export function writeGame({ game, names, nonce, seconds, longest, opening = 0, faults = [0, 0] }) {
  const tidy = (times) => times.map((time) => Math.round(time * 1000) / 1000);
  return `${JSON.stringify({
    board: game.board.name, bots: names, nonce, opening, moves: game.moves, scores: game.scores, faults,
    seconds: tidy(seconds), longest: tidy(longest),
  })}\n`;
}
