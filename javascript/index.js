// Dots and Boxes: rules, and bots that play and analyse it.
export { Bot } from "./bot.js";
export { pretrained } from "./pretrained.js";
export { Board, Game } from "./rules.js";
