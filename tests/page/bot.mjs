// A bot of a served page, asked in node.
import { site } from "./site.mjs";

const { Bot } = await site("doublecross/bot.js");

/** Returns a promise of the bot for a board at the URL of a page. */
export async function botAt(url, board) {
  const { bots } = await (await fetch(new URL("bots.json", url))).json();
  const { module } = bots.find((entry) => entry.board === board);
  return Bot.load(new URL(module, url));
}
