// Dots and Boxes: rules, drawings, and bots that play and analyze it.
export { Bot } from "./bot.js";
export { BotWorker } from "./bot-worker.js";
export { levels, levelsWorker, pretrained, pretrainedWorker } from "./pretrained.js";
export { Board, Game } from "./rules.js";
export { boardSvg, gameSvg } from "./svg.js";
