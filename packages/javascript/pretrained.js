// The bots that come with the package.
import { BotWorker } from "./bot-worker.js";
import { Bot } from "./bot.js";
import { Board } from "./rules.js";

// Whole addresses, which tools that bundle files for browsers look for.
const BOTS = new Map([
  ["3x3", () => new URL("./bots/3x3.wasm", import.meta.url)],
  ["4x4", () => new URL("./bots/4x4.wasm", import.meta.url)],
  ["5x5", () => new URL("./bots/5x5.wasm", import.meta.url)],
]);
const others = () => new URL("./bots/others.wasm", import.meta.url);
const forLevels = () => new URL("./bots/levels.wasm", import.meta.url);

/** Returns the address of the bot that plays this board best. A bot plays any board, but knows its own. */
function addressFor(board) {
  return (BOTS.get(Board.of(board).name) ?? others)();
}

/** Returns a promise of the bot of this package that plays a board best. */
export const pretrained = async (board) => Bot.load(addressFor(board));

/** Returns a promise of the same bot in a worker. */
export const pretrainedWorker = async (board) => BotWorker.load(addressFor(board));

/** Returns a promise of a small bot for the levels 1 to 8, the rules of thumb and the exact solver, without a network. */
export const levels = async () => Bot.load(forLevels());

/** Returns a promise of the same bot in a worker. */
export const levelsWorker = async () => BotWorker.load(forLevels());
