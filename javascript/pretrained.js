// The bots that come with the package.
import { Bot } from "./bot.js";
import { Board } from "./rules.js";

// Whole addresses, which tools that bundle files for browsers look for.
const BOTS = new Map([
  ["3x3", () => new URL("./bots/3x3.wasm", import.meta.url)],
  ["4x4", () => new URL("./bots/4x4.wasm", import.meta.url)],
  ["5x5", () => new URL("./bots/5x5.wasm", import.meta.url)],
]);
const others = () => new URL("./bots/others.wasm", import.meta.url);

/** Returns a promise of the bot that plays this board best. A bot plays any board, but knows its own. */
export function pretrained(board) {
  const { name } = typeof board === "string" ? Board.parse(board) : board;
  return Bot.load((BOTS.get(name) ?? others)());
}
