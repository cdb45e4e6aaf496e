// Match logs: one game, finished or not, as JSON on each line.
import { Board, Game } from "../doublecross/rules.js";
import { texts } from "../texts.js";

/** A game of a log: its players, its board and its score. Its states are made again where they are needed. */
class LoggedGame {
  /** Reads a line, or throws an error. */
  constructor(line) {
    const entry = JSON.parse(line);
    if (entry === null || typeof entry !== "object") throw new Error(texts.watch.notObject);
    this.board = Board.parse(entry.board);
    if (!Array.isArray(entry.moves)) throw new Error(texts.watch.noMoves);
    this.names = [0, 1].map((seat) => String(entry.bots?.[seat] ?? texts.share.nobody).slice(0, 60));
    this.record = line.trim();
    this.scores = Game.replay(this.board, entry.moves).pop().scores;
  }

  /** Returns the states of the game. */
  games() {
    return Game.replay(this.board, JSON.parse(this.record).moves);
  }
}

/**
 * Reads the first games of a log, at most `most`. Returns them with the number of all, and the lines that cannot be
 * read, each as `{line, reason}`. A log that is still being written may end in half a line.
 */
export function readLog(text, most = Infinity) {
  const records = [];
  const faults = [];
  let count = 0;
  text.split("\n").forEach((line, index) => {
    if (!line.trim()) return;
    try {
      const logged = new LoggedGame(line);
      count += 1;
      if (records.length < most) records.push(logged);
    } catch (error) {
      faults.push({ line: index + 1, reason: error.message });
    }
  });
  return { records, count, faults };
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
