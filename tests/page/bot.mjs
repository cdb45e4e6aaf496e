// A bot of a served page, asked in node.
import { site } from "./site.mjs";

const { ask } = await site("query.js");

export class Bot {
  /** Returns a promise of the bot for a board at the URL of a page. */
  static async load(url, board) {
    const { bots } = await (await fetch(new URL("bots.json", url))).json();
    const { module } = bots.find((entry) => entry.board === board);
    const bytes = await (await fetch(new URL(module, url))).arrayBuffer();
    const bot = new Bot();
    bot.exports = (await WebAssembly.instantiate(bytes)).instance.exports;
    return bot;
  }

  /** Returns the answer to a question. */
  ask(question) {
    return ask(this.exports, question);
  }
}
